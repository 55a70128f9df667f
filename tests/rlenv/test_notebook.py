"""What notebooks show and take: HTML without markup of others, tables, checks that wait under a loop that runs."""

import asyncio
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

import rlenv
from rlenv.analysis.run_report import analyse
from rlenv.core.completion import Completion
from rlenv.core.jsontypes import Json
from rlenv.core.notebook import marked
from rlenv.core.verdict import Flag, Verdict
from rlenv.policies import ScriptedPolicy
from rlenv.store.tables import Episodes

HOSTILE = "<script>x</script> \u202e \x1b[2J 4"
TASKS: list[dict[str, Json]] = [{"prompt": f"{n}+{HOSTILE}", "answer": str(n), "level": n % 2} for n in range(4)]


class Tags(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def definition() -> rlenv.Definition:
    async def right(completion: str, answer: str) -> Verdict:
        await asyncio.sleep(0)
        said = completion.split()[0]
        flags = [Flag("odd", 2, 3, HOSTILE)] if "3" in said else []
        return Verdict.of(("correct", float(said == answer and said != "2")), flags=flags, answer=(0, len(said)))

    rlenv.register("test/notebook-v0", tasks=TASKS, verifier=right, description="of a notebook")
    return rlenv.load("test/notebook-v0")


@pytest.fixture(scope="module")
def run(definition: rlenv.Definition, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved evaluation whose completions hold markup and a lone surrogate."""
    folder = tmp_path_factory.mktemp("run")
    policy = ScriptedPolicy("scripted", lambda task: Completion(f"{task.reference} {HOSTILE} \ud800"))
    rlenv.evaluate(definition, policy, out=folder, quiet=True)
    return folder


def test_steps_batches_and_evaluations_work_under_a_loop_that_runs(definition: rlenv.Definition) -> None:
    async def cell() -> list[float]:
        env = rlenv.make("test/notebook-v0")
        env.reset(options={"task": 1})
        _, stepped, *_ = env.step("1 x")
        batch = rlenv.make_batch("test/notebook-v0", group_size=2)
        batch.reset(tasks=[definition.tasks[1]])
        paid = [episode.verdict.reward for episode in batch.step(["1 x", "5 x"])]
        policy = ScriptedPolicy("scripted", lambda task: f"{task.reference} x")
        report = rlenv.evaluate(definition, policy, quiet=True)
        return [float(stepped), *(reward for reward in paid if reward is not None), report.pass_at[1].value]

    assert asyncio.run(cell()) == [1.0, 1.0, 0.0, 0.75]


def test_what_is_shown_holds_no_markup_of_others(run: Path) -> None:
    episode = list(rlenv.read_episodes(run))[3]
    report = analyse(run, by=["level"])
    for shown in (episode, episode.verdict, report, report.report):
        page = Tags(shown._repr_html_())
        assert page.tags <= {"p", "b", "table", "tr", "th", "td", "ul", "li", "pre", "mark"}
        assert page.text.replace("\n", "").isprintable()
    assert '<mark title="answer">3</mark>' in episode._repr_html_()
    assert "<script>x</script>" in Tags(episode._repr_html_()).text
    assert "pass@1" in report._repr_html_()


def test_an_error_is_shown_without_a_reward() -> None:
    assert Tags(Verdict.error("it broke")._repr_html_()).text.split() == ["verifier_error", "it", "broke"]


def test_spans_that_overlap_or_lie_outside_are_left_out() -> None:
    shown = marked("abcdef", [(1, 3, "first"), (2, 4, "second"), (5, 9, "beyond")])
    assert Tags(shown).text == "abcdef"
    assert shown.count("<mark") == 2


def test_the_frame_of_a_report_has_its_estimates(run: Path) -> None:
    pytest.importorskip("pandas")
    report = analyse(run, by=["level"])
    frame = report.frame()
    of_all = frame[(frame["metric"] == "pass@1") & (frame["column"] == "")]
    assert of_all["value"].tolist() == [0.75]
    assert frame[frame["column"] == "level"].groupby("level")["value"].first().tolist() == [0.5, 1.0]
    assert report.report.frame()["high"].tolist() == [report.report.pass_at[1].high]


def test_episodes_are_a_table_of_pandas_and_a_file_of_parquet(run: Path, tmp_path: Path) -> None:
    pandas, parquet = pytest.importorskip("pandas"), pytest.importorskip("pyarrow.parquet")
    frame = rlenv.read_episodes(run).frame()
    assert frame["reward"].tolist() == [1.0, 1.0, 0.0, 1.0]
    assert frame["answer"].tolist() == ["0", "1", "2", "3"]
    assert json.loads(frame["metadata"][1]) == {"level": 1}
    assert rlenv.read_episodes(run).to_parquet(tmp_path / "e.parquet") == 4
    table = parquet.read_table(tmp_path / "e.parquet")
    assert table["completion"].to_pylist()[0] == f"0 {HOSTILE} ?"
    read = pandas.read_parquet(tmp_path / "e.parquet")
    assert list(read.columns) == list(frame.columns)
    assert read["flags"].tolist() == frame["flags"].tolist()


def test_a_file_that_was_there_stays_where_the_new_one_fails(run: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "e.parquet").write_text("before")
    broken = Episodes(iter([None]))  # type: ignore[list-item]
    with pytest.raises(AttributeError):
        broken.to_parquet(tmp_path / "e.parquet")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["before"]
