"""Reads from JUnit's file which tests passed: 1 where all that are named did. It runs in the box of the tests."""

import ast
import json
import pathlib
import sys
import xml.etree.ElementTree

BAD = ("failure", "error")


def outcomes(path: pathlib.Path) -> dict[str, bool]:
    """For each test, by pytest's id, whether it passed each time; what was expected to fail and did has passed."""
    found: dict[str, bool] = {}
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        file = case.get("file") or ""
        inside = (case.get("classname") or "")[len(file.removesuffix(".py")) :].strip(".")
        test = "::".join([file, *filter(None, inside.split(".")), case.get("name") or ""])
        skips = [skipped for skipped in case.iter("skipped") if skipped.get("type") != "pytest.xfail"]
        bad = bool(skips) or any(case.find(name) is not None for name in BAD)
        found[test] = found.get(test, True) and not bad
    return found


def main(place: str, files: list[str]) -> None:
    """Write the reward of the tests in these files."""
    tests = pathlib.Path(__file__).parent
    named = json.loads((tests / "names.json").read_text())
    body = ast.parse((tests / "more" / "test_more.py").read_text()).body
    more = [node.name for node in body if isinstance(node, ast.FunctionDef)]
    more = [f"{file}::{name}" for file in files for name in more]  # they are at the end of each file
    try:
        found = outcomes(pathlib.Path(place, "junit.xml"))
    except (OSError, xml.etree.ElementTree.ParseError) as error:
        sys.exit(f"no outcomes: {error}")
    shares = {key: sum(found.get(test, False) for test in asked) / len(asked) for key, asked in named.items() if asked}
    missing = [test for asked in named.values() for test in asked if not found.get(test, False)]
    missing += [test for test in more if not found.get(test, True)]  # a file that says nothing of them is forged
    print("not passed:", *missing[:20])
    pathlib.Path(place, "reward.json").write_text(json.dumps({"reward": 0.0 if missing else 1.0, **shares}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
