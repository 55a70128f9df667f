"""How programs end, told apart exactly, on every backend."""

from __future__ import annotations

import shutil
import signal
from typing import cast

import pytest
from other_user import OtherUsersSandbox

from rlenv.sandbox import Call, Limits, Program, Sandbox, Status

AnySandbox = Sandbox | OtherUsersSandbox
QUICK = Limits(wall_s=5.0, memory_mb=128)


def test_answers_from_stdin_to_stdout(box: AnySandbox) -> None:
    result = box.run(Program("print(int(input()) * 2)", stdin="21"))
    assert (result.status, result.exit_code, result.stdout, result.stderr) == (Status.EXITED, 0, b"42\n", b"")
    assert result.ok
    assert 0 < result.cpu_s < 5
    assert result.peak_memory_mb > 1


def test_streams_are_bytes_whatever_they_hold(box: AnySandbox) -> None:
    every = bytes(range(256)) * 300  # more than a pipe holds
    echo = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
    result = box.run(Program(echo, stdin=every), Limits(output_bytes=1 << 20))
    assert result.stdout == every
    assert box.run(Program("print(input())", stdin=b"\xff\xfe")).stdout == b"\xff\xfe\n"


def test_a_program_that_does_not_read_its_input_still_ends(box: AnySandbox) -> None:
    assert box.run(Program("print(1)", stdin=b"x" * (1 << 20))).stdout == b"1\n"


@pytest.mark.parametrize(
    ("code", "expected"), [("import sys; sys.exit(3)", 3), ("1/0", 1), ("exit()", 0), ("exit('no')", 1)]
)
def test_exit_codes_are_those_of_python(box: AnySandbox, code: str, expected: int) -> None:
    result = box.run(Program(code))
    assert (result.status, result.exit_code) == (Status.EXITED, expected)


def test_a_traceback_names_the_program_and_nothing_of_ours(box: AnySandbox) -> None:
    stderr = box.run(Program("def f():\n    return 1 / 0\nf()")).stderr
    assert b'File "main.py", line 2, in f' in stderr
    assert b"runner" not in stderr


@pytest.mark.parametrize("code", ["print('", "x = 'a\0b'", "\ud800", "(" * 300, "return 1"])
def test_what_does_not_compile_is_a_syntax_error(box: AnySandbox, code: str) -> None:
    assert box.run(Program("print('ran')\n" + code)).status is Status.SYNTAX_ERROR


def test_a_syntax_error_made_while_running_is_not_one_of_the_program(box: AnySandbox) -> None:
    assert box.run(Program("print(1)\neval('1 +')")).status is Status.EXITED


@pytest.mark.parametrize("code", ["while True: pass", "import time; time.sleep(60)", "input()\nwhile True: pass"])
def test_running_too_long_is_a_timeout(box: AnySandbox, code: str) -> None:
    result = box.run(Program(code, stdin="x"), Limits(wall_s=0.3))
    assert (result.status, result.detail) == (Status.TIMEOUT, "wall clock")  # the supervisor's clock, not the host's
    assert 0.3 <= result.wall_s < 2


def test_cpu_time_is_a_timeout_too(box: AnySandbox) -> None:
    burn = "import os\nfor _ in range(2): os.fork()\nwhile True: pass"
    result = box.run(Program(burn), Limits(wall_s=20, cpu_s=0.4))
    assert (result.status, result.detail) == (Status.TIMEOUT, "CPU time")


def test_a_large_allocation_is_a_memory_limit(box: AnySandbox) -> None:
    assert box.run(Program("x = bytearray(1 << 30)"), QUICK).status is Status.MEMORY_LIMIT


def test_a_program_that_handles_its_memory_error_has_exited(box: AnySandbox) -> None:
    code = "try:\n    bytearray(1 << 30)\nexcept MemoryError:\n    print('handled')"
    result = box.run(Program(code), QUICK)
    assert (result.status, result.stdout) == (Status.EXITED, b"handled\n")


def test_processes_that_take_too_much_together_are_a_memory_limit(box: AnySandbox) -> None:
    greedy = "import os, time\nfor _ in range(6):\n    if os.fork() == 0: break\nx = bytearray(b'x') * (100 << 20)\n"
    waiting = greedy + "time.sleep(3); os._exit(1)"
    assert box.run(Program(waiting), Limits(wall_s=20, memory_mb=128)).status is Status.MEMORY_LIMIT
    assert box.run(Program("print(1)")).ok


def test_a_signal_is_told_with_its_number(box: AnySandbox) -> None:
    result = box.run(Program("import os; os.kill(os.getpid(), 11)"))
    assert (result.status, result.signal, result.exit_code) == (Status.SIGNALLED, signal.SIGSEGV, None)


def test_killing_itself_is_no_memory_limit(box: AnySandbox) -> None:
    result = box.run(Program("import os; os.kill(os.getpid(), 9)"))
    assert (result.status, result.signal) == (Status.SIGNALLED, signal.SIGKILL)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_endless_output_is_an_output_limit(box: AnySandbox, stream: str) -> None:
    code = f"import sys\nwhile True: sys.{stream}.write('x' * 1000)"
    result = box.run(Program(code), Limits(output_bytes=5000))
    assert (result.status, result.truncated) == (Status.OUTPUT_LIMIT, True)
    assert len(getattr(result, stream)) == 5000


def test_endless_answers_are_an_output_limit(box: AnySandbox) -> None:
    program = Program("def f(): return 'x' * 5000", calls=[Call("f")])
    result = box.run(program, Limits(result_bytes=3000))
    assert (result.status, result.calls[0].answered) == (Status.OUTPUT_LIMIT, False)


def test_a_file_beyond_the_limit_is_a_file_limit(box: AnySandbox) -> None:
    result = box.run(Program("open('f', 'wb').write(b'x' * 100_000)"), Limits(file_bytes=50_000))
    assert (result.status, result.signal) == (Status.FILE_LIMIT, signal.SIGXFSZ)


def test_the_kernel_is_told_every_limit(box: AnySandbox) -> None:
    limits = Limits(wall_s=5, cpu_s=1.5, memory_mb=128, processes=9, file_bytes=50_000, open_files=17)
    told = "{name[7:]: resource.getrlimit(getattr(resource, name)) for name in dir(resource) if name[:7] == 'RLIMIT_'}"
    result = box.run(Program(f"import resource\ndef limits(): return {told}", calls=[Call("limits")]), limits)
    found = cast("dict[str, tuple[int, int]]", result.calls[0].value)
    exact = {"CORE": (1, 1), "FSIZE": (50_000,) * 2, "NOFILE": (17, 17), "CPU": (2, 3), "MSGQUEUE": (0, 0)}
    assert {name: found[name] for name in exact} == exact
    assert found["MEMLOCK"] == (0, 0)
    assert found["STACK"][1] == 64 << 20
    assert found["NPROC"][1] in (9, 11)  # with its server and supervisor where these have its uid
    assert 128 << 20 < found["AS"][1] < 384 << 20


def test_a_full_disk_is_a_file_limit(box: AnySandbox) -> None:
    code = "for i in range(64):\n    with open(f'f{i}', 'wb') as f: f.write(b'x' * (1 << 20))"
    assert box.run(Program(code)).status is Status.FILE_LIMIT
    assert box.run(Program("open('f', 'wb').write(b'x' * (1 << 20)); print(1)")).stdout == b"1\n"


def test_a_thread_may_end_after_the_main_one(box: AnySandbox) -> None:
    code = "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.05), print('late'))).start()"
    assert box.run(Program(code)).stdout == b"late\n"


def test_exit_functions_run_and_what_stands_in_buffers_comes_out(box: AnySandbox) -> None:
    code = "import atexit, sys\natexit.register(print, 'bye')\nsys.stdout.write('no newline ')"
    assert box.run(Program(code)).stdout == b"no newline bye\n"


def test_the_same_program_prints_the_same_each_time(box: AnySandbox) -> None:
    program = Program("import random\nprint(random.random(), {'a', 'b', 'c', 'd', 'e'}, hash('x'))")
    assert len({result.stdout for result in box.map([program] * 4)}) == 1


def test_files_are_there_and_gone_for_the_next(box: AnySandbox) -> None:
    code = "import os\nprint(sorted(os.listdir()), open('in/data.bin', 'rb').read() if os.path.exists('in') else None)"
    files: dict[str, bytes | str] = {"in/data.bin": b"\x00\xff", "a.txt": "text"}
    assert box.run(Program(code, files=files)).stdout == b"['a.txt', 'in'] b'\\x00\\xff'\n"
    assert box.run(Program(code)).stdout == b"[] None\n"


def test_any_command_that_the_cell_has_can_be_run(box: AnySandbox) -> None:
    echo = "import sys; print(sys.argv[1:], sys.stdin.read())"
    result = box.run(Program(argv=["python3", "-c", echo, "a b"], stdin="in"))
    assert (result.status, result.stdout) == (Status.EXITED, b"['a b'] in\n")


def test_the_work_directory_lasts_from_compiling_to_running(box: AnySandbox) -> None:
    make = "import os; open('out.py', 'w').write(open('in.txt').read()); os.chmod('out.py', 0o700)"
    program = Program(compile=["python3", "-c", make], argv=["python3", "out.py"], files={"in.txt": "print(7)"})
    assert box.run(program).stdout == b"7\n"


def test_a_compile_step_that_fails_is_a_syntax_error(box: AnySandbox) -> None:
    program = Program(compile=["python3", "-c", "print('line 3: no'); raise SystemExit(1)"], argv=["./out"])
    result = box.run(program)
    assert (result.status, result.stdout) == (Status.SYNTAX_ERROR, b"line 3: no\n")


def test_a_compile_step_neither_reads_the_input_nor_outlasts_itself(box: AnySandbox) -> None:
    make = "import os, sys, time\nopen('made', 'w').write(repr(sys.stdin.read()))\nif os.fork() == 0: time.sleep(60)"
    run = "import os; print(open('made').read(), len([p for p in os.listdir('/proc') if p.isdigit()]))"
    program = Program(compile=["python3", "-c", make], argv=["python3", "-c", run], stdin="21")
    assert box.run(program).stdout == b"'' 3\n"


def test_shared_memory_counts_as_well_or_cannot_be_had(box: AnySandbox) -> None:
    """An ordinary user has no cgroup that counts memory whose maps are gone, so that there are no such maps."""
    share = (
        "import mmap, os, time\nfor _ in range(4): os.fork()\nm = mmap.mmap(-1, 60 << 20)\nm.write(b'x' * (60 << 20))"
    )
    result = box.run(Program(f"{share}\ntime.sleep(3)\nos._exit(1)"), Limits(wall_s=20, memory_mb=256))
    assert result.status is Status.MEMORY_LIMIT or b"PermissionError" in result.stderr


def test_a_compile_step_has_its_own_clock(box: AnySandbox) -> None:
    program = Program(compile=["python3", "-c", "while True: pass"], argv=["./out"])
    result = box.run(program, Limits(compile_s=0.3))
    assert (result.status, result.detail) == (Status.TIMEOUT, "compile step: wall clock")


def test_a_command_that_the_cell_lacks_is_no_fault_of_the_program(box: AnySandbox) -> None:
    result = box.run(Program(argv=["no-such-interpreter"]))
    assert result.status is Status.SANDBOX_FAILURE
    assert "no-such-interpreter is not in the cell" in result.detail


def test_a_command_cannot_pretend_that_the_cell_lacks_it(box: AnySandbox) -> None:
    forge = "import os\ntry: os.write(3, b'! missing\\n')\nexcept OSError: pass\nos._exit(127)"
    result = box.run(Program(argv=["python3", "-c", forge]))
    assert (result.status, result.exit_code) == (Status.EXITED, 127)


def test_what_compiling_did_not_make_is_the_fault_of_the_program(box: AnySandbox) -> None:
    assert box.run(Program(argv=["./out"])).exit_code == 127


def test_a_compile_step_that_ruins_the_work_directory_is_no_failure_of_the_machinery(box: AnySandbox) -> None:
    for ruin in ("os.chmod('.', 0)", "os.rename('m.py', 'd'); os.mkdir('m.py')", "os.rename('../work', '../other')"):
        program = Program(files={"m.py": ""}, compile=["python3", "-c", f"import os; {ruin}"], argv=["python3", "m.py"])
        assert box.run(program).status is not Status.SANDBOX_FAILURE, ruin


def test_files_that_do_not_fit_are_a_file_limit(box: AnySandbox) -> None:
    files: dict[str, bytes | str] = {f"f{i}": bytes(1 << 20) for i in range(30)}
    assert box.run(Program("print(1)", files=files)).status is Status.FILE_LIMIT


def test_memory_of_a_command_is_watched(box: AnySandbox) -> None:
    code = "x = bytearray(b'x') * (200 << 20)\nimport time; time.sleep(3)"
    assert box.run(Program(argv=["python3", "-c", code]), QUICK).status is Status.MEMORY_LIMIT


def test_c_programs_compile_and_run_where_there_is_a_compiler(box: AnySandbox) -> None:
    if box.backend == "docker" or not shutil.which("gcc"):
        pytest.skip("no C compiler in the cell")
    source = '#include <stdio.h>\nint main(void) { int n; scanf("%d", &n); printf("%d\\n", 2 * n); return 0; }\n'
    program = Program(files={"m.c": source}, compile=["gcc", "m.c", "-o", "m"], argv=["./m"], stdin="21")
    assert box.run(program).stdout == b"42\n"
