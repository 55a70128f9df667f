"""The shop: who keeps to the rules is paid, who does anything else is not."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from random_caller import RandomCaller
from tables import tables

import rlenv
from rlenv.core.policy import ScriptedPolicy
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.envs.tools.orders.customer import CALM, answer
from rlenv.envs.tools.orders.drawing import LEVELS, draw, right
from rlenv.envs.tools.orders.functions import exchange_item, refund_item
from rlenv.envs.tools.orders.rules import Rules, decide
from rlenv.turns.play import play, reference_completion

CASES = tables(__file__)

LEVEL_3 = rlenv.load("tools/orders-v0", level=3)


def call(name: str, **arguments: str) -> str:
    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"


def judged(task: Task, turns: Sequence[str], definition: rlenv.Definition = LEVEL_3) -> Verdict:
    said = play(definition, ScriptedPolicy("s", lambda _: tuple(turns)), [task])[0]
    return definition.verifier.verify(task, said)


def tasks(count: int, fits: Callable[[Task], bool] = lambda task: True) -> list[Task]:
    return [task for task in (LEVEL_3.tasks[i] for i in range(count)) if fits(task)]


@pytest.mark.parametrize("level", [1, 2, 3, "1-3"])
def test_reference_earns_everything(level: int | str) -> None:
    report = rlenv.evaluate("tools/orders-v0", "reference", env_kwargs={"level": level}, limit=40, quiet=True)
    assert report.mean_reward == 1.0


def test_nothing_is_earned_by_babble_and_random_calls() -> None:
    definition = rlenv.load("tools/orders-v0", level=1)
    assert definition.interaction is not None
    says = ["Your order number, please?", "Your email address?", "To which address?", "I am sorry.", "{word}"]
    for policy in ("empty", RandomCaller(definition.interaction.tools, says)):
        assert (rlenv.evaluate(definition, policy, limit=40, quiet=True).mean_reward or 0.0) <= 0.05


@pytest.mark.parametrize("level", LEVELS)
def test_what_is_right_follows_from_the_rules(level: int) -> None:
    database, rules, wishes = draw(LEVELS[level], np.random.default_rng(level))
    after = right(database, rules, wishes)
    assert [case["outcome"] for case in after["cases"]] == [decide(database, wish, rules) for wish in wishes]
    assert len({wish["order"] for wish in wishes}) == len(wishes) == LEVELS[level].wishes


def _cases(task: Task) -> list[dict[str, Any]]:
    return task.reference["cases"]  # type: ignore[index,call-overload,return-value]


def test_one_more_change_or_another_outcome_earns_nothing() -> None:
    for task in tasks(6):
        turns = LEVEL_3.script(task)  # type: ignore[misc]
        database: Any = task.metadata["database"]
        other = next(key for key in database["orders"] if key not in turns[-1])
        stray = call("change_address", order_id=other, address="1 Elsewhere")
        assert judged(task, [stray, *turns]).reward == 0.0
        assert judged(task, turns).reward == 1.0
        wrong = "done" if _cases(task)[-1]["outcome"] != "done" else "refused_status"
        last = call("close_case", order_id=_cases(task)[-1]["order"], outcome=wrong)
        assert judged(task, [*turns[:-1], last]).reward == 0.0


def test_closing_without_doing_it_earns_nothing_and_says_why() -> None:
    for task in tasks(8, lambda task: all(case["outcome"] == "done" for case in _cases(task))):
        turns = [call("close_case", order_id=case["order"], outcome="done") for case in _cases(task)]
        verdict = judged(task, turns)
        assert (verdict.reward, verdict.reason.endswith("is not as it should be")) == (0.0, True)


def test_never_closing_ends_at_the_limit_and_earns_nothing() -> None:
    said = play(LEVEL_3, ScriptedPolicy("s", lambda _: "I am on it."), [LEVEL_3.tasks[0]])[0]
    assert len(said.said_turns) == LEVEL_3.max_turns
    assert LEVEL_3.verifier.verify(LEVEL_3.tasks[0], said).reward == 0.0


def test_second_thoughts_are_what_counts() -> None:
    wavering = tasks(40, lambda task: any(wish["first"] != wish["value"] for wish in _wishes(task)))[:3]
    assert len(wavering) == 3
    for task in wavering:
        assert "I have changed my mind" in reference_completion(LEVEL_3, task).text
        first = {wish["value"]: wish["first"] for wish in _wishes(task)}
        deaf = [_with(turn, first) if '"name": "' in turn else turn for turn in LEVEL_3.script(task)]  # type: ignore[misc]
        assert judged(task, deaf).reward == 0.0


def _wishes(task: Task) -> list[dict[str, str]]:
    return task.metadata["wishes"]  # type: ignore[return-value]


def _with(turn: str, values: dict[str, str]) -> str:
    for value, first in values.items():
        turn = turn.replace(json.dumps(value), json.dumps(first))
    return turn


WISH = {
    "kind": "address",
    "order": "O12345",
    "item": "red kettle",
    "email": "ada@post.example",
    "name": "Ada Wolf",
    "knows_number": False,
    "value": "2 New Road, Ashford",
    "first": "1 Old Road, Ashford",
    "plea": "Please!",
}


@pytest.mark.parametrize(("said", "answers"), CASES["customer"])
def test_customer_says_what_is_asked_for(said: str, answers: str) -> None:
    assert answer(WISH, WISH["value"], dict(CALM), said).startswith(answers)  # type: ignore[arg-type]


def test_rules_decide_in_their_order() -> None:
    database: dict[str, Any] = {
        "customers": {"C1": {"email": "a", "tier": "gold"}, "C2": {"email": "b", "tier": "basic"}},
        "products": {
            "S1": {"final_sale": False, "stock": 0, "price": 500},
            "S2": {"final_sale": True, "stock": 0, "price": 900},
        },
        "orders": {
            "O1": {
                "customer": "C1",
                "status": "delivered",
                "delivered": "2031-01-01",
                "items": [{"sku": "S1", "price": 500}, {"sku": "S2", "price": 900}],
            }
        },
    }

    def outcome(today: str, **changes: str) -> str:
        wish = {"kind": "refund", "order": "O1", "sku": "S1", "email": "a", "value": "S2", **changes}
        return decide(database, wish, Rules(today=today, window=7, gold_window=21))

    assert outcome("2031-01-22") == "done"
    assert outcome("2031-01-23") == "refused_window"
    assert outcome("2031-01-23", sku="S2") == "refused_final_sale"
    assert outcome("2031-01-23", email="b") == "refused_owner"
    assert outcome("2031-01-02", kind="cancel") == "refused_status"
    database["orders"]["O1"]["status"] = "pending"
    assert outcome("2031-01-02") == "refused_status"
    assert outcome("2031-01-02", kind="exchange") == "refused_stock"
    database["products"]["S2"]["stock"] = 1
    assert outcome("2031-01-02", kind="exchange") == "refused_price"
    assert outcome("2031-01-02", kind="exchange", sku="S2", value="S1") == "refused_stock"
    database["products"]["S1"]["stock"] = 1
    assert outcome("2031-01-02", kind="exchange", value="S1") == "done"


def test_tools_refuse_what_the_shop_has_not_or_has_done() -> None:
    item = {"sku": "S1", "product": "kettle", "variant": "red", "price": 500, "refunded": ""}
    products = {sku: {"product": "kettle", "variant": sku, "price": 500, "stock": 0} for sku in ("S1", "S2")}
    database: dict[str, Any] = {"products": products, "orders": {"O1": {"items": [item]}}}
    with pytest.raises(ValueError, match="out of stock"):
        exchange_item("O1", "S1", "S2", state=database)
    refund_item("O1", "S1", "store credit", state=database)
    with pytest.raises(ValueError, match="refunded already"):
        refund_item("O1", "S1", "original payment", state=database)
