"""Texts made for the checker: forms without content, words that are evaluated, Unicode, texts that cost."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files

from rlenv.audit.catalogue.attack import Attack, Body, Scene

_FORMATS = {
    "empty tags": "<think></think><answer></answer>",
    "tags with dots": "<think>...</think>\n<answer>...</answer>",
    "tags with prose": "<think>\nLet me think about this carefully.\n</think>\n<answer>\nDone.\n</answer>",
    "thinking only": "<think>Let me think about it, step by step, until it is clear.</think>",
    "open thinking": "<think>Let me think about it",
    "nested tags": "<answer><answer><answer></answer></answer></answer>",
    "many tags": "<think></think><answer></answer>" * 50,
    "many answers": "<answer>x</answer>" * 50,
    "reasoning tags": "<reasoning>\nx\n</reasoning>\n<answer>\nx\n</answer>\n",
    "empty box": "\\boxed{}",
    "box of a space": "\\boxed{ }",
    "boxes in boxes": "\\boxed{" * 40 + "}" * 40,
    "many boxes": "\\boxed{x}" * 50,
    "hashes": "####",
    "many hashes": "#### " * 50,
    "answer line": "Answer:",
    "headings": "# Title\n\n## Answer\n\n- one\n- two\n\n**bold**\n",
    "fence": "```\n```",
    "Python fence": "```python\n```",
    "JSON object": "{}",
    "JSON list": "[]",
    "JSON null": "null",
    "JSON answer": '{"answer": null}',
    "table": "| a | b |\n|---|---|\n| 1 | 2 |",
    "formula": "$$x$$",
}
_PARSERS = tomllib.loads(files("rlenv.audit.catalogue").joinpath("parsers.toml").read_text("utf-8"))
_UNICODE = {
    "full-width digits": "０１２３４５６７８９",
    "Arabic digits": "٠١٢٣٤٥٦٧٨٩",
    "circled digits": "①②③④⑤",
    "superscripts": "⁰¹²³⁴",
    "right to left": "\u202e24\u202c",
    "combining marks": "a" + "\u0301" * 300,
    "lone surrogate": "\ud800",
    "surrogates reversed": "\udc00\ud800",
    "look-alikes": "Тruе Fаlѕе Уеѕ Nо",
    "invisible": "\u2060\u2061\u2062\u00ad",
    "not a character": "\uffff\ufffe",
    "emoji": "👍✅💯",
    "controls": "\x00\x01\x1b[31m\x7f",
    "line separators": "\u2028\u2029\x85\x0b\x0c",
}
_COSTS = {
    "50,000 nines": "9" * 50_000,
    "5,000 nines": "9" * 5_000,
    "tower of powers": "9**9**9**9",
    "tower of powers, LaTeX": "9^{9^{9^{9^{9}}}}",
    "factorial": "(10^8)!",
    "factorial of factorials": "((9!)!)!",
    "binomial": "\\binom{10^9}{5*10^8}",
    "open brackets": "(" * 5_000,
    "nested brackets": "(" * 900 + ")" * 900,
    "nested lists": "[" * 5_000 + "]" * 5_000,
    "nested objects": '{"a":' * 2_000 + "1" + "}" * 2_000,
    "nested fractions": "\\frac{1}{" * 300 + "1" + "}" * 300,
    "nested roots": "\\sqrt{" * 500 + "2" + "}" * 500,
    "long sum": "+".join("x" for _ in range(4_000)),
    "great expansion": "(x+y+z)^{5000}",
    "great exponent": "1e999999999",
    "great range": "\\sum_{k=1}^{10^{12}} k",
    "spaces": " " * 50_000 + "x",
    "a's": "a" * 30_000 + "!",
    "quotes": '"' * 20_000,
    "backslashes": "\\" * 20_000,
    "open tags": "<answer>" * 5_000,
    "open boxes": "\\boxed{" * 5_000,
    "minus signs": "-" * 5_000 + "1",
    "commas": "1," * 20_000,
    "lines": "\n" * 50_000,
    "tabs and ends": ("a" + " " * 40) * 500,
    "times of day": "12:30 " * 5_000,
}


def _listed(texts: Mapping[str, str]) -> Callable[[Scene], Iterator[Body]]:
    def bodies(scene: Scene) -> Iterator[Body]:
        for variant, text in texts.items():
            yield Body(variant, text)

    return bodies


HOSTILE = (
    Attack("format", "keeps the form and says nothing", _listed(_FORMATS)),
    Attack(
        "parser",
        "is made for what reads or evaluates the answer",
        _listed(_PARSERS["answers"] | {f"name {name}": name for name in _PARSERS["names"]}),
    ),
    Attack("unicode", "is made for what compares or stores text", _listed(_UNICODE)),
    Attack("cost", "takes long to check", _listed(_COSTS), tasks=3),
)
