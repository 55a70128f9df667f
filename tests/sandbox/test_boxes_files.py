"""Files into a box and out of it: bounded, whole, and never through a link of its worker's making."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest
from container_engine import needs_engine

from rlenv.sandbox.containers import Backend, Box, Carried, Limits, TooLarge
from rlenv.sandbox.errors import SandboxUsageError

pytestmark = needs_engine
IMAGE = "rlenv/agents-base:latest"


def do(agents_box: Box, command: str) -> str:
    ran = agents_box.run(command, timeout_s=60, fresh=True)
    assert ran.exit_code == 0, ran.output
    return ran.output


def members(carried: Carried) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(fileobj=io.BytesIO(carried.tar)) as tar:
        return {member.name: member for member in tar}


def content(carried: Carried, name: str) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(carried.tar)) as tar:
        file = tar.extractfile(name)
        assert file is not None
        return file.read()


def test_files_go_in_as_they_are(agents_box: Box, tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(bytes(range(256)) * 10_000)
    files: dict[str, bytes | Path] = {
        "a.txt": b"a\n",
        "deep/er/run.sh": b"#!/bin/sh\necho ran\n",
        "big": tmp_path / "big",
    }
    agents_box.put(files, "/tests/new", mode_executable=["deep/er/run.sh"])
    assert (
        do(agents_box, "/tests/new/deep/er/run.sh; cat /tests/new/a.txt; stat -c '%a %u' /tests/new/a.txt")
        == "ran\na\n644 0\n"
    )
    assert do(agents_box, "wc -c </tests/new/big").strip() == "2560000"


def test_folders_that_are_there_stay_as_they_are(agents_box: Box) -> None:
    do(agents_box, "mkdir -p /app/src; chmod 700 /app/src; chown nobody /app /app/src; touch /app/src/kept")
    agents_box.put({"src/new": b"x"}, "/app")
    assert do(agents_box, "stat -c '%a %U' /app/src; ls /app/src; stat -c %a /tmp").split() == [
        "700",
        "nobody",
        "kept",
        "new",
        "1777",
    ]


@pytest.mark.parametrize(
    "trap",
    [
        "ln -s /etc /tests",
        "mkfifo /tests",
        "touch /tests",
        "mkdir /tests; ln -s /etc /tests/sub",
        "mkdir -p /tests/sub; ln -s /etc/passwd /tests/sub/passwd",
        "mkdir -p /tests/sub/passwd/x",
        "mkdir -p /tests/sub; mkfifo /tests/sub/passwd",
        "mkdir -p /tests/sub; ln /etc/passwd /tests/sub/passwd",
        "ln -s tests2 /tests; ln -s /etc /tests2",
        "ln -s /tests /tests",
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_what_is_put_never_goes_through_a_link_of_the_boxs_making(agents_box: Box, trap: str, packed: bool) -> None:
    before = do(agents_box, "md5sum /etc/passwd")
    do(agents_box, trap)
    files: dict[str, bytes | Path] = {"sub/passwd": b"ours"}
    if packed:
        whole = io.BytesIO()
        with tarfile.open(fileobj=whole, mode="w") as tar:
            entry = tarfile.TarInfo("sub/passwd")
            entry.size = 4
            tar.addfile(entry, io.BytesIO(b"ours"))
        agents_box.put(whole.getvalue(), "/tests")
    else:
        agents_box.put(files, "/tests")
    assert do(agents_box, "md5sum /etc/passwd") == before
    assert do(agents_box, "cat /tests/sub/passwd; stat -c %F /tests /tests/sub") == "oursdirectory\ndirectory\n"


def test_links_of_the_image_are_followed(agents_box: Box) -> None:
    assert do(agents_box, "readlink /bin").strip() == "usr/bin"
    agents_box.put({"made": b"#!/bin/sh\necho made\n"}, "/bin", mode_executable=["made"])
    assert do(agents_box, "readlink /bin; made") == "usr/bin\nmade\n"
    assert agents_box.get(["/bin/made"]).files == ("/bin/made",)
    before = do(agents_box, "md5sum /etc/passwd")
    assert do(agents_box, "readlink /var/run; rm -rf /run/*; rmdir /run; ln -s /etc /run").strip() == "/run"
    agents_box.put({"passwd": b"ours"}, "/var/run")
    assert do(agents_box, "md5sum /etc/passwd") == before
    assert do(agents_box, "cat /run/passwd; stat -c %F /run") == "oursdirectory\n"


@pytest.mark.parametrize("name", ["../out", "/abs", "a/../../out", "a\0b"])
def test_paths_that_lead_out_are_refused(agents_box: Box, name: str) -> None:
    with pytest.raises(SandboxUsageError, match="below the target"):
        agents_box.put({name: b""}, "/tests")


def test_a_link_in_a_tar_leads_no_later_member_out(agents_box: Box) -> None:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as tar:
        link = tarfile.TarInfo("a")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc"
        tar.addfile(link)
        entry = tarfile.TarInfo("a/passwd")
        entry.size = 4
        tar.addfile(entry, io.BytesIO(b"ours"))
    before = do(agents_box, "md5sum /etc/passwd")
    agents_box.put(whole.getvalue(), "/tests")
    assert do(agents_box, "md5sum /etc/passwd") == before
    assert do(agents_box, "cat /tests/a/passwd") == "ours"


def test_what_leaves_is_files_folders_and_links(agents_box: Box) -> None:
    do(
        agents_box,
        "mkdir -p /app/d/empty; cd /app; echo 1 >one; chmod 4755 one; ln -s /etc/passwd link; ln one two; mkfifo pipe;"
        "python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('sock')\"; printf x > \"$(printf 'n\\377')\"",
    )
    carried = agents_box.get(["/app", "/missing", "/app/one"])
    assert carried.files == ("/app/link", "/app/n\udcff", "/app/one", "/app/two")
    found = members(carried)
    assert sorted(found) == ["app", "app/d", "app/d/empty", "app/link", "app/n\udcff", "app/one", "app/two"]
    assert found["app/link"].linkname == "/etc/passwd"
    assert found["app/one"].mode == 0o755
    assert content(carried, "app/one") == content(carried, "app/two") == b"1\n"
    assert carried.bytes == 5


def test_a_digest_is_of_paths_modes_and_contents_alone(agents_box: Box) -> None:
    do(agents_box, "mkdir /app; echo 1 >/app/a; echo 2 >/app/b")
    first = agents_box.get(["/app"])
    do(agents_box, "touch -d 2001-01-01 /app/a; chown nobody /app/b")
    assert agents_box.get(["/app"]).digest == first.digest
    do(agents_box, "chmod +x /app/a")
    second = agents_box.get(["/app"])
    do(agents_box, "chmod -x /app/a; echo 3 >/app/a")
    third = agents_box.get(["/app"])
    assert len({first.digest, second.digest, third.digest}) == 3


def test_what_left_one_box_goes_into_another(boxes: Backend, agents_box: Box) -> None:
    do(
        agents_box,
        "mkdir -p /app/src; echo 'print(1)' >/app/src/a.py; ln -s src/a.py /app/main; echo x >/usr/local/bin/tool",
    )
    carried = agents_box.get(["/app", "/usr/local/bin/tool"], exclude=lambda path: path.endswith("/__pycache__"))
    with boxes.start(IMAGE, Limits()) as other:
        other.put(carried.tar, "/")
        assert do(other, "python3 /app/main; cat /usr/local/bin/tool") == "1\nx\n"
        assert other.get(["/app", "/usr/local/bin/tool"]).digest == carried.digest


def test_what_is_too_large_does_not_leave(agents_box: Box) -> None:
    do(
        agents_box,
        "mkdir /app /logs; head -c 3000000 /dev/zero >/app/big; truncate -s 3G /logs/holes",
    )
    with pytest.raises(TooLarge, match="1000000 bytes"):
        agents_box.get(["/app"], max_bytes=1_000_000)
    with pytest.raises(TooLarge, match="bytes"):
        agents_box.get(["/logs"])
    do(agents_box, "cd /app; for i in $(seq 100); do echo >$i; done")
    with pytest.raises(TooLarge, match="50 files"):
        agents_box.get(["/app"], max_files=50)
    assert agents_box.get(["/app"], exclude=lambda path: path == "/app/big", max_bytes=1_000).bytes == 100


@pytest.mark.parametrize("trap", ["ln -s /etc /logs", "mkdir /logs; ln -s /etc/passwd /logs/passwd", "mkfifo /logs"])
def test_what_leaves_never_comes_through_a_link_of_the_boxs_making(agents_box: Box, trap: str) -> None:
    do(agents_box, trap)
    carried = agents_box.get(["/logs/passwd"])
    assert carried.bytes == 0
    assert all(member.issym() for member in members(carried).values())


def test_what_differs_from_the_image_is_said_once(boxes: Backend) -> None:
    with boxes.start(IMAGE, Limits()) as agents_box:
        assert agents_box.changed() == []
        do(
            agents_box,
            "mkdir -p /opt/new/deep; touch /opt/new/deep/x; echo >>/etc/passwd; chmod 700 /usr/games; rm /etc/issue",
        )
        assert agents_box.changed() == ["/etc/passwd", "/opt/new"]
        carried = agents_box.get(agents_box.changed())
        assert carried.files == ("/etc/passwd", "/opt/new/deep/x")


def test_settling_ends_all_and_keeps_the_files(agents_box: Box) -> None:
    agents_box.run("cd /tmp; (while :; do date +%N >/tmp/clock; done) & setsid sleep 999 &", timeout_s=10)
    agents_box.settle()
    first = agents_box.get(["/tmp/clock"])
    assert agents_box.get(["/tmp/clock"]).digest == first.digest
    agents_box.put({"late": b"put"}, "/tmp")
    agents_box.settle()
    ran = agents_box.run("pwd; cat /tmp/late; cat /proc/[0-9]*/cmdline | tr '\\0' ' '", timeout_s=20)
    assert ran.output.startswith("/tmp\nput")
    assert "999" not in ran.output
