"""Episodes that somebody else's sampler plays in token ids, and token ids read as completions."""

from collections.abc import Sequence
from typing import Any, ClassVar

import pytest

pytest.importorskip("transformers", reason="needs the extra: train")

from chat_models import chat_policy
from number_game import guessing

import rlenv
from rlenv.core.policy import Sampling, ScriptedPolicy
from rlenv.integrations.token_episode import Decoder, TokenEpisode
from rlenv.turns.play import play

POLICY = chat_policy("qwen2")
ROOM = 200


def episode(definition: rlenv.Definition, number: int = 2, room: int = ROOM) -> TokenEpisode:
    sampling = Sampling(max_new_tokens=room, max_episode_tokens=room)
    decoder = Decoder(POLICY.tokenizer, POLICY.eos_ids)
    return TokenEpisode(definition, definition.tasks[number], POLICY.renderer, decoder, sampling)


def test_one_turn_is_one_prompt_and_one_answer() -> None:
    definition = rlenv.load("math/arithmetic-v0", level=2)
    one = episode(definition)
    assert one.ids() == POLICY.encode(definition.tasks[2].prompt)
    one.say(POLICY.encode_completion("42"))
    assert one.ids() is None
    assert (one.completion().text, one.completion().finished, one.turns) == ("42", True, 1)


def test_several_turns_keep_what_was_sampled_and_mask_what_answers() -> None:
    game = guessing()
    live = episode(game)
    said: list[int] = []
    for text in ("nine", "2"):
        ids = live.ids()
        assert ids is not None
        assert ids[len(live.prompt_ids) :][: len(said)] == said
        tokens = POLICY.encode_completion(text)
        live.say(tokens, [-0.5] * len(tokens))
        said = [*ids[len(live.prompt_ids) :], *tokens]
    assert live.ids() is None
    played = live.completion()
    expected = play(game, ScriptedPolicy("x", lambda task: ("nine", "2")), [game.tasks[2]])[0]
    assert (played.text, played.finished) == (expected.text, expected.finished)
    assert list(played.token_ids) == said
    assert sum(played.mask) == sum(len(POLICY.encode_completion(text)) for text in ("nine", "2"))
    assert {p for p, chosen in zip(played.logprobs, played.mask, strict=True) if chosen} == {-0.5}


def test_an_episode_without_room_for_another_turn_is_cut() -> None:
    live = episode(guessing(), room=8)
    assert live.ids() is not None
    live.say(POLICY.encode_completion("a")[:4])
    assert live.ids() is None
    assert not live.completion().finished


END, PAD, THINK, UNTHINK = 1, 2, 3, 4
SPECIAL = {END: "<|end|>", PAD: "<pad>", THINK: "<think>", UNTHINK: "</think>"}


class Characters:
    """One token a character, and four special ones."""

    all_special_ids: ClassVar[list[int]] = [*SPECIAL]
    all_special_tokens: ClassVar[list[str]] = [*SPECIAL.values()]

    def decode(self, token_ids: Any, /, *, skip_special_tokens: bool = False) -> str:
        return "".join([SPECIAL.get(i) or chr(i) for i in token_ids])


def ids(text: str) -> list[int]:
    return [ord(character) for character in text]


@pytest.fixture
def decoder() -> Decoder:
    return Decoder(Characters(), [END])


def test_marks_of_thoughts_stay_though_they_are_special_tokens(decoder: Decoder) -> None:
    said = decoder.completion([THINK, *ids("7"), UNTHINK, *ids("42"), PAD, END])
    assert said.text == "<think>7</think>42"
    assert said.content.text == "42"


@pytest.mark.parametrize(("prompt", "way"), [("?", "auto"), ("?<think>\n", "opened")])
def test_a_trace_that_the_prompt_opened_is_read_as_one(prompt: str, way: str, decoder: Decoder) -> None:
    assert decoder.read_as(ids(prompt)) == way
    said = decoder.completion(ids("thoughts"), read_as=decoder.read_as(ids(prompt)))
    assert said.content.text == ("thoughts" if way == "auto" else "")


def turns(decoder: Decoder, parts: Sequence[tuple[str, int]]) -> Any:
    tokens = [i for text, _ in parts for i in ids(text)]
    mask = [bit for text, bit in parts for _ in text]
    return decoder.completion([*tokens, END], [*mask, 1])


def test_what_a_tool_wrote_is_no_answer(decoder: Decoder) -> None:
    said = turns(decoder, [("ask", 1), ("42", 0), ("no", 1)])
    assert said.text == "ask42no"
    assert [(turn.role, said.text[turn.start : turn.end]) for turn in said.turns] == [
        ("assistant", "ask"),
        ("tool", "42"),
        ("assistant", "no"),
    ]
    assert said.content.text == "no"
    assert [one.token_ids for one in said.said_turns] == [tuple(ids("ask")), (*ids("no"), END)]
    assert said.said_tokens == 6
