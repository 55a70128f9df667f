"""What counts as a right answer of a reasoning-gym task: other right answers do, known tricks do not."""

import pytest

import rlenv
from rlenv.completion import Completion
from rlenv.envs.reasoning_gym.answer_tags import Answer, read, write
from rlenv.envs.reasoning_gym.catalogue import env_id
from rlenv.envs.reasoning_gym.verifier import AnswerVerifier
from rlenv.grading import Grader
from rlenv.jsontypes import Json
from rlenv.task import Task
from rlenv.verdict import VERIFIER_ERROR, Flag
from rlenv.verifier import judge
from rlenv.workers import WorkerPool

PARABOLA: dict[str, Json] = {"integrand": "3*x**2", "variable": "x"}
SINE: dict[str, Json] = {"integrand": "x*sin(x)", "variable": "x"}
COUNTDOWN: dict[str, Json] = {"numbers": [3, 5, 7], "target": 8}
TWENTY_FOUR: dict[str, Json] = {"numbers": [4, 6, 1, 1]}
HALF: dict[str, Json] = {"numbers": [5, 5, 5, 1]}
CRYPT: dict[str, Json] = {"words_letters": ["AB", "C"], "result_letters": "DE"}
QUEENS: dict[str, Json] = {"puzzle": [["_", "Q", "_", "_"], ["_"] * 4, ["_"] * 4, ["_"] * 4]}
SUDOKU: dict[str, Json] = {"puzzle": [[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 0, 0]]}
SURVO: dict[str, Json] = {"puzzle": [[0, 2, 3], [0, 1, 4], [4, 3, 7]], "candidate_numbers": [1, 3]}
FUTOSHIKI: dict[str, Json] = {"puzzle": [[0, 0], [0, 1]], "constraints": [[0, 0, 0, 1, "<"]]}
GRAPH: dict[str, Json] = {"puzzle": {"vertices": [0, 1], "edges": [[0, 1]], "color_options": [1, 2]}}
MAZE: dict[str, Json] = {"matrix": [["*", "O"], ["O", "#"]]}
SOKOBAN: dict[str, Json] = {"gamestr": "+ + + + +\n+ * @ X +\n+ + + + +"}
RUSH: dict[str, Json] = {"board": ["..B...", "..B...", "AAB...", "......", "......", "......"]}
CUBE: dict[str, Json] = {"cube_size": 3, "scramble_moves": "R U"}
JUGS: dict[str, Json] = {"puzzle": {"jug_capacities": [3, 5, 8], "target": 2}}
LOCK: dict[str, Json] = {
    "buttons": [
        {"name": "A", "type": "add", "value": 2, "active_state": "green"},
        {"name": "B", "type": "add", "value": 1, "active_state": "any"},
    ],
    "initial_value": 0,
    "initial_state": "red",
    "target_value": 3,
}
HANOI: dict[str, Json] = {"num_disks": 1, "num_pegs": 3, "start_peg": 1, "target_peg": 3, "solution_length": 1}
KNIGHTS: dict[str, Json] = {
    "board": {"A1": ["B3"], "B3": ["A1", "C1"], "C1": ["B3"]},
    "pieces": {"A1": "w", "B3": None, "C1": None},
    "start_turn": "w",
    "num_steps": 1,
}
BOXES: dict[str, Json] = {"initial_state": {"0.5_0.5": ["box_red"], "0.5_1.5": ["target_red"], "0.5_2.5": []}}
LADDER: dict[str, Json] = {"start_word": "COLD", "end_word": "CARD"}

Row = tuple[str, Json, dict[str, Json], tuple[str, ...], tuple[str, ...]]
ROWS: list[Row] = [
    ("chain_sum", "1250", {}, ("1,250", "+1250", "1250.0", "01250"), ("1,25,0", "1250.1", "١٢٥٠", "12 50", "1.25e3")),
    ("gsm_symbolic", "12", {}, ("12.00",), ("12 apples", "$12", "13 12", "12/1")),
    ("decimal_arithmetic", "0.667871266144", {}, (), ("0.667871266147", "0.66787126614", "0.6678712661440001")),
    ("power_function", "8.06e-06", {}, ("8.06e-6", "0.00000806"), ("8.0554e-06", "8.1e-06", "8.06*10**-6")),
    ("bitwise_arithmetic", "-0x1f", {}, ("-0x1F", "-0x01f"), ("-31", "0x1f", "-0x1f + 0")),
    ("complex_arithmetic", "4.0 - 1.0i", {}, ("4-i", "(4 - 1i)"), ("4 + 1i", "4", "-1i", "4 - i i")),
    ("complex_arithmetic", "12.00", {}, ("12", "12 + 0i"), ("12i", "1 2", "")),
    ("complex_arithmetic", "6.00i", {}, ("6i", "0 + 6i"), ("6", "-6i", "i6")),
    ("number_format", "839799906.478", {}, ("839,799,906.478",), ("839799906.48", "839799906")),
    ("number_sorting", "['1.5', '20.0']", {}, ("[1.5, 20]", '["1.5", "20.0"]'), ("['1.9', '20.9']", "['20.0', '1.5']")),
    ("pool_matrix", "5.22 6.0\n4.0 3.0", {}, ("5.22 6\n4 3",), ("5.25 6.0\n4.0 3.0", "5.22 6.0 4.0 3.0")),
    ("polynomial_equations", "", {}, ("", '""'), ("no real roots", "none", "0")),
    ("polynomial_equations", "-1.5, 2.0", {}, ("2, -1.5",), ("2", "2, -1.5, 0", "2, -1.49", "x = 2, -1.5")),
    (
        "polynomial_multiplication",
        "x**2 - 1",
        {},
        ("-1 + x**2",),
        ("(x - 1)*(x + 1)", "x*x - 1", "x**2 - 2 + 1", "x**2", "x* *2 - 1"),
    ),
    ("fraction_simplification", "$\\frac{3}{4}$", {}, ("3/4", "\\dfrac{3}{4}"), ("6/8", "3/4 or 1/2", "0.75", "$3/4")),
    ("prime_factorization", "2 × 2 × 3", {}, ("3 x 2 * 2",), ("12", "2 × 6", "2 × 2 × 3 × 1", "4 × 3")),
    (
        "game_of_life",
        "[[0,1],[1,0]]",
        {},
        ("[[0, 1], [1, 0]]",),
        ("[[0,1,9],[1,0,9],[9]]", "[[false,true],[true,false]]"),
    ),
    ("game_of_life_halting", "True", {}, ("True",), ("False", "true", "yes", "anything", "True False")),
    ("group_anagrams", '[["a","b"],["c"]]', {}, ('[["c"],["b","a"]]',), ('[["a","b"]]', '[["a"],["b"],["c"]]')),
    ("knights_knaves", "Ann is a fool, and Bo is a sage.", {}, ("Bo is a sage, Ann is a fool",), ("Ann is a fool",)),
    ("knights_knaves", "Ann is a fool.", {}, (), ("Ann is a fool, and Ann is a sage.", "Ann is a fool or a sage")),
    ("word_sorting", "a, b", {}, ("a,b",), ("b, a", "a, b, b", "a b")),
    ("rotate_matrix", "1 2\n3 4", {}, (" 1  2 \n3 4\n",), ("1 2 3 4", "1 2\n4 3")),
    (
        "simple_integration",
        None,
        PARABOLA,
        ("x**3 + C", "x**3", "x*x*x - 7 + C*2"),
        ("x**3 + x", "3*x**2", "x**3.0000000001"),
    ),
    ("intermediate_integration", None, SINE, ("sin(x) - x*cos(x) + C",), ("Integral(x*sin(x), x) + C", "x*sin(x)**1")),
    ("countdown", None, COUNTDOWN, ("3*5 - 7", "5*3-7", "-(7 - (3)*5)"), ("8", "3 + 5", "7 + 5 - 3 - 1")),
    ("countdown", None, COUNTDOWN, (), ("3*5 - 7.0 + 0", "3**5 - 7", "35 - 7", "3*5 - 7 # 8", "int('8')")),
    ("puzzle24", None, TWENTY_FOUR, ("4*6*1*1", "(4*6)/1*1", "4*6*1/1"), ("4*6", "8*3*1*1", "4*6*1 + 1")),
    ("puzzle24", None, HALF, ("5*(5 - 1/5)",), ("5*5 - 1/5", "24")),
    (
        "cryptarithm",
        None,
        CRYPT,
        ("A=1,B=8,C=5,D=2,E=3", "E=4,A=1,B=9,C=5,D=2"),
        ("A=0,B=1,C=2,D=0,E=3", "A=1,B=8,C=5"),
    ),
    ("n_queens", None, QUEENS, ("_ Q _ _\n_ _ _ Q\nQ _ _ _\n_ _ Q _",), ("_ _ Q _\nQ _ _ _\n_ _ _ Q\n_ Q _ _",)),
    ("mini_sudoku", None, SUDOKU, ("1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 1",), ("1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 1 2",)),
    ("survo", None, SURVO, ("1 2 3\n3 1 4\n4 3 7",), ("3 2 3\n1 1 4\n4 3 7",)),
    ("futoshiki", None, FUTOSHIKI, ("1 < 2\n2   1", "1 2\n2 1"), ("2 1\n1 2", "1 2\n2 1 ok")),
    ("graph_color", None, GRAPH, ('{"0": 2, "1": 1}',), ('{"0": 1, "1": 1}', '{"0": 1}', '{"0": 1, "1": true}')),
    ("shortest_path", "down right", MAZE, ("right down",), ("infeasible", "down up down right", "right right")),
    ("shortest_path", "infeasible", MAZE, ("infeasible",), ("right down", "")),
    ("sokoban", None, SOKOBAN, ("R",), ("LR", "UR", "", "RR")),
    ("rush_hour", None, RUSH, ("B+3 A+4", "B+1 B+2 A+1 A+3"), ("B+9 A+9", "A+4", "B+3", "B+3 A+4 nonsense")),
    ("rubiks_cube", None, CUBE, ("U' R'",), ("R' U'", "U R'", "U3 R'", "")),
    (
        "jugs",
        None,
        JUGS,
        ('["fill B", "pour B->A"]',),
        ('["fill A"]', '["pour B->B"]', '["fill B", "pour B->Z"]', '"fill B"'),
    ),
    ("quantum_lock", "B → A", LOCK, ("B→A",), ("A → A", "B → B → B", "B → A, I think", "B A")),
    (
        "tower_of_hanoi",
        None,
        HANOI,
        ("Move disk 1 from Peg 1 to Peg 3",),
        ("Move disk 1 from Peg 1 to Peg 2", "1 to 3"),
    ),
    ("knight_swap", None, KNIGHTS, (), ('["w,A1,C1"]', "No", '["w,A1,B3"]', '["B,A1,B3"]')),
    (
        "boxnet",
        None,
        BOXES,
        ('[{"Agent[0.5, 0.5]": "move(box_red, square[0.5, 1.5])"}, {"Agent[0.5, 1.5]": "move(box_red, target_red)"}]',),
        (
            "[]",
            '[{"Agent[0.5, 0.5]": "move(box_red, target_red)"}]',
            '[{"Agent[0.5, 0.5]": "move(box_red, square[0.5, 2.5])"}]',
        ),
    ),
    (
        "word_ladder",
        None,
        LADDER,
        ("COLD,CORD,CARD", "COLD, CORD, CARD"),
        ("COLD,CARD", "COLD,CXLD,CORD,CARD", "cold,cord,card"),
    ),
    ("palindrome_generation", None, {"letters": ["b", "a", "a"]}, ("aba",), ("bab", "ab", "a b a")),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row[0]))
def test_other_right_answers_are_paid_and_tricks_are_not(row: Row) -> None:
    name, reference, metadata, right, wrong = row
    task = Task("?", reference, metadata=metadata)
    for answers, reward in ((right, 1.0), (wrong, 0.0)):
        for answer in answers:
            verdict = AnswerVerifier(name).verify(task, Completion(write(answer)))
            assert verdict.reward == reward, (answer, verdict.reason)


def test_letters_may_come_in_any_order() -> None:
    definition = rlenv.load(env_id("cryptarithm"), split="all")
    task = definition.tasks[0]
    letters = str(task.reference).split(",")
    assert definition.verifier.verify(task, Completion(write(",".join(reversed(letters))))).reward == 1.0


@pytest.mark.parametrize(
    ("completion", "flag"),
    [
        ("", "no_answer"),
        ("42", "no_answer"),
        ("<answer>42", "broken_tags"),
        ("</answer>42<answer>", "broken_tags"),
        ("<answer><answer>42</answer></answer>", "broken_tags"),
        ("<answer>42</answer><answer></answer>", "several_answers"),
    ],
)
def test_completion_without_one_answer_is_flagged(completion: str, flag: str) -> None:
    found = read(completion)
    assert isinstance(found, Flag)
    assert found.name == flag
    assert 0 <= found.start <= found.end <= len(completion)


def test_the_span_is_that_of_the_last_answer() -> None:
    said = "<answer>42</answer> or <answer> 42</answer>"
    found = read(said)
    assert isinstance(found, Answer)
    assert (found.text, found.start) == ("42", said.rindex("42"))


def test_reference_that_cannot_be_read_is_a_failure_of_the_checker() -> None:
    assert judge(AnswerVerifier("chain_sum"), Task("?", "many"), Completion(write("1"))).status == VERIFIER_ERROR
    assert judge(AnswerVerifier("countdown"), Task("?", "1"), Completion(write("1"))).status == VERIFIER_ERROR


def test_answer_far_longer_than_any_right_one_is_not_read() -> None:
    verdict = AnswerVerifier("gcd").verify(Task("?", "7"), Completion(write("7" + " x" * 20_000)))
    assert (verdict.reward, "too long" in verdict.reason) == (0.0, True)


@pytest.mark.slow
def test_verdicts_are_the_same_in_a_fresh_process() -> None:
    with WorkerPool(1) as pool:
        for name in ("word_ladder", "simple_integration", "rubiks_cube"):
            definition = rlenv.load(env_id(name), split="all", isolation="process")
            task = definition.tasks[0]
            said = [Completion(text) for text in (definition.solution(task), write("ABLE"), "")]
            verdicts = Grader(definition, pool).judge_all([(task, completion) for completion in said])
            assert [verdict.reward for verdict in verdicts] == [1.0, 0.0, 0.0]
