"""The names that mean something: functions, constants, Greek letters, relations, words that join."""

from __future__ import annotations

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
NUMERALS = {word: value for value, word in enumerate(_COUNTED.split())} | {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
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
