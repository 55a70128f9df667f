"""The tools of an environment as the methods of what TRL makes of `environment_factory`."""

from __future__ import annotations

import inspect
import json
from typing import Any, Literal

import pytest

import rlenv
from rlenv.core.errors import ConfigError
from rlenv.integrations.trl.tools import OVER, ended, tool_episodes
from rlenv.turns.play import reference_script
from rlenv.turns.tools import Tool, ToolInteraction, equipped


def odd(
    words: list[str],
    most: int | None,
    kind: Literal["a", "b"],
    table: dict[str, int],
    one: int | str,
    flag: bool = True,
) -> str:
    """Do something odd.

    Args:
        words: Some words.
        most: How many of them.
        kind: Which kind.
        table: Numbers by name.
        one: A number or a name.
        flag: Whether to.
    """
    return f"{words} {most} {kind} {table} {one} {flag}"


def begun(definition: rlenv.Definition, index: int = 0) -> Any:
    made: Any = tool_episodes(definition)()
    made.reset(prompt="?", rlenv_task=json.dumps(definition.tasks[index].to_json()))
    return made


def methods(made: Any) -> dict[str, Any]:
    """The tools, as TRL finds them."""
    found = inspect.getmembers(type(made), predicate=inspect.isfunction)
    return {name: getattr(made, name) for name, _ in found if name != "reset" and not name.startswith("_")}


def sums(**kwargs: Any) -> rlenv.Definition:
    return rlenv.load("math/arithmetic-v0", level=1, tools="calculator", **kwargs)


@pytest.mark.parametrize("tools", [["calculator"], [odd]])
def test_what_a_template_is_told_is_the_schema_of_the_tool(tools: list[Any]) -> None:
    chat = pytest.importorskip("transformers.utils.chat_template_utils", reason="needs the extra: train")
    definition = equipped(rlenv.load("math/arithmetic-v0", level=1), tools)
    assert isinstance(definition.interaction, ToolInteraction)
    told = [chat.get_json_schema(method) for method in methods(begun(definition)).values()]
    wanted = [json.loads(json.dumps(schema)) for schema in definition.interaction.tools]
    for schema in wanted:
        schema["function"].pop("return", None)
    assert told == wanted


def test_calls_are_turns_and_the_last_words_are_judged() -> None:
    definition = sums()
    task = definition.tasks[0]
    made = begun(definition)
    assert list(methods(made)) == ["calculate"]
    assert made.calculate(expression="2+3*4") == "14"
    assert made.calculate(expression=5).startswith("error: ")
    right = {"role": "assistant", "content": definition.solution(task)}
    whole = ended(made, right, finished=True)
    assert [turn.role for turn in whole.turns] == ["assistant", "tool", "assistant", "tool", "assistant"]
    assert definition.verifier.verify(task, whole).reward == 1.0
    assert definition.verifier.verify(task, ended(begun(definition), {}, finished=True)).reward == 0.0


def test_a_call_that_was_not_made_is_no_turn_and_a_cut_one_ends_the_episode() -> None:
    call = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "calculate", "arguments": {}}}]}
    assert ended(begun(sums()), call, finished=True).turns == ()
    assert not ended(begun(sums()), {"role": "assistant", "content": "It is"}, finished=False).finished


def test_a_game_is_played_by_saying() -> None:
    definition = rlenv.load("games/guess-v0")
    made = begun(definition)
    script = reference_script(definition, definition.tasks[0])
    answers = [made.say(text=text) for text in script]
    assert answers[-1].endswith(OVER)
    assert definition.verifier.verify(definition.tasks[0], ended(made, {}, finished=True)).reward == 1.0


def test_names_that_trl_takes_and_rows_of_others_are_refused() -> None:
    def reset(x: int) -> int:
        """Start again.

        Args:
            x: A number.
        """
        return x

    with pytest.raises(ConfigError, match="tools named reset"):
        tool_episodes(equipped(rlenv.load("math/arithmetic-v0", level=1), [Tool(reset, cheap=True)]))
    with pytest.raises(ConfigError, match="has one turn"):
        tool_episodes(rlenv.load("math/arithmetic-v0", level=1))
    made: Any = tool_episodes(sums())()
    with pytest.raises(ConfigError, match=r"dataset of to_trl\(\)"):
        made.reset(prompt="?")
    with pytest.raises(ConfigError, match="reset"):
        made.calculate(expression="1")
