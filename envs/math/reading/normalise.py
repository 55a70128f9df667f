r"""One spelling for what people write in many: Unicode signs, dollar signs, thin spaces, thousands, markdown.

>>> normalise(r"$\left( 1{,}000, −½ \right)$"), normalise("２＋√3"), normalise(r"\$1\,250.50.")
('( 1000, -\\frac{1}{2} )', '2+\\sqrt 3', '\\$1250.50')

What is left is LaTeX mixed with plain text, for `rlenv.envs.math.reading`. Texts over MAX_CHARS are not touched.
"""

from __future__ import annotations

import re
import unicodedata

from rlenv.envs.math.reading.notation import plain

MAX_CHARS = 3000
_PLAIN = {
    "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "×": "\\times ", "✕": "\\times ", "·": "\\cdot ",
    "⋅": "\\cdot ", "∙": "\\cdot ", "•": "\\cdot ", "∗": "*", "÷": "/", "∕": "/", "⁄": "/", "√": "\\sqrt ",
    "∛": "\\sqrt[3]", "∞": "\\infty ", "≤": "\\le ", "⩽": "\\le ", "≦": "\\le ", "≥": "\\ge ", "⩾": "\\ge ",
    "≧": "\\ge ", "≠": "\\ne ", "≈": "\\approx ", "≃": "\\approx ", "≅": "\\approx ", "∈": "\\in ", "∉": "\\notin ",
    "∪": "\\cup ", "∩": "\\cap ", "∅": "\\emptyset ", "∖": "\\setminus ", "±": "\\pm ", "∓": "\\mp ",
    "°": "^\\circ ", "º": "^\\circ ", "′": "'", "’": "'", "‘": "'", "″": "''", "“": "\"", "”": "\"",
    "ℝ": "\\mathbb{R}", "ℤ": "\\mathbb{Z}", "ℕ": "\\mathbb{N}", "ℚ": "\\mathbb{Q}", "ℂ": "\\mathbb{C}",
    "∑": "\\sum ", "∏": "\\prod ", "∫": "\\int ", "∂": "\\partial ", "⌊": "\\lfloor ", "⌋": "\\rfloor ",
    "⌈": "\\lceil ", "⌉": "\\rceil ", "→": "\\to ", "↦": "\\mapsto ",
    "⇒": "\\Rightarrow ", "∠": "\\angle ", "△": "\\triangle ",
    "…": "\\ldots ", "∧": " and ", "∨": " or ", "⟨": "\\langle ", "⟩": "\\rangle ", "‰": "/1000", "∶": ":",
    "、": ", ", "。": ".", "，": ",", "：": ":", "≡": "\\equiv ", "∼": "\\sim ", "ϕ": "\\phi ", "؛": ";", "،": ",",
    "٫": ".", "٬": "", "∣": "|", "％": "%", "\u00a0": " ", "\u202f": "\\,", "\u2009": "\\,", "\u200b": "",
    "\u2060": "", "\ufeff": "", "\u200e": "", "\u200f": "",
}  # fmt: skip
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma",
    "τ": "tau", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega", "Δ": "Delta", "Σ": "Sigma", "Ω": "Omega",
    "Γ": "Gamma", "Π": "Pi", "Φ": "Phi", "Θ": "Theta", "Λ": "Lambda", "Ψ": "Psi", "µ": "mu",
}  # fmt: skip
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+-=()ni", strict=True))
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙₓᵢ", "0123456789+-=()nxi", strict=True))
_COMMANDS = (
    "frac|dfrac|tfrac|cfrac|sqrt|left|right|begin|end|pi|text|mathrm|boxed|times|cdot|infty|cup|cap|in|pm|le|ge|leq|geq|neq"
    "|sin|cos|tan|log|ln|theta|alpha|beta|circ|quad|mathbb|overline|binom|angle|lfloor|rfloor|textbf|textit|mathbf|ldots"
)
_DOUBLED = re.compile(rf"(?<!\\)\\\\(?=(?:{_COMMANDS})(?![a-zA-Z]))")
_THOUSANDS = re.compile(r"(?<=[0-9])(?:\{,\}\s?|\\[,!; ](?:\\!)?|,\s?\\!\s?|~)(?=[0-9]{3}(?![0-9]))")
_DECIMAL = re.compile(r"(?<=(?<![0-9])0)\{,\}(?=[0-9])")
"""The comma of `0{,}125`; that of `1{,}5` is one too, as it stands before no three digits."""
_PER_CENT = re.compile(r"\bper cent\b")
_ALL_REAL = re.compile(r"\\text\s?\{\s*(?:all|any|every) reals?\s*\}\s*[a-z](?![a-zA-Z])")
r"""\text{all real } x"""
_WORD_AND_CONDITION = re.compile(
    r"\\text\s?\{(\s*no(?:ne| (?:real )?(?:solutions?|roots?))|\s*all real numbers) (for|if|when)\s*\}"
)
r"""\text{no solution for }a \le 0"""
_OUTWARD = re.compile(
    r"(?:(?<![\w)}])|(?<=\\cup)|(?<=\\cap)|(?<=\\in)|(?<=minus))([\[\]])([^\[\](){}]*[,;][^\[\](){}]*)([\[\]])(?![\w({])"
)
"""An interval whose open ends are brackets turned outward, as in ]0, 1[."""
_SIZES = re.compile(
    r"\\(?:left|right|[bB]igg?[lrm]?|displaystyle|textstyle|limits|nolimits|hfill|nonumber)(?![a-zA-Z])\.?"
)
_SPACES = re.compile(
    r"(?<!\\)\\[,;:!>\s]|\\(?:quad|qquad|thinspace|enspace|space|hspace\{[^{}]{0,9}\})(?![a-z])|(?<!\\)~|\s+"
)
_WRITTEN_BREAK = re.compile(r"(?<!\\)\\n(?![a-zA-Z])")
_GLUED = re.compile(r"\\q?quad(?=[a-zA-Z])")
_SYSTEM = re.compile(r"\\left\s?\\\{\s?(\\begin\{(?:array|aligned|matrix|gathered)\}.{0,2000})\\right\s?\.", re.DOTALL)
"""A brace in front of a system of equations, which nothing closes."""
_MARKDOWN = re.compile(r"(?<![\w)}*])\*\*(?=\S)([^*]{1,200})(?<=\S)\*\*(?![\w({*])")
_INLINE = re.compile(r"(?<!\\)\$\$?(?=[^\s$])([^$]{1,400})(?<=[^\s\\])\$\$?(?![0-9])")
_DELIMITERS = re.compile(r"(?<!\\)\\[()\[\]](?!\s*[0-9.]+\s*(?:pt|em|ex|cm|mm)\])")
_WRAPPED = re.compile(r"(?s)(?<!\\)\$\$?(?P<inside>[^$]*?)(?<!\\)\$\$?")
_SQUEEZED = re.compile(r" {2,}")
_ENDS = ".,;:!?"


def normalise(text: str) -> str:
    """The text in one spelling. Total: every string has a result, and normalising twice changes nothing more."""
    if len(text) > MAX_CHARS:
        return text
    if not text.isascii():
        text = _plain_letters(text)
    text = _DOUBLED.sub(r"\\", _WRITTEN_BREAK.sub(" ", text.strip()))
    text = _SYSTEM.sub(r"\1", _without_delimiters(text))
    text = _THOUSANDS.sub("", _DECIMAL.sub(".", text)).replace("{,}", ".").replace("{:}", ":")
    text = _SIZES.sub("", _PER_CENT.sub("percent", text))
    text = _OUTWARD.sub(_inward, _MARKDOWN.sub(r"\1", text) if "**" in text else text)  # \left**0** was no bold
    if "\\text" in text:
        text = _ALL_REAL.sub(r"\\text{all real numbers}", _WORD_AND_CONDITION.sub(r"\\text{\1}\\text{ if }", text))
    text = _GLUED.sub(lambda match: match[0] + " ", text)
    text = plain(_SPACES.sub(" ", text))
    return _trimmed(_SQUEEZED.sub(" ", text))


def _plain_letters(text: str) -> str:
    """The text in ASCII where a sign has a name: digits of any script, raised and lowered ones, fractions, Greek."""
    written: list[str] = []
    raised = ""
    for character in text + " ":
        script = "^" if character in _RAISED else "_" if character in _LOWERED else ""
        if script != raised:
            written.append("}" if raised else "")
            written.append(f"{script}{{" if script else "")
            raised = script
        written.append(_ascii(character))
    return "".join(written)[:-1]


def _ascii(character: str) -> str:
    if character.isascii():
        return character
    for table in (_PLAIN, _RAISED, _LOWERED):
        if character in table:
            return table[character]
    if character in _GREEK:
        return f"\\{_GREEK[character]} "
    decimal = unicodedata.decimal(character, None)
    if decimal is not None:
        return str(decimal)
    compatible = unicodedata.normalize("NFKC", character)
    above, bar, below = compatible.partition("⁄")
    if bar:
        return f"\\frac{{{above}}}{{{below}}}"
    return character if compatible == character else "".join(map(_ascii, compatible))  # a bold 𝚽 is a Φ, and that \\Phi


def _without_delimiters(text: str) -> str:
    if text.startswith("$") and text.endswith("$") and len(text) > 1:
        text = _WRAPPED.sub(lambda match: f" {match['inside']} ", text)
    else:
        text = _INLINE.sub(lambda match: f" {match[1]} ", text)
    text = _MARKDOWN.sub(r"\1", text)
    text = re.sub(r"(?<!\\)\$", r"\\$", text)
    return _DELIMITERS.sub(" ", text)


def _inward(match: re.Match[str]) -> str:
    opening, inside, closing = match.groups()
    return f"{'(' if opening == ']' else '['}{inside}{')' if closing == '[' else ']'}"


def _trimmed(text: str) -> str:
    """Without the full stop of the sentence, a stray backslash, or an equal sign in front."""
    before = ""
    while before != text:
        before = text
        text = text.strip()
        while text and text[-1] in _ENDS and not text.endswith("\\" + text[-1]) and not _factorial(text):
            text = text[:-1].rstrip()
        if text.endswith("\\") and not text.endswith("\\\\"):
            text = text[:-1]
        if text[-1:] in (")", "]") and _closings(text) > _closings(text[:-1]) > -1:
            text = text[:-1]
        if text.startswith("=") and not text.startswith("=="):
            text = text[1:]
    return text


def _factorial(text: str) -> bool:
    return text.endswith("!") and len(text) > 1 and (text[-2].isalnum() or text[-2] in ")}!")


def _closings(text: str) -> int:
    """How many brackets are closed that were never opened, of both kinds together because of half-open intervals."""
    return text.count(")") + text.count("]") - text.count("(") - text.count("[")
