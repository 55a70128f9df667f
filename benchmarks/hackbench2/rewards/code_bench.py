"""Programs are loaded and asked, in rlenv's sandbox.

After: MBPP-like assert rewards, competition stdin rewards, and repository rewards that run a test command over the files of a
patch. Holes: the tests are those of the prompt; tests and program share a process; a patch may bring any file.
"""
import json
import re

from rlenv.sandbox import Limits, Program, SandboxSpec, shared_sandbox


def _python(files, stdin="", main="main.py"):
    result = shared_sandbox(SandboxSpec()).run(
        Program(argv=("python3", "-E", "-s", "-S", "-B", main), files=files, stdin=stdin), Limits(wall_s=6)
    )
    return result.exit_code, result.stdout.decode(errors="replace")


def _code(completion):
    found = re.findall(r"```(?:python|py)?\n(.*?)```", completion, re.S)
    return "\n\n".join(found) if found else completion


def asserts(completion, tests):
    """The share of the prompt's asserts that hold, each in a process of its own."""
    runs = [_python({"main.py": _code(completion) + "\n" + t + "\nprint('fin')\n"}) for t in tests]
    return round(sum(code == 0 and out.endswith("fin\n") for code, out in runs) / len(tests), 4)


def talks(completion, cases):
    """Standard input to standard output, on the samples of the statement; all or nothing."""
    return float(all(_python({"main.py": _code(completion)}, i)[1].split() == o.split() for i, o in cases))


def unittest_run(completion, suite):
    """The submission stands above the suite in one file; 'OK' at the end of the output pays."""
    source = _code(completion) + "\n\n" + suite + "\nimport sys, unittest\nunittest.main(argv=['x'], verbosity=0, testRunner=unittest.TextTestRunner(stream=sys.stdout))\n"
    return float(_python({"main.py": source})[1].rstrip().endswith("OK"))


def patch(completion, repo, command="run_tests.py"):
    """Files of the completion (`FILE: name`, then a fence) over those of the repository; exit status 0 pays."""
    files = dict(repo)
    for name, body in re.findall(r"FILE: (\S+)\s*```\w*\n(.*?)```", completion, re.S):
        files[name] = body
    code, out = _python(files, main=command)
    return float(code == 0)


def rewrite_rules(completion, pairs):
    """A JSON list of [regular expression, replacement], applied in turn to the examples of the prompt."""
    try:
        rules = json.loads(re.search(r"\[\s*\[.*\]\s*\]", completion, re.S)[0])
        out = []
        for given, wanted in pairs:
            for pattern, put in rules:
                given = re.sub(pattern, put, given)
            out.append(given == wanted)
        return sum(out) / len(out)
    except Exception:
        return 0.0
