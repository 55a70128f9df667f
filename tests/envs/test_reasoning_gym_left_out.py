"""The reasons for leaving datasets of reasoning-gym out, and for mending references, counted again.

Each reference is checked against the rules that its question states, by code that shares nothing with the
package. The figures in the catalogue and in the documentation are these.
"""

import json
import re
from itertools import product
from typing import Any

from rlenv.envs.reasoning_gym.catalogue import LEFT_OUT
from rlenv.envs.reasoning_gym.datasets import Item, create, items
from rlenv.envs.reasoning_gym.references import reference

Stone = tuple[int, int]


def entries(name: str, seed: int, count: int) -> list[Any]:
    dataset = create(name, {}, seed)
    return [dataset[number] for number in range(count)]


def test_mahjong_references_contradict_the_rules() -> None:
    wrong = sum(mahjong(item["question"]) != item["answer"] for item in entries("mahjong_puzzle", 21, 150))
    assert wrong == 25
    assert "25 of 150" in LEFT_OUT["mahjong_puzzle"]


def mahjong(question: str) -> str:
    """The result of the last round, by the rules in the question."""
    result = ""
    cards = list(re.findall("initial cards ([A-Z]+)", question)[0])
    for new, removed in re.findall("Add an? ([A-Z]) card and remove an? ([A-Z]) card", question):
        runs = [[chr(ord(new) + step) for step in steps] for steps in ((-2, -1), (-1, 1), (1, 2))]
        chi = any(set(run) <= set(cards) for run in runs)
        result = "Peng" if cards.count(new) >= 2 else "Chi" if chi else "Pass"
        cards.append(new)
        cards.remove(removed)
    return result


def test_syllogism_references_call_valid_what_does_not_follow() -> None:
    items = [item["metadata"] | {"answer": item["answer"]} for item in entries("syllogism", 5, 600)]
    wrong = sum(item["answer"] == "Yes" and not follows(item) for item in items)
    assert wrong == 78
    assert "78 of 600" in LEFT_OUT["syllogism"]


def follows(item: dict[str, Any]) -> bool:
    """True when the conclusion holds in every world where the premises do and all three kinds exist."""
    terms: list[str] = []
    premise1, premise2, conclusion = (
        statement(str(item[key]), terms) for key in ("premise1", "premise2", "conclusion")
    )
    kinds = list(product((False, True), repeat=3))  # which of the three terms a thing falls under
    for chosen in product((False, True), repeat=len(kinds)):
        world = [kind for kind, there in zip(kinds, chosen, strict=True) if there]
        peopled = all(any(thing[term] for thing in world) for term in range(3))
        if peopled and holds(premise1, world) and holds(premise2, world) and not holds(conclusion, world):
            return False
    return True


def statement(text: str, terms: list[str]) -> tuple[str, int, int]:
    found = re.fullmatch("(All|No|Some) (.+) are (not )?(.+)", text)
    assert found
    for term in (found[2], found[4]):
        if term not in terms:
            terms.append(term)
    return f"{found[1]}{' not' if found[3] else ''}", terms.index(found[2]), terms.index(found[4])


def holds(said: tuple[str, int, int], world: list[tuple[bool, ...]]) -> bool:
    quantifier, subject, predicate = said
    seen = [thing[predicate] for thing in world if thing[subject]]
    return {"All": all(seen), "No": not any(seen), "Some": any(seen), "Some not": not all(seen)}[quantifier]


def test_tsumego_references_capture_nothing() -> None:
    items = entries("tsumego", 1, 400)
    captures = [best_captures(item["metadata"]["board"]) for item in items]
    nothing = sum(_place(item) not in moves for item, moves in zip(items, captures, strict=True))
    assert (nothing, sum(not moves for moves in captures)) == (97, 90)
    assert "97 of 400" in LEFT_OUT["tsumego"]


def _place(item: Item) -> Stone:
    answer = str(item["answer"])
    size = len(item["metadata"]["board"])  # type: ignore[arg-type]
    return size - int(answer[1:]), ord(answer[0]) - ord("A")


def best_captures(board: list[list[str]]) -> set[Stone]:
    """The points whose stone takes the last liberty of a white group."""
    size = len(board)
    found = set()
    for row, column in product(range(size), repeat=2):
        if board[row][column] == "O":
            liberties = group_liberties(board, (row, column))
            if len(liberties) == 1:
                found |= liberties
    return found


def group_liberties(board: list[list[str]], start: Stone) -> set[Stone]:
    group, liberties, waiting = {start}, set(), [start]
    while waiting:
        row, column = waiting.pop()
        for near in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
            if not all(0 <= place < len(board) for place in near) or near in group:
                continue
            if board[near[0]][near[1]] == ".":
                liberties.add(near)
            elif board[near[0]][near[1]] == "O":
                group.add(near)
                waiting.append(near)
    return liberties


def test_propositional_logic_pays_for_a_premise_copied_back() -> None:
    scorer = create("propositional_logic", {}, 1)
    items = [scorer[number] for number in range(50)]
    paid = sum(any(scorer.score_answer(p, item) == 1.0 for p in item["metadata"]["premises"]) for item in items)
    assert paid > 25


def test_decimal_references_are_mended_in_the_last_digit() -> None:
    items = entries("decimal_arithmetic", 21, 600)
    assert sum(float(str(reference("decimal_arithmetic", item))) != float(item["answer"]) for item in items) == 48


STORY = re.compile(r"(\w+) is married to (\w+)\.(?: They have (?:a child|children) called ([^.]+)\.)?")
"""Oliver is married to Victoria. They have children called Ann, Bob and Cy."""
ASKED = re.compile(r"(?:What is|How is|What relation is) (\w+) (?:to|related to) (\w+)\?")


def is_parent_in_law(question: str) -> bool:
    """Whether the one who is asked about is a parent of the spouse of the other, by what the story tells."""
    spouse: dict[str, str] = {}
    parents: dict[str, set[str]] = {}
    for one, other, children in STORY.findall(question):
        spouse |= {one: other, other: one}
        for child in re.findall(r"[A-Z]\w*", children):
            parents[child] = {one, other}
    [(asked, other)] = ASKED.findall(question)
    return asked in parents.get(spouse.get(other, ""), set())


def test_parents_in_law_are_asked_for_the_wrong_way_round_by_the_package_and_not_by_us() -> None:
    def right(made: list[Any]) -> list[bool]:
        return [is_parent_in_law(item["question"]) for item in made if item["answer"].endswith("-in-law")]

    ours = items("family_relationships", "{}", 42)
    assert right(entries("family_relationships", 42, 500)) == [False] * 69
    assert right([ours[number] for number in range(500)]) == [True] * 69


def test_nieces_and_nephews_of_large_families_are_asked_for_as_their_elders() -> None:
    large = {"min_family_size": 10, "max_family_size": 12}
    theirs = create("family_relationships", large, 7)
    ours = items("family_relationships", json.dumps(large), 7)
    young = [n for n in range(300) if theirs[n]["answer"] in ("niece", "nephew")]
    assert len(young) > 10
    for number in young:
        [(asked, other)] = ASKED.findall(ours[number]["question"])
        people = theirs[number]["metadata"]
        assert (asked, other) == (people["person2"], people["person1"])
        assert ours[number]["answer"] == ("aunt" if asked in theirs.config.female_names else "uncle")
