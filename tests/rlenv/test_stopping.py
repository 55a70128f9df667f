"""Stop texts of models of this process, and the options of the command."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from json_server import Body, serving
from typer.testing import CliRunner

import rlenv
from rlenv.cli import app
from rlenv.core.completion import Completion
from rlenv.core.task import Task
from rlenv.evaluation.savedrun import SavedRun
from rlenv.policies import Sampling
from rlenv.policies.load import load_policy
from rlenv.policies.transformers import stopped


def spelled(tokens: Sequence[int]) -> str:
    return "".join(map(chr, tokens))


def said(text: str) -> Completion:
    return Completion(text, tuple(map(ord, text)), tuple(-float(i) for i in range(len(text))), finished=False)


def test_a_completion_ends_before_the_first_stop_text() -> None:
    found = stopped(said("4.\nQ: next\n"), ("Q:", "\n"), spelled)
    assert (found.text, found.token_ids, found.finished) == ("4.", tuple(map(ord, "4.\n")), True)
    assert found.logprobs == (0.0, -1.0, -2.0)
    assert stopped(said("4."), ("Q:",), spelled) == said("4.")
    assert stopped(said("4."), (), spelled) == said("4.")


def test_a_model_of_this_process_stops_too() -> None:
    policy = load_policy("tiny")
    long = Sampling(max_new_tokens=40)
    (free,) = policy.generate(["Say something."], sampling=long)
    mark = free.text[5:7]
    (cut,) = policy.generate(["Say something."], sampling=Sampling(max_new_tokens=40, stop=(mark,)))
    assert cut.text == free.text[: free.text.index(mark)]
    assert cut.token_ids == free.token_ids[: len(cut.token_ids)]
    assert (len(cut.logprobs), cut.finished) == (len(cut.token_ids), True)


@pytest.fixture
def _sums(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    rlenv.register(
        "test/options-v0",
        tasks=[Task("say 1", "1")],
        verifier=lambda completion, answer: completion == answer,
        cheap=True,
    )


@pytest.mark.usefixtures("_sums")
def test_the_command_sends_what_its_options_say(tmp_path: Path) -> None:
    def answer(number: int, body: Body) -> tuple[int, object]:
        return 200, {"choices": [{"message": {"content": "1"}, "logprobs": {"content": [{"logprob": -0.5}]}}]}

    with serving(answer) as server:
        said = {"logprobs": "true", "system_prompt": "Be short.", "extra_body.top_k": 3, "concurrency": 3}
        options = [r"stop=\n\n", "stop=Q:", *(f"{name}={value}" for name, value in said.items()), "max_context=500"]
        asked = ["eval", "test/options-v0", "-p", f"{server.url}/v1#m", "--out", str(tmp_path)]
        done = CliRunner().invoke(app, [*asked, *(word for one in options for word in ("--set", one))])
    assert done.exit_code == 0, done.output
    (body,) = server.bodies
    assert (body["stop"], body["top_k"], body["logprobs"]) == (["\n\n", "Q:"], 3, True)
    assert body["messages"][0] == {"role": "system", "content": "Be short."}
    settings = SavedRun(tmp_path).settings()
    assert str(settings["command"]).startswith("rlenv")  # and what this process was called with
    (episode,) = rlenv.read_episodes(tmp_path)
    assert episode.completion.logprobs == (-0.5,)
