"""Word problems: scenarios with drawn names and numbers, each sentence in several wordings."""

from __future__ import annotations

from random import Random

from .item import Item, near

NAMES = (
    "Amara Bilal Chen Dora Emre Fatima Goran Hana Ivo Jaya Kofi Lena Mateo Nadia Omar Priya Quinn Rosa Samir Tova "
    "Ugo Vera Wanda Xavi Yuki Zane Aiko Bruno Clara Dmitri Elif Farah Gita Hugo Ines Joon Kira Luis Mina Noor"
).split()
Scene = tuple[str, list[str], int]


def _one(rng: Random, *wordings: str) -> str:
    return rng.choice(wordings)


def orchard(rng: Random) -> Scene:
    n, fruit = rng.choice(NAMES), rng.choice(["apples", "pears", "plums", "figs", "quinces", "apricots"])
    trees, each, gone = rng.randint(4, 24), rng.randint(12, 60), rng.randint(5, 40)
    prompt = _one(
        rng,
        f"{n} has {trees} trees in the orchard and each of them gives {each} {fruit}. {gone} of the {fruit} are rotten. "
        f"How many good {fruit} are there?",
        f"In an orchard of {trees} trees every tree bears {each} {fruit}. {n} throws away {gone} that are spoiled. "
        f"How many {fruit} are left?",
    )
    total = trees * each
    return (
        prompt,
        [
            _one(
                rng,
                f"The trees give {trees} * {each} = {total} {fruit} together.",
                f"There are {trees} x {each} = {total} {fruit} to begin with.",
            ),
            _one(
                rng,
                f"Without the {gone} bad ones, {total} - {gone} = {total - gone} remain.",
                f"Taking away {gone} leaves {total} - {gone} = {total - gone}.",
            ),
        ],
        total - gone,
    )


def savings(rng: Random) -> Scene:
    n, start, weekly, weeks, cost = (
        rng.choice(NAMES),
        rng.randint(10, 90),
        rng.randint(5, 30),
        rng.randint(4, 20),
        rng.randint(15, 60),
    )
    saved, end = weekly * weeks, start + weekly * weeks - cost
    return (
        f"{n} has ${start} and puts aside ${weekly} a week for {weeks} weeks. Then {n} buys a lamp for ${cost}. "
        f"How many dollars are left?",
        [
            _one(
                rng,
                f"In {weeks} weeks {n} saves {weekly} * {weeks} = {saved} dollars.",
                f"The weekly money adds up to {weeks} * {weekly} = {saved}.",
            ),
            _one(
                rng,
                f"With the first {start} dollars that makes {start} + {saved} = {start + saved}.",
                f"Together with what was there before: {start} + {saved} = {start + saved}.",
            ),
            _one(
                rng,
                f"The lamp takes {cost} of it: {start + saved} - {cost} = {end}.",
                f"After paying for the lamp, {start + saved} - {cost} = {end} dollars stay.",
            ),
        ],
        end,
    )


def buses(rng: Random) -> Scene:
    people, seats = rng.randint(60, 400), rng.choice([24, 28, 32, 36, 40, 45, 48, 52])
    full, rest = divmod(people, seats)
    count = full + (rest > 0)
    last = (
        f"{full} buses carry {full * seats} people, and the {rest} others need one more, so {full} + 1 = {count}."
        if rest
        else f"Since {full} * {seats} = {people} exactly, no further bus is needed and {count} buses do."
    )
    return (
        f"A school takes {people} people on a trip. A bus has {seats} seats. How many buses are needed?",
        [
            _one(
                rng,
                f"Dividing, {people} / {seats} is {full} with remainder {rest}.",
                f"{people} = {full} * {seats} + {rest}.",
            ),
            last,
        ],
        count,
    )


def train(rng: Random) -> Scene:
    v1, t1, v2, t2 = rng.randint(40, 120), rng.randint(2, 6), rng.randint(30, 110), rng.randint(1, 5)
    a, b = v1 * t1, v2 * t2
    return (
        f"A train runs {t1} hours at {v1} km/h and then {t2} hours at {v2} km/h. How far does it go, in kilometres?",
        [
            _one(
                rng,
                f"The first stretch is {v1} * {t1} = {a} km long.",
                f"At {v1} km/h for {t1} h the train covers {v1} * {t1} = {a} km.",
            ),
            _one(rng, f"The second is {v2} * {t2} = {b} km.", f"Then it covers another {v2} * {t2} = {b} km."),
            _one(rng, f"Altogether that is {a} + {b} = {a + b} km.", f"The sum is {a} + {b} = {a + b}."),
        ],
        a + b,
    )


def ages(rng: Random) -> Scene:
    a, b = rng.sample(NAMES, 2)
    young, factor, years = rng.randint(4, 15), rng.randint(2, 5), rng.randint(3, 12)
    old = young * factor
    return (
        f"{a} is {young} years old and {b} is {factor} times as old. How old will the two be together in {years} years?",
        [
            _one(
                rng,
                f"{b} is {factor} * {young} = {old} now.",
                f"Today {b} is {old}, because {young} * {factor} = {old}.",
            ),
            _one(
                rng,
                f"In {years} years they are {young + years} and {old + years}.",
                f"After {years} years {a} is {young} + {years} = {young + years} and {b} is {old} + {years} = {old + years}.",
            ),
            f"Their ages add up to {young + years} + {old + years} = {young + old + 2 * years}.",
        ],
        young + old + 2 * years,
    )


def bakery(rng: Random) -> Scene:
    n, trays, per, sold, price = (
        rng.choice(NAMES),
        rng.randint(3, 12),
        rng.choice([6, 8, 12, 15, 20]),
        rng.randint(10, 17),
        rng.randint(2, 5),
    )
    baked = trays * per
    return (
        f"{n} bakes {trays} trays of {per} rolls and sells all but {sold} of them for ${price} each. How much money does {n} take?",
        [
            f"{trays} trays hold {trays} * {per} = {baked} rolls.",
            _one(
                rng,
                f"{baked} - {sold} = {baked - sold} of them are sold.",
                f"All but {sold} are sold, which is {baked} - {sold} = {baked - sold}.",
            ),
            _one(
                rng,
                f"At ${price} each that brings {baked - sold} * {price} = {(baked - sold) * price} dollars.",
                f"The takings are {price} * {baked - sold} = {(baked - sold) * price}.",
            ),
        ],
        (baked - sold) * price,
    )


def tank(rng: Random) -> Scene:
    inn, out, minutes, start = rng.randint(12, 30), rng.randint(2, 11), rng.randint(6, 40), rng.randint(10, 200)
    net = inn - out
    return (
        f"A tank holds {start} litres. A pipe adds {inn} litres a minute while a leak loses {out} litres a minute. "
        f"How many litres are in the tank after {minutes} minutes?",
        [
            _one(
                rng,
                f"Each minute the tank gains {inn} - {out} = {net} litres.",
                f"The net inflow is {inn} - {out} = {net} litres a minute.",
            ),
            f"In {minutes} minutes that makes {net} * {minutes} = {net * minutes} litres.",
            f"With the {start} litres from before there are {start} + {net * minutes} = {start + net * minutes}.",
        ],
        start + net * minutes,
    )


def discount(rng: Random) -> Scene:
    price, percent = (
        rng.choice([40, 60, 80, 100, 120, 200, 240, 260, 300, 400]),
        rng.choice([5, 10, 15, 20, 25, 30, 40]),
    )
    count = rng.randint(2, 7)
    off = price * percent // 100
    return (
        f"A coat costs ${price}. In a sale it is {percent}% cheaper. What do {count} coats cost in the sale, in dollars?",
        [
            f"{percent}% of {price} is {off}.",
            _one(
                rng,
                f"So one coat costs {price} - {off} = {price - off} dollars.",
                f"The sale price is {price} - {off} = {price - off}.",
            ),
            f"{count} of them cost {count} * {price - off} = {count * (price - off)} dollars.",
        ],
        count * (price - off),
    )


def garden(rng: Random) -> Scene:
    a, b, w = rng.randint(8, 30), rng.randint(6, 25), rng.randint(1, 3)
    outer, inner = (a + 2 * w) * (b + 2 * w), a * b
    return (
        f"A garden is {a} m by {b} m. A path {w} m wide runs all around it. What is the area of the path in square metres?",
        [
            f"With the path the outer rectangle is {a + 2 * w} m by {b + 2 * w} m, since {w} m are added on both sides.",
            f"Its area is {a + 2 * w} * {b + 2 * w} = {outer}.",
            _one(rng, f"The garden itself has {a} * {b} = {inner}.", f"The inner area is {a} * {b} = {inner}."),
            f"The path is the difference, {outer} - {inner} = {outer - inner}.",
        ],
        outer - inner,
    )


def workers(rng: Random) -> Scene:
    m, d, k = rng.randint(3, 9), rng.randint(4, 16), rng.choice([2, 3, 4])
    total = m * d * k
    return (
        f"{m} workers need {d * k} days to build a wall. How many worker-days is that, and how many days would "
        f"{m * k} workers need? Answer with the number of days.",
        [
            f"The work is {m} * {d * k} = {total} worker-days.",
            _one(
                rng,
                f"{m * k} workers share it: {total} / {m * k} = {d}.",
                f"Divided among {m * k} workers it takes {total} / {m * k} = {d} days.",
            ),
        ],
        d,
    )


def books(rng: Random) -> Scene:
    n, pages, a, b, days = rng.choice(NAMES), 0, rng.randint(10, 40), rng.randint(15, 60), rng.randint(3, 9)
    left = rng.randint(20, 150)
    pages = days * a + 2 * b + left
    return (
        f"A book has {pages} pages. {n} reads {a} pages a day for {days} days and {b} pages on each day of a weekend. "
        f"How many pages remain?",
        [
            f"On the {days} days {n} reads {days} * {a} = {days * a} pages.",
            f"The weekend adds 2 * {b} = {2 * b} pages.",
            _one(
                rng,
                f"So {days * a} + {2 * b} = {days * a + 2 * b} pages are read.",
                f"Read so far: {days * a} + {2 * b} = {days * a + 2 * b}.",
            ),
            f"There remain {pages} - {days * a + 2 * b} = {left}.",
        ],
        left,
    )


def coins(rng: Random) -> Scene:
    n, q, d, k = rng.choice(NAMES), rng.randint(3, 20), rng.randint(4, 30), rng.randint(5, 25)
    total = 25 * q + 10 * d + 5 * k
    return (
        f"{n} finds {q} quarters, {d} dimes and {k} nickels in a jar. How many cents is that?",
        [
            _one(rng, f"The quarters are {q} * 25 = {25 * q} cents.", f"{q} quarters make {25 * q} cents."),
            f"The dimes are {d} * 10 = {10 * d} cents.",
            f"The nickels are {k} * 5 = {5 * k} cents.",
            f"The jar holds {25 * q} + {10 * d} + {5 * k} = {total} cents.",
        ],
        total,
    )


def teams(rng: Random) -> Scene:
    n = rng.randint(5, 20)
    return (
        f"In a league of {n} teams each team plays each other team twice. How many matches are played?",
        [
            _one(
                rng,
                f"There are {n} * {n - 1} / 2 = {n * (n - 1) // 2} pairs of teams.",
                f"Choosing 2 of {n} teams gives {n * (n - 1) // 2} pairs.",
            ),
            f"Each pair meets twice, so there are 2 * {n * (n - 1) // 2} = {n * (n - 1)} matches.",
        ],
        n * (n - 1),
    )


def recipe(rng: Random) -> Scene:
    base, cups, people = rng.choice([2, 3, 4]), rng.choice([2, 3, 5, 6]), rng.randint(3, 15)
    want = base * people
    return (
        f"A soup for {base} people takes {cups} cups of broth. How many cups does a soup for {want} people take?",
        [
            f"{want} people are {want} / {base} = {people} times as many.",
            _one(
                rng,
                f"So the broth is {people} * {cups} = {people * cups} cups.",
                f"Multiplying the broth by {people} gives {cups} * {people} = {people * cups}.",
            ),
        ],
        people * cups,
    )


def library(rng: Random) -> Scene:
    shelves, per, lent, back = rng.randint(5, 20), rng.randint(18, 45), rng.randint(30, 80), rng.randint(5, 29)
    total = shelves * per
    return (
        f"A library has {shelves} shelves with {per} books each. On Monday {lent} books are lent and {back} come back. "
        f"How many books stand in the library on Monday evening?",
        [
            f"All shelves together hold {shelves} * {per} = {total} books.",
            _one(
                rng,
                f"After lending {lent} there are {total} - {lent} = {total - lent}.",
                f"{lent} leave, so {total} - {lent} = {total - lent} stay.",
            ),
            f"The {back} that come back make it {total - lent} + {back} = {total - lent + back}.",
        ],
        total - lent + back,
    )


SCENES = (
    orchard,
    savings,
    buses,
    train,
    ages,
    bakery,
    tank,
    discount,
    garden,
    workers,
    books,
    coins,
    teams,
    recipe,
    library,
)


def word_item(rng: Random, number: int) -> Item:
    """The scenes take turns."""
    scene = SCENES[number % len(SCENES)]
    prompt, steps, answer = scene(rng)
    return Item(f"word-{number}", "word", prompt, str(answer), tuple(steps), near(rng, answer))
