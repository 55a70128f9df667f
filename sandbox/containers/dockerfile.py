"""What a Dockerfile builds on: the images of its FROM and COPY --from, and a copy in which they are other ones."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rlenv.sandbox.errors import BoxError


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: its name in capitals, its words, and the lines it stands on (from, up to)."""

    name: str
    words: tuple[str, ...]
    first: int
    end: int


def instructions(text: str) -> Iterator[Instruction]:
    r"""The instructions of a Dockerfile, each put together from its lines.

    >>> [(i.name, i.words) for i in instructions("# hi\nFROM a \\\n# why\n AS b\nrun make")]
    [('FROM', ('a', 'AS', 'b')), ('RUN', ('make',))]
    """
    lines = text.splitlines()
    escape = _escape(lines)
    at = 0
    while at < len(lines):
        first, parts = at, list[str]()
        while at < len(lines):
            line = lines[at].strip()
            at += 1
            if not line or line.startswith("#"):
                if parts:
                    continue
                break
            parts.append(line.removesuffix(escape))
            if not line.endswith(escape):
                break
        words = " ".join(parts).split()
        if words:
            yield Instruction(words[0].upper(), tuple(words[1:]), first, at)


def _escape(lines: list[str]) -> str:
    """What continues a line: a backslash, if no directive at the top names another."""
    for line in lines:
        name, equals, value = line.lstrip("#").partition("=")
        if not line.startswith("#") or not equals:
            break
        if name.strip().lower() == "escape":
            return value.strip()
    return "\\"


def images(text: str) -> list[str]:
    """The images that are built on, in their order and once each, without the stages and `scratch`."""
    return list(dict.fromkeys(image for _, image in _places(text)))


def rebased(text: str, base: Mapping[str, str]) -> str:
    """The Dockerfile with the images that `base` names replaced by what it gives for them."""
    lines = text.splitlines()
    for instruction, image in reversed(list(_places(text))):
        if image in base:
            old, new = (
                (image, base[image]) if instruction.name == "FROM" else (f"--from={image}", f"--from={base[image]}")
            )
            words = [new if word == old else word for word in _without_platform(instruction)]
            lines[instruction.first : instruction.end] = [" ".join([instruction.name, *words])]
    return "\n".join(lines) + "\n"


def _without_platform(instruction: Instruction) -> list[str]:
    """The image that is taken instead is of this machine's platform."""
    return [word for word in instruction.words if instruction.name != "FROM" or not word.startswith("--platform=")]


def _places(text: str) -> Iterator[tuple[Instruction, str]]:
    stages: set[str] = {"scratch"}
    count = 0
    for instruction in instructions(text):
        plain = [word for word in instruction.words if not word.startswith("--")]
        if instruction.name == "FROM":
            if not plain:
                raise BoxError("expected the name of an image after FROM in the Dockerfile, got none")
            if plain[0].lower() not in stages:
                yield instruction, plain[0]
            if len(plain) == 3 and plain[1].upper() == "AS":
                stages.add(plain[2].lower())
            stages.add(str(count))
            count += 1
        elif instruction.name == "COPY":
            for word in instruction.words:
                image = word.removeprefix("--from=")
                if image != word and image.lower() not in stages:
                    yield instruction, image


def fetches(text: str) -> list[str]:
    """The addresses that ADD would fetch, which the engine does itself, whatever network the build has."""
    found = []
    for instruction in instructions(text):
        if instruction.name == "ADD":
            words = [word.strip('[]",') for word in instruction.words]
            found += [word for word in words if "://" in word or word.startswith("git@")]
    return found
