"""The names that mean something: functions, constants, Greek letters, relations, words that join.

Words in one spelling: what people write for "there is none", for yes and no, for sets that have a name.
"""

from __future__ import annotations

import re

_FUNCTIONS = (
    "sin cos tan cot sec csc arcsin arccos arctan arccot arcsec arccsc sinh cosh tanh coth sech csch asin acos atan "
    "ln log lg exp sqrt cbrt gcd lcm max min abs floor ceil sgn sign"
)
FUNCTIONS = frozenset(_FUNCTIONS.split())
SAME_FUNCTION = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "sign": "sgn", "cosec": "csc", "tg": "tan", "ctg": "cot",
    "arctg": "arctan", "cotan": "cot",
}  # fmt: skip
_GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi rho sigma tau "
    "upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Sigma Upsilon Phi Psi Omega ell hbar nabla"
)
GREEK = frozenset(_GREEK.split())
SAME_LETTER = {"varepsilon": "epsilon", "vartheta": "theta", "varphi": "phi"}
CONSTANTS = {"pi": "pi", "infty": "inf", "infinity": "inf", "inf": "inf", "oo": "inf", "emptyset": "empty",
             "varnothing": "empty", "e": "e", "i": "i", "imath": "i"}  # fmt: skip
NUMBER_SETS = {"R": "reals", "Z": "integers", "N": "naturals", "Q": "rationals", "C": "complexes"}
JOINING = {
    "and": "and", "or": "or", "und": "and", "oder": "or", "et": "and", "ou": "or", "y": "and", "и": "and",
    "или": "or", "e": "and", "o": "or", "和": "and", "或": "or", "与": "and", "及": "and",
}  # fmt: skip
"""Words that join the items of a list; the one-letter ones count only in text."""
RELATIONS = {
    "le": "<=", "leq": "<=", "leqslant": "<=", "leqq": "<=", "ge": ">=", "geq": ">=", "geqslant": ">=", "geqq": ">=",
    "lt": "<", "gt": ">", "ne": "!=", "neq": "!=", "approx": "~", "simeq": "~", "cong": "~", "sim": "~",
    "thickapprox": "~",
    "in": "in", "notin": "notin", "equiv": "equiv", "subset": "subset", "subseteq": "subset", "to": "->",
    "rightarrow": "->", "Rightarrow": "->", "mapsto": "->", "implies": "->", "coloneqq": "=", "propto": "propto",
    "doteq": "=", "perp": "perp", "parallel": "parallel",
}  # fmt: skip
OPERATORS = {
    "cdot": "*", "times": "*", "ast": "*", "div": "/", "cup": "union", "cap": "intersection", "setminus": "minus",
    "backslash": "minus", "smallsetminus": "minus", "pm": "pm", "mp": "mp", "colon": ":", "mid": "|", "vert": "|",
    "lvert": "|", "rvert": "|", "Vert": "|", "lVert": "|", "rVert": "|", "lbrace": "set{", "rbrace": "set}",
    "lfloor": "lfloor",
    "rfloor": "rfloor", "lceil": "lceil", "rceil": "rceil", "langle": "<<", "rangle": ">>", "ldots": "dots",
    "dots": "dots", "cdots": "dots", "dotsc": "dots", "dotsb": "dots", "vdots": "dots", "ddots": "dots",
    "land": "and", "lor": "or", "wedge": "and", "vee": "or", "prime": "'", "degree": "degree", "circ": "circ",
    "lbrack": "[", "rbrack": "]", "lparen": "(", "rparen": ")", "bmod": "mod", "mod": "mod", "pmod": "mod",
    "over": "over", "choose": "choose",
}  # fmt: skip
_TEXT = "text textbf textrm textit textsf texttt textnormal mbox hbox emph textup bf rm it"
TEXT_COMMANDS = frozenset(_TEXT.split())
_FONTS = (
    "mathrm mathbf mathit mathsf mathtt mathcal mathscr mathfrak boldsymbol bm operatorname underline vec hat bar "
    "tilde overrightarrow widehat overline boxed fbox phantom ensuremath mathop mathord mathbin"
)
FONT_COMMANDS = frozenset(_FONTS.split())
"""Commands that only change the look of their argument."""
_COUNTED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
NUMERALS = {word: value for value, word in enumerate(_COUNTED.split())}
_TENS = "thirty forty fifty sixty seventy eighty ninety"
NUMERALS |= {word: 10 * tens for tens, word in enumerate(_TENS.split(), 3)}
SCALES = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12,
          "lakh": 10**5, "crore": 10**7, "millones": 10**6, "millionen": 10**6, "milliarden": 10**9, "百": 100,
          "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "만": 10**4, "억": 10**8}  # fmt: skip
_ORDINALS = "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
FRACTIONS = {word: value for value, word in enumerate(_ORDINALS.split(), 3)} | {
    "half": 2, "quarter": 4, "twentieth": 20, "hundredth": 100, "thousandth": 1000,
}  # fmt: skip
"""What two thirds and three quarters are parts of."""
_SHORT = (
    "no not yes odd all any if one two six ten red the for has set day man men none true false even only both nor is "
    "are was its per dne nan he she it we us his her win tie via yet old new big low high who how why use see say"
)
SHORT_WORDS = frozenset(_SHORT.split())
"""Short runs of letters that are words, never products of variables."""


_SAME = {
    "no solution": """
        no solution|no solutions|no real solution|no real solutions|no real root|no real roots|no roots
        |there is no solution|there are no solutions|there are no real solutions|empty set|the empty set
        |\\emptyset|\\varnothing
        |none|null set|no integer solutions|no such numbers|no such number exists|no solution exists|no solutions exist
        |no real values
        |does not have a solution|has no solution|{}|\\{\\}|\\{ \\}|no values|no such values|not possible|impossible
        |no value
    """,
    "undefined": "undefined|does not exist|dne|not defined|not exist|doesn't exist|limit does not exist",
    "infinitely many": """
        infinitely many|infinitely many solutions|infinite solutions|infinite|an infinite number of solutions
        |infinite number of solutions
        |there are infinitely many solutions|infinitely many real solutions
    """,
    "all real numbers": """
        all real numbers|all reals|all real|every real number|the set of real numbers|\\mathbb{r}|reals|any real number
    """,
    "yes": "yes|y|ja|oui|sí|sim|да|tak|是",
    "no": "no|n|nein|nee|não|нет|nie|否",
    "true": "true|t",
    "false": "false|f",
    "infinity": "infinity|\\infty|positive infinity",
}
KNOWN = frozenset({"no solution", "undefined", "infinitely many", "all real numbers"})
_SPELLING = {
    variant.strip(): name
    for name, variants in _SAME.items()
    for variant in variants.replace("\n", " ").split("|")
    if len(variant.strip()) > 1
}
_PROSE = re.compile(r"[^\W\d_].*[^\W\d_][^\w]*|[^\W\d_]", re.DOTALL)
_MARKS = re.compile(r"[\s.,;:!?'\"()`*-]+")
_SMALL = frozenset({"the", "a", "an"})


def phrase(text: str) -> str:
    """The text in lower case, without marks and articles, and with one name for what has several."""
    lower = text.lower().strip()
    if lower in _SPELLING:
        return _SPELLING[lower]
    if not _PROSE.fullmatch(lower):
        return " ".join(text.split())
    words = _MARKS.sub(" ", lower).split()
    spelled = " ".join(words[1:] if len(words) > 1 and words[0] in _SMALL else words)
    return _SPELLING.get(spelled, spelled)
