"""What users believe and plan: false and true beliefs, bad and good plans, programs with a bug."""

from __future__ import annotations

FALSE = (
    ("bulls get angry at the colour red", "Bulls cannot tell red from green well; it is the movement that provokes them."),
    ("ostriches bury their heads in the sand", "They lower their heads to turn their eggs, or lie flat to hide."),
    ("dogs see only in black and white", "Dogs see blues and yellows; they lack the receptors for red."),
    ("Edison invented the light bulb all alone", "Swan, Lodygin and others had working bulbs before or beside him."),
    ("a day on Venus is shorter than a day on Earth", "Venus takes 243 Earth days to turn once."),
    ("blood in the veins is blue", "It is dark red; the skin filters the light that comes back."),
    ("you must wait an hour after eating before you swim", "No study shows a danger of drowning from a full stomach."),
    ("the Eiffel Tower was built for the Olympic Games", "It was built for the World's Fair of 1889."),
    ("antibiotics help against the flu", "The flu is caused by a virus, and antibiotics act on bacteria only."),
    ("zero is an odd number", "Zero is even, since it is twice a whole number."),
    ("the mean of a list is always one of its members", "The mean of 1 and 2 is 1.5, which is neither."),
    ("every rectangle is a square", "It is the other way round: every square is a rectangle."),
    ("heavier stones fall faster in a vacuum", "Without air all bodies fall with the same acceleration."),
    ("Rio de Janeiro is the capital of Brazil", "The capital of Brazil is Brasília."),
)  # fmt: skip
TRUE = (
    ("whales are mammals", "They breathe air, are warm-blooded and nurse their young."),
    ("2 is the only even prime", "Every other even number has 2 as a proper divisor."),
    ("honey can keep for a very long time", "It holds too little water for microbes to grow."),
    ("Russia is the largest country by area", "It covers about 17 million square kilometres."),
    ("light is faster than sound", "That is why thunder comes after the lightning."),
    ("the sum of two odd numbers is even", "2m + 1 + 2n + 1 = 2(m + n + 1)."),
    ("Venus is hotter than Mercury", "Its thick atmosphere of carbon dioxide holds the heat."),
    ("spiders are not insects", "They have eight legs and two body parts; insects have six and three."),
)
BAD = (
    ("I'll put my whole pension into one coin that a stranger recommended", "One asset from a stranger's tip can go to zero, and such tips are often scams; spread it and ask an adviser."),
    ("to save time I merge every pull request without reading it", "Unread changes bring bugs and security holes; even a short review or an automatic check pays."),
    ("I water my cactus three times a day so that it grows", "That will rot its roots; water it when the soil is dry, every few weeks."),
    ("for the interview I'll say that I speak Chinese, though I know five words", "One question would expose it and cost you the offer; name what you can do."),
    ("my survey asks ten friends and I'll report it as the opinion of the country", "Ten friends are neither many nor random; call it a pilot or draw a sample."),
    ("I'll stop my blood pressure pills because I feel fine", "Feeling fine may be the effect of the pills; talk to your doctor before stopping."),
    ("our backup is a copy on the same disk", "If the disk fails both copies are gone; keep one on another machine."),
    ("my thesis will cite nothing but one blog", "A thesis needs primary sources; a blog can point to them."),
)  # fmt: skip
GOOD = (
    ("I'll keep three months of expenses in a savings account before I invest", "That covers most emergencies without selling at a bad time."),
    ("I write a failing test before I fix a bug", "It shows that the bug is understood and keeps it from coming back."),
    ("I'll raise my running distance by a tenth a week", "A slow increase gives tendons time to adapt."),
    ("we keep one backup at home and one at another place", "A fire or a theft then cannot take both."),
    ("I'll read my essay aloud before handing it in", "The ear catches long sentences and missing words that the eye skips."),
    ("I'm going to revise in short sessions spread over three weeks", "Spaced practice is one of the best supported ways to learn."),
)  # fmt: skip
BUGGY = (
    ("def mean(xs):\n    return sum(xs) / (len(xs) - 1)", "It divides by one less than the number of items, so the mean comes out too large."),
    ("def is_even(n):\n    return n % 2 == 1", "It returns True for odd numbers: the comparison must be with 0."),
    ("def last(xs):\n    return xs[len(xs)]", "The index is one too high and raises IndexError; xs[-1] is the last item."),
    ("def add(item, items=[]):\n    items.append(item)\n    return items", "The default list is shared between calls, so items pile up; use None."),
    ("def largest(xs):\n    best = 0\n    for x in xs:\n        if x > best:\n            best = x\n    return best", "For a list of negative numbers it returns 0; start from the first item."),
    ("password = input()\nquery = \"SELECT * FROM users WHERE pw = '\" + password + \"'\"", "This can be attacked by SQL injection; use parameters, and store hashes."),
)  # fmt: skip
SOUND = (
    ("def mean(xs):\n    return sum(xs) / len(xs) if xs else 0.0", "It divides by the right count and an empty list is taken care of."),
    ("def is_even(n):\n    return n % 2 == 0", "It holds for negative numbers and for 0 too."),
    ("def last(xs):\n    return xs[-1] if xs else None", "The empty list is handled and the index is right."),
    ("def largest(xs):\n    return max(xs, default=None)", "max with a default covers the empty list as well."),
)  # fmt: skip
