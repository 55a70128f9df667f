"""Images of boxes: built of a folder with a Dockerfile by the engine, once for the same bytes."""

import hashlib
import io
import os
import stat
import tarfile
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING

from rlenv.sandbox.containers.dockerfile import fetches, images, rebased
from rlenv.sandbox.errors import BoxError

if TYPE_CHECKING:
    import docker

REPOSITORY = "rlenv-box"
CONTEXT_BYTES, CONTEXT_FILES = 512 << 20, 50_000
"""How much one folder may hold: it is sent to the engine as a whole."""

LOG_CHARS = 2_000


def image_id(client: "docker.DockerClient", name: str) -> str | None:
    """The id of an image that the engine has; None where it has none of that name."""
    import docker.errors

    try:
        return str(client.images.get(name).id)
    except docker.errors.ImageNotFound:
        return None


def build(
    client: "docker.DockerClient", context: Path, base: Mapping[str, str], network: bool, timeout_s: float
) -> str:
    """Build the Dockerfile of a folder and give the image's id; `client` waits for `timeout_s` for a line of it.

    Raises `BoxError` where an image that it builds on is missing, its folder is too large, or a command of it fails.
    """
    recipe = context / "Dockerfile"
    if not recipe.is_file():
        raise BoxError(f"expected a Dockerfile in {context}, got none")
    given = recipe.read_text("utf-8")
    text = rebased(given, base)
    if not network and (addresses := fetches(text)):
        raise BoxError(f"{recipe} fetches {addresses[0]}: allow it with network=True, or put the file into the folder")
    digest = hashlib.sha256(repr((text, network)).encode())
    for name in images(text):
        found = image_id(client, name)
        if found is None and not network:
            raise BoxError(
                f"{recipe} builds on {name}, which the engine does not have: pull it, name one that it has with "
                f"base={{{name!r}: 'rlenv/agents-base:latest'}}, or allow network=True"
            )
        digest.update(f"{name} {found}\n".encode())
    with tempfile.TemporaryFile() as packed:
        _pack(context, text, packed, digest)
        tag = f"{REPOSITORY}:{digest.hexdigest()[:32]}"
        if (known := image_id(client, tag)) is not None:
            return known
        packed.seek(0)
        _ask(client, packed, tag, network, timeout_s)
    made = image_id(client, tag)
    if made is None:
        raise BoxError(f"expected the engine to have {tag} after building it, got none")
    return made


def _pack(context: Path, recipe: str, packed: IO[bytes], digest: "hashlib._Hash") -> None:
    """Put the folder into a tar, with another Dockerfile, and all that decides what is built into the digest."""
    import docker.utils

    ignore = context / ".dockerignore"
    patterns = [line.strip() for line in ignore.read_text("utf-8").splitlines()] if ignore.is_file() else []
    patterns = [pattern for pattern in patterns if pattern and not pattern.startswith("#")]
    names = sorted(docker.utils.exclude_paths(str(context), patterns))
    if len(names) > CONTEXT_FILES:
        raise BoxError(f"expected at most {CONTEXT_FILES} files in {context}, got {len(names)}; see .dockerignore")
    total = 0
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name in names:
            path = context / name
            state = path.lstat()
            if name == "Dockerfile":
                continue
            total += state.st_size if stat.S_ISREG(state.st_mode) else 0
            if total > CONTEXT_BYTES:
                raise BoxError(f"expected at most {CONTEXT_BYTES >> 20} MB in {context}, got more; see .dockerignore")
            _add(tar, path, name, state.st_mode, digest)
        entry = tarfile.TarInfo("Dockerfile")
        entry.size = len(recipe.encode())
        tar.addfile(entry, io.BytesIO(recipe.encode()))


def _add(tar: tarfile.TarFile, path: Path, name: str, mode: int, digest: "hashlib._Hash") -> None:
    entry = tarfile.TarInfo(name)
    entry.mode = stat.S_IMODE(mode)
    content = b""
    if stat.S_ISLNK(mode):
        entry.type, entry.linkname = tarfile.SYMTYPE, os.readlink(path)
    elif stat.S_ISDIR(mode):
        entry.type = tarfile.DIRTYPE
    elif stat.S_ISREG(mode):
        content = path.read_bytes()
        entry.size = len(content)
    else:
        raise BoxError(f"expected files, folders and links to build of, got {path}")
    said = (name, entry.type, entry.mode, entry.linkname, hashlib.sha256(content).hexdigest())
    digest.update(repr(said).encode())
    tar.addfile(entry, io.BytesIO(content))


def _ask(client: "docker.DockerClient", packed: IO[bytes], tag: str, network: bool, timeout_s: float) -> None:
    """Have it built, and tell what the engine says where it fails; when the stream is given up, the engine stops."""
    deadline = time.monotonic() + timeout_s
    log = ""
    lines = client.api.build(
        fileobj=packed,
        custom_context=True,
        tag=tag,
        rm=True,
        forcerm=True,
        decode=True,
        network_mode=None if network else "none",
        timeout=timeout_s,
    )
    for line in lines:
        log = (log + str(line.get("stream", "")))[-LOG_CHARS:]
        if "error" in line:
            raise BoxError(f"the image does not build: {line['error']}\n{log}")
        if time.monotonic() > deadline:
            raise BoxError(f"the image does not build within {timeout_s:.0f} s\n{log}")
