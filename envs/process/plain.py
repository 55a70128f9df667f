r"""Mathematics as people type it, brought to one plain spelling before it is cut into tokens.

>>> plain(r"\[ \frac{1}{2} \times \$1,200 = \text{half} \]")
' ;  ((1)/(2)) * $1,200 =  half   ; '
>>> plain("3 x 4 ÷ 2"), plain("- 5 eggs\n- 6 eggs")
('3 * 4 / 2', ' ; ; 5 eggs ; ; 6 eggs')

What ends a formula (a line, a display, a row) becomes a semicolon. Every rewriting takes linear time.
"""

from __future__ import annotations

import re

_DECIMAL_COMMA = re.compile(r"(?<![0-9.,])([0-9]{1,9}),([0-9]{1,2})(?![0-9,.])")
"""2,40 €: what parts no thousands."""
_BULLET = re.compile(r"(?:^|\n)[ \t]*(?:[-*•–]|#{1,6})[ \t]+")
_FRACTION = re.compile(r"\\[dtc]?frac *\{([^{}]{0,200})\} *\{([^{}]{0,200})\}")
_MIXED = re.compile(r"(?<=[0-9]) ?\\[dtc]?frac *\{([0-9]{1,6})\} *\{([0-9]{1,6})\}")
_SHORT_FRACTION = re.compile(r"\\[dtc]?frac *([0-9]) *([0-9])")
_WORDS = re.compile(r"\\(?:text|mbox|textrm|textbf|textit|mathrm|mathbf|boxed|fbox|operatorname) *\{([^{}]{0,400})\}")
_BREAKS = re.compile(r"\\\[|\\\]|\\\\|\\begin *\{[a-z*]{1,12}\}|\\end *\{[a-z*]{1,12}\}|\$\$|\\\) *(?=\\\()|\n")
_TIMES = re.compile(r"(?<=[0-9A-Za-z)%])(?P<gap> ?)[xX](?P=gap)(?=[$€£(]{0,2} ?[0-9.])")
_REPLACED = {
    "\\times": "*", "\\cdot": "*", "\\ast": "*", "×": "*", "·": "*", "⋅": "*", "∗": "*", "✕": "*",
    "\\div": "/", "÷": "/",
    "−": "-", "–": "-", "—": ";", "\\approx": "≈", "\\simeq": "≈", "\\sim": "≈", "\\%": "%", "\\$": "$",
    "\\left": "", "\\right": "", "\\,": " ", "\\;": " ", "\\:": " ", "\\!": "", "\\ ": " ", "\\quad": " ",
    "\\(": " ", "\\)": " ", "{,}": ",", "&": " ", "²": "^2", "³": "^3", "½": "(1/2)", "¼": "(1/4)", "¾": "(3/4)",
    "⅓": "(1/3)", "⅔": "(2/3)", "**": "", "__": "", "\u2009": " ", "\u202f": " ", "\u00a0": " ",
}  # fmt: skip
_REPLACE = re.compile("|".join(map(re.escape, sorted(_REPLACED, key=len, reverse=True))))
_NESTING = 4


def plain(text: str) -> str:
    """The text in one spelling: `* / - ≈ %` for the signs, brackets for fractions, semicolons for breaks."""
    text = _BULLET.sub("\n; ", _DECIMAL_COMMA.sub(r"\1.\2", text))
    text = _MIXED.sub(r" \1/\2", text)
    for _ in range(_NESTING):
        text = _WORDS.sub(r" \1 ", text)
        text = _SHORT_FRACTION.sub(r"((\1)/(\2))", _FRACTION.sub(r"((\1)/(\2))", text))
    text = _BREAKS.sub(" ; ", text)
    text = _REPLACE.sub(lambda match: _REPLACED[match[0]], text)
    return _TIMES.sub(r"\g<gap>*\g<gap>", text.replace("{", "(").replace("}", ")"))


_SAID = r"[^\W\d_]{2,20}(?:['’-][^\W\d_]{1,20})?(?:/[^\W\d_]{2,20})?"
_NUMERAL = r"(?:percent|of|hundred|thousand|million|billion|dozen|times|plus|minus|x|and [0-9])\b"
_REWRITTEN: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(rf"(?<=[0-9%)])(?: {_SAID}){{1,9}}(?= ?[-+*/×÷–−=](?![^\W\d_]))"), ""),  # 90 bees that left -
    (re.compile(rf"(?<=[-+*/×÷–−=] )(?:{_SAID} ){{1,5}}(?=[$(]?[0-9])"), ""),  # + eggs 3
    (re.compile(rf"(?<==)( ?[$€£]?[0-9](?:[0-9,.]*[0-9])?)(?= (?!{_NUMERAL})[^\W\d_])"), r"\1 ;"),  # = 16 bars in box B
)


def spoken(text: str) -> str:
    """The text without words between numbers and signs, in linear time.

    >>> spoken("There were 90 bees that left the hive - 15 bees that came back = 75")
    'There were 90 - 15 = 75'
    >>> spoken("milk 2 + eggs 3 = 5")
    'milk 2 + 3 = 5'

    Words between a number and the sign behind it, or between a sign and the number behind it, say of what the number
    is; they are left out. That is too free for a checker that holds an equation wrong, so it reads none of this.
    """
    for pattern, sign in _REWRITTEN:
        text = pattern.sub(sign, text)
    return text
