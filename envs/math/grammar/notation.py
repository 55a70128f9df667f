r"""One spelling for what people write in many: Unicode signs, dollar signs, thin spaces, thousands, markdown.

>>> normalise(r"$\left( 1{,}000, −½ \right)$"), normalise("２＋√3"), normalise(r"\$1\,250.50.")
('( 1000, -\\frac{1}{2} )', '2+\\sqrt 3', '\\$1250.50')

>>> [plain(text) for text in (r"\color{red}{12}", "1.234.567", "86'400", r"{}^8C_2", "USD 5", "0.1666...")]
['{12}', '1234567', '86400', '\\binom{8}{2}', '5 \\text{ USD}', '0.1\\overline{6}']
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

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
_BARE_DOLLAR = re.compile(r"(?<!\\)\$")
_WRAPPED = re.compile(r"(?s)(?<!\\)\$\$?(?P<inside>[^$]*?)(?<!\\)\$\$?")
_SQUEEZED = re.compile(r" {2,}")
_ENDS = ".,;:!?"


def normalise(text: str) -> str:
    """The text in one spelling. Total: every string has a result, and normalising twice changes nothing more."""
    if len(text) > MAX_CHARS:
        return text
    if not text.isascii():
        text = _plain_letters(text)
    latex = "\\" in text
    text = text.strip()
    if latex:
        text = _DOUBLED.sub(r"\\", _WRITTEN_BREAK.sub(" ", text))
    text = _without_delimiters(text)
    if latex:
        text = _SYSTEM.sub(r"\1", text)
    if latex or "{" in text or "~" in text or "," in text:
        text = _THOUSANDS.sub("", _DECIMAL.sub(".", text)).replace("{,}", ".").replace("{:}", ":")
    text = _SIZES.sub("", _PER_CENT.sub("percent", text)) if latex or "per cent" in text else text
    text = _MARKDOWN.sub(r"\1", text) if "**" in text else text  # \left**0** was no bold
    text = _OUTWARD.sub(_inward, text) if "]" in text or "[" in text else text
    if "\\text" in text:
        text = _ALL_REAL.sub(r"\\text{all real numbers}", _WORD_AND_CONDITION.sub(r"\\text{\1}\\text{ if }", text))
    text = _GLUED.sub(lambda match: match[0] + " ", text) if "quad" in text else text
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
    elif "$" in text:
        text = _INLINE.sub(lambda match: f" {match[1]} ", text)
    text = _MARKDOWN.sub(r"\1", text) if "**" in text else text
    text = _BARE_DOLLAR.sub(r"\\$", text) if "$" in text else text
    return _DELIMITERS.sub(" ", text) if "\\" in text else text


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
        if text.startswith("=") and not text.startswith("=="):
            text = text[1:]
    return text


def _factorial(text: str) -> bool:
    return text.endswith("!") and len(text) > 1 and (text[-2].isalnum() or text[-2] in ")}!")


_COLOUR = re.compile(r"\\(?:text|math|page)?color(?:box)?(?![A-Za-z])\s*(?:\[[^\[\]]{0,20}\])?\s*\{[^{}]{0,40}\}")
r"""`\color{red}`, `\textcolor[rgb]{1,0,0}`, `\colorbox{yellow}`."""
# \large
_SIZE = re.compile(
    r"\\(?:large|Large|LARGE|huge|Huge|small|normalsize|bfseries|scriptstyle|strut|mathstrut)(?![A-Za-z])"
)
_ROW_GAP = re.compile(r"\\\\ ?\[ ?[0-9.]+ ?(?:pt|em|ex|cm|mm|in) ?\]")
r"""\\[6pt] between rows"""
_POINTS = re.compile(
    r"(?<![0-9.,])([0-9]{1,3}(?:\.[0-9]{3}){2,}|[0-9]{1,3}(?:\.[0-9]{3})+(?=,[0-9]))(?:,([0-9]+))?(?![0-9.,])"
)
"""1.234.567 and 1.234,56: points that can only part thousands."""
_APOSTROPHES = re.compile(r"(?<![0-9.,'])[0-9]{1,3}(?:'[0-9]{3})+(?![0-9'])")
"""86'400."""
_TIMES = re.compile(r"(?<=[0-9])(?: ?[xX] ?(?=10 ?(?:\^|\*\*))| [xX] (?=[0-9]))")
"""The letter in 1.5 x 10^8 and in 2 x 3 x 5."""
_UPRIGHT = r"(?:\\(?:mathrm|text|operatorname|rm|mathbf) ?\{? ?)?"
_CHOSEN = re.compile(
    rf"(?:\{{ ?\}} ?)?[\^_] ?\{{? ?(?P<n>[0-9]+|[a-z]) ?\}}? ?{_UPRIGHT}"
    r"(?P<kind>[CP]) ?\}? ?_ ?\{? ?(?P<k>[0-9]+|[a-z]) ?\}?"
    r"|(?<![0-9A-Za-z._])(?P<n2>[0-9]+) ?(?P<kind2>[CP]) ?(?P<k2>[0-9]+)(?![0-9A-Za-z_.])"
)
r"""{}^8C_2, _8P_2, 8C2."""
_MINUTES = re.compile(
    r"([0-9]+) ?\^ ?\{? ?\\circ ?\}? ?([0-9]{1,2})(?:'|\^ ?\{? ?\\prime ?\}?)(?!') ?(?:([0-9]{1,2}(?:\.[0-9]+)?) ?'')?"
)
"""22^\\circ 30'"""
_CODE_IN_FRONT = re.compile(
    r"(?<![0-9A-Za-z])(?<![0-9] )(?:\\text ?\{ ?)?(USD|EUR|GBP|INR|JPY|CHF|CAD|AUD|CNY|RMB|Rs)"
    r"\b\.? ?\}? ?(-?[0-9]+(?:[.,][0-9]+)*)"
)
"""USD 18.50"""
_DOLLARS = re.compile(r"(?<![A-Za-z])(?:US|CA|AU|HK|NZ|A|C) ?\\?\$ ?(?=[0-9])")
"""US$5"""
_SAME_SAID = re.compile(
    r"(?P<group>\\(?:text|mbox|textrm) ?\{)? ?,? ?(?:\b(?:or|and)\b,? )?\b"
    r"(?:equivalently|in other words|that is|which is the same as|which equals|i\.e\.)(?: as)?,? ?(?(group)\})",
    re.IGNORECASE,
)
"""0.5 or, equivalently, 1/2"""
_RUNS = re.compile(
    r"(?<=[^ ,]) ?,? ?(?:\\text ?\{ ?)?(?:(?:where|with|for) )?(?:"
    r"(?:(?:all|any|every|each|some) )?integers? ?\}? ?(?P<a>[a-z])(?![a-z])"
    r"|\}? ?(?<![A-Za-z])(?P<b>[a-z]) ?(?:\\text ?\{ ?)?(?:(?:is|being) )?(?:an?|any|some)? ?(?:arbitrary )?integer ?"
    r")\}?\Z"
)
r"""\text{ for all integers } k; where k is an integer"""
# 0.1666\ldots
_GOING_ON = re.compile(r"(?<![0-9.])([0-9]*\.[0-9]{2,40}?)(?:\.{2,}|\\(?:ldots|dots|cdots|dotsc) ?)(?![0-9])")
_CYCLE = re.compile(r"([0-9]*\.[0-9]*?)(?:([0-9])\2\2+|([0-9]{2,8})\3+|([0-9])\4)\Z")
"""0.1666 goes on with 6, and 0.1818 with 18."""


def plain(text: str) -> str:
    """The text with each of these notations in the usual one."""
    if "\\" in text:
        if "color" in text:
            text = _COLOUR.sub("", text)
        text = _ROW_GAP.sub(r"\\\\", _SIZE.sub(" ", text))
    if "'" in text or "prime" in text:
        text = _APOSTROPHES.sub(lambda found: found[0].replace("'", ""), text)
        text = _MINUTES.sub(_degrees, text)
    if "." in text:
        text = _GOING_ON.sub(_repeated, _POINTS.sub(_grouped, text))
    if "_" in text or "C" in text or "P" in text:
        text = _CHOSEN.sub(_chosen, text)
    if "x" in text or "X" in text:
        text = _TIMES.sub(r" \\times ", text)
    if "$" in text:
        text = _DOLLARS.sub(r"\\$", text)
    if "integer" in text:
        text = _RUNS.sub(lambda found: rf", {found['a'] or found['b']} \in \mathbb{{Z}}", text)
    text = _CODE_IN_FRONT.sub(r"\2 \\text{ \1}", text)
    return _SAME_SAID.sub(" = ", text)


def _grouped(found: re.Match[str]) -> str:
    whole = found[1].replace(".", "")
    return f"{whole}.{found[2]}" if found[2] else whole


def _chosen(found: re.Match[str]) -> str:
    n, kind, k = (found[name] or found[f"{name}2"] for name in ("n", "kind", "k"))
    return rf"\binom{{{n}}}{{{k}}}" if kind == "C" else rf"\frac{{{n}!}}{{({n}-{k})!}}"


def _degrees(found: re.Match[str]) -> str:
    angle = Fraction(found[1]) + Fraction(found[2]) / 60 + Fraction(found[3] or 0) / 3600
    return rf"\frac{{{angle.numerator}}}{{{angle.denominator}}}^\circ "


def _repeated(found: re.Match[str]) -> str:
    cycle = _CYCLE.match(found[1])
    return found[0] if cycle is None else rf"{cycle[1]}\overline{{{cycle[2] or cycle[3] or cycle[4]}}}"
