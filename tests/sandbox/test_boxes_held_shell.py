"""Commands in a box: a shell that persists, ends that cannot be forged, hangs that are ended, output in bounds."""

from __future__ import annotations

import resource

import pytest
from container_engine import needs_engine

from rlenv.sandbox.containers import Box, Ran
from rlenv.sandbox.errors import SandboxUsageError

pytestmark = needs_engine


def said(agents_box: Box, command: str, timeout_s: float = 30, **options: object) -> tuple[int | None, str]:
    ran = agents_box.run(command, timeout_s=timeout_s, **options)  # type: ignore[arg-type]
    return ran.exit_code, ran.output


def test_folder_and_variables_persist_as_in_a_terminal(agents_box: Box) -> None:
    assert said(agents_box, "cd /tmp; X='a b'; export Y=2; f() { echo $1; }") == (0, "")
    assert said(agents_box, 'pwd; echo "$X$Y"; f 3; false') == (1, "/tmp\na b2\n3\n")
    assert said(agents_box, "echo $?") == (0, "1\n")


@pytest.mark.parametrize(
    ("command", "code", "output"),
    [
        ("echo a; echo b >&2; echo c", 0, "a\nb\nc\n"),
        ("printf 'no newline'", 0, "no newline"),
        ("cat", 0, ""),
        ("read x; echo [$x]", 0, "[]\n"),
        ("cat <<'END'\nit's $HOME\nEND\n", 0, "it's $HOME\n"),
        ("(exit 42)", 42, ""),
        ("kill -9 $BASHPID", 137, ""),
        ("echo 'ä €' # comment", 0, "ä €\n"),
        ("true &", 0, ""),
        ("exec echo gone", 0, "gone\n"),
        ("printf '\\000a\\377'", 0, "\0a\ufffd"),
        ("", 0, ""),
    ],
)
def test_a_command_gives_its_output_and_status(agents_box: Box, command: str, code: int, output: str) -> None:
    assert said(agents_box, command) == (code, output)
    assert said(agents_box, "echo on") == (0, "on\n")


def test_a_shell_that_exits_is_followed_by_one_in_the_same_folder(agents_box: Box) -> None:
    said(agents_box, "cd /usr/lib; X=1")
    assert said(agents_box, "exit 7") == (7, "")
    assert said(agents_box, "pwd; echo [$X]") == (0, "/usr/lib\n[]\n")


def test_wrong_syntax_is_the_commands_failure(agents_box: Box) -> None:
    said(agents_box, "X=1")
    code, output = said(agents_box, "if then (")
    assert code not in (0, None)
    assert "syntax error" in output
    assert said(agents_box, "echo $X") == (0, "1\n")


def test_output_sent_elsewhere_for_good_does_not_hide_the_end(agents_box: Box) -> None:
    assert said(agents_box, "exec >/tmp/log 2>&1; echo hidden") == (0, "")
    assert said(agents_box, "echo also") == (0, "")
    assert said(agents_box, "cat /tmp/log", fresh=True) == (0, "hidden\nalso\n")


@pytest.mark.parametrize(
    "forgery",
    [
        "printf '?' >&9",
        "printf '\\000%032d\\000' 0 >&8",
        "for n in 3 4 5 6 7 8 9 10 11 12; do printf '?0 0 /\\000' >&$n; done",
        "printf '?00000000000000000000000000000000 0 /\\000' >/proc/$$/fd/9",
        "printf '?' >/proc/$$/fd/9",
    ],
)
def test_no_output_of_a_command_gives_it_another_status(agents_box: Box, forgery: str) -> None:
    ran = agents_box.run(f"{{ {forgery}; }} 2>/dev/null; (exit 3)", timeout_s=20)
    assert ran.exit_code in (3, None), "3, or noticed and ended"
    assert said(agents_box, "echo on") == (0, "on\n")


def test_the_nonce_is_nowhere_while_a_command_runs(agents_box: Box) -> None:
    """It reads all that its shell has been sent and not read."""
    look = "timeout 1 cat /proc/$$/fd/0 | od -c | head -5; echo looked"
    assert said(agents_box, look) == (0, "0000000\nlooked\n"), "not a byte"
    assert said(agents_box, "echo on") == (0, "on\n")


def test_a_hang_is_ended_with_its_children_and_nothing_else(agents_box: Box) -> None:
    said(agents_box, "cd /tmp; setsid sleep 1111 >/dev/null 2>&1 & sleep 0.2")
    ran = agents_box.run("echo begun; (sleep 2222 & setsid sleep 3333 & sleep 4444) | cat", timeout_s=1)
    assert (ran.exit_code, ran.timed_out, ran.output) == (None, True, "begun\n")
    assert said(agents_box, "pwd") == (0, "/tmp\n")
    _, running = said(agents_box, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '", fresh=True)
    assert "2222" not in running
    assert "3333" not in running
    assert "4444" not in running


def test_a_hang_that_ignores_signals_and_forks_is_ended(agents_box: Box) -> None:
    ran = agents_box.run("trap '' TERM INT HUP; while :; do sleep 5555 & sleep 0.01; done", timeout_s=1)
    assert ran.timed_out
    _, running = said(agents_box, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '", fresh=True)
    assert "5555" not in running


def test_a_fork_bomb_is_ended(agents_box: Box) -> None:
    agents_box.run("bomb() { bomb | bomb & }; bomb; sleep 100", timeout_s=2)
    agents_box.settle()
    assert said(agents_box, "echo on") == (0, "on\n")


def test_a_command_that_kills_what_it_can_does_not_take_the_box_along(agents_box: Box) -> None:
    assert agents_box.run("kill -9 -1; kill -9 1", timeout_s=20).exit_code in (137, 0, 1)
    agents_box.run("kill -9 -1", timeout_s=20, fresh=True)
    agents_box.run("true", timeout_s=20)  # it may meet the end of the shell that was killed
    assert said(agents_box, "echo on") == (0, "on\n")


def test_much_output_is_cut_in_the_middle_and_held_in_bounds(agents_box: Box) -> None:
    said(agents_box, "true")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ran = agents_box.run(
        "echo first; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo last", timeout_s=60, max_output=1000
    )
    grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert ran.exit_code == 0
    assert ran.cut
    assert len(ran.output) <= 1000
    assert ran.output.startswith("first\nxxx")
    assert ran.output.endswith("xxx\nlast\n")
    assert "bytes were cut" in ran.output
    assert grown_kb < 10_000


def test_one_who_floods_from_behind_neither_hangs_nor_hides_the_next(agents_box: Box) -> None:
    said(agents_box, "yes flood & echo $! > /tmp/pid")
    assert agents_box.run("kill $(cat /tmp/pid); echo on", timeout_s=30).exit_code == 0
    assert said(agents_box, "echo on")[0] == 0


def test_another_user_or_variables_take_a_process_of_its_own(agents_box: Box) -> None:
    said(agents_box, "X=1")
    assert said(agents_box, "id -un; echo [$X]", user="nobody", workdir="/tmp") == (0, "nobody\n[]\n")
    assert said(agents_box, "echo $A; pwd; exit 5", env={"A": "b c"}) == (5, "b c\n/work\n")
    assert said(agents_box, "echo out; echo err >&2; cat", fresh=True) == (0, "out\nerr\n")


def test_a_process_of_its_own_is_ended_with_its_children(agents_box: Box) -> None:
    ran = agents_box.run("echo begun; sleep 6666 & sleep 6666", timeout_s=1, fresh=True)
    assert (ran.exit_code, ran.timed_out, ran.output) == (None, True, "begun\n")
    _, running = said(agents_box, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '", fresh=True)
    assert "6666" not in running.replace("tr", "")


def test_a_daemon_that_holds_the_output_open_does_not_hold_up_its_end(agents_box: Box) -> None:
    ran = agents_box.run("sleep 7777 & echo started", timeout_s=30, fresh=True)
    assert (ran.exit_code, ran.output) == (0, "started\n")
    assert ran.seconds < 20


def test_what_was_made_of_the_boxs_shell_is_its_workers_doing(agents_box: Box) -> None:
    assert said(agents_box, "echo on")[0] == 0
    said(agents_box, "rm -f /bin/sh /bin/bash")
    said(agents_box, "exit 0")
    for fresh in (False, True):
        ran = agents_box.run("echo on", timeout_s=20, fresh=fresh)
        assert isinstance(ran, Ran)
        assert ran.exit_code not in (0, None)


def test_a_command_with_a_nul_is_refused(agents_box: Box) -> None:
    with pytest.raises(SandboxUsageError, match="NUL"):
        agents_box.run("a\0b", timeout_s=1)


def test_orphans_are_taken_up(agents_box: Box) -> None:
    said(agents_box, "for i in $(seq 300); do (true &); done")
    _, states = said(agents_box, "sleep 0.5; cat /proc/[0-9]*/status | grep -c 'State:.Z'", fresh=True)
    assert int(states.strip() or 0) < 20
