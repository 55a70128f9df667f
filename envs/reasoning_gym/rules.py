"""How each answer is checked, and which hole of the package's scorer that closes.

`same(reader)` compares the answer with the reference as values of one written form. A puzzle with many right
answers has a function of its own. None of them runs the package's scorers: several of those `eval` the
answer, which is the text of the model, and most pay a share for being near.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from rlenv.envs.reasoning_gym import board_puzzles, grid_puzzles, move_puzzles, number_puzzles, readers, word_puzzles
from rlenv.errors import TaskError
from rlenv.task import Task

Check: TypeAlias = Callable[[str, Task], bool]
"""True when the answer is right; raises Malformed when it is not written in the form asked for."""

SUBSTRING = "a share for text that holds the answer"
SHARE = "a share for a wrong answer"
EVAL = "`eval` of the answer"
NEAR = "full pay for a number that is only near"
ANY_TEXT = "full pay for text beside the answer"


@dataclass(frozen=True, slots=True)
class Rule:
    """How the answers of one dataset are checked."""

    check: Check
    form: str
    """What is compared or played, for the table."""
    closes: str
    """What the package's scorer pays for and this does not."""
    keeps: tuple[str, ...] = ()
    """The metadata of an item that the check reads."""


def same(reader: Callable[[str], object]) -> Check:
    """Right when the answer reads as the same value as the reference.

    Raises TaskError for a reference that cannot be read.
    """

    def check(answer: str, task: Task) -> bool:
        try:
            wanted = reader(str(task.reference))
        except readers.Malformed as error:  # not the completion's doing
            raise TaskError(f"task {task.id}: the reference is not of the form that answers have: {error}") from error
        return reader(answer) == wanted

    return check


_TEXT, _CASELESS, _NUMBER = same(readers.lines), same(readers.caseless), same(readers.number)
_ROWS: dict[str, Rule] = {
    (
        "acre aiw arc_1d base_conversion basic_arithmetic bf binary_alternation caesar_cipher count_bits "
        "count_primes course_schedule gcd isomorphic_strings largest_island lcm leg_counting "
        "letter_counting list_functions maze modulo_grid number_filtering number_sequence ransom_note "
        "rotate_matrix rotten_oranges simple_equations simple_geometry string_manipulation "
        "string_splitting string_synthesis word_sequence_reversal"
    ): Rule(_TEXT, "text", SUBSTRING),
    "manipulate_matrix": Rule(_TEXT, "text", SUBSTRING),
    "ab circuit_logic self_reference": Rule(_TEXT, "text", ""),
    "arc_agi rearc emoji_mystery sentence_reordering rectangle_count": Rule(_TEXT, "text", SHARE),
    "letter_jumble spell_backward": Rule(_TEXT, "text", f"{SHARE}; {ANY_TEXT}"),
    "binary_matrix spiral_matrix string_insertion": Rule(_TEXT, "text", f"{EVAL}; {SHARE}"),
    "time_intervals": Rule(_TEXT, "text", f"{SHARE}; {ANY_TEXT}"),
    "game_of_life_halting": Rule(_TEXT, "text", "full pay for any text at all"),
    "calendar_arithmetic color_cube_rotation figlet_font": Rule(_CASELESS, "text, any case", SHARE),
    "family_relationships needle_haystack zebra_puzzles dice": Rule(_CASELESS, "text, any case", ""),
    "chain_sum products": Rule(_NUMBER, "number", SUBSTRING),
    "decimal_chain_sum": Rule(_NUMBER, "number", ""),
    "gsm_symbolic": Rule(_NUMBER, "number", ANY_TEXT),
    "decimal_arithmetic number_format": Rule(_NUMBER, "number", NEAR),
    "power_function": Rule(same(readers.scientific), "number", NEAR),
    "bitwise_arithmetic": Rule(same(readers.hexadecimal), "number", ""),
    "complex_arithmetic": Rule(same(readers.complex_number), "complex number", SHARE),
    "advanced_geometry": Rule(same(readers.point), "numbers", SHARE),
    "polynomial_equations": Rule(same(readers.roots), "numbers", f"{SHARE}; {ANY_TEXT} where there is no root"),
    "prime_factorization": Rule(same(readers.factors), "numbers", SHARE),
    "number_sorting": Rule(same(readers.number_list), "numbers", f"{NEAR}, by up to 1"),
    "pool_matrix": Rule(same(readers.table), "numbers", f"{NEAR}, by 1 %; {SHARE}"),
    "fraction_simplification": Rule(same(readers.fraction), "fraction", f"{SHARE}; {ANY_TEXT}"),
    "polynomial_multiplication": Rule(same(readers.monomials), "polynomial", EVAL),
    "game_of_life": Rule(same(readers.json_text), "JSON", f"{SHARE}; full pay for a larger board"),
    "group_anagrams": Rule(same(readers.groups), "JSON", SHARE),
    "palindrome_partitioning": Rule(same(readers.partitions), "JSON", ""),
    "knights_knaves": Rule(same(readers.assignments), "roles", f"{SHARE}; {ANY_TEXT}"),
    "word_sorting": Rule(same(readers.comma_list), "words", SHARE),
    "simple_integration": Rule(number_puzzles.integration, "derivative", EVAL, ("integrand", "variable")),
    "intermediate_integration": Rule(
        number_puzzles.integration,
        "derivative",
        f"{EVAL}; full pay for an unevaluated Integral(...)",
        ("integrand", "variable"),
    ),
    "countdown": Rule(number_puzzles.countdown, "formula", f"{EVAL}; {NEAR}; {SHARE}", ("numbers", "target")),
    "puzzle24": Rule(
        number_puzzles.puzzle24,
        "formula",
        f"{EVAL}; full pay for numbers that were not given, and for 24.9",
        ("numbers",),
    ),
    "cryptarithm": Rule(number_puzzles.cryptarithm, "sum", SHARE, ("words_letters", "result_letters")),
    "sudoku mini_sudoku": Rule(grid_puzzles.sudoku, "grid", SHARE, ("puzzle",)),
    "futoshiki": Rule(grid_puzzles.futoshiki, "grid", SHARE, ("puzzle", "constraints")),
    "survo": Rule(grid_puzzles.survo, "grid", ANY_TEXT, ("puzzle", "candidate_numbers")),
    "kakurasu": Rule(grid_puzzles.kakurasu, "grid", ANY_TEXT, ("row_sums", "col_sums")),
    "n_queens": Rule(grid_puzzles.n_queens, "grid", f"{EVAL}; {SHARE}", ("puzzle",)),
    "graph_color": Rule(grid_puzzles.graph_color, "colours", SHARE, ("puzzle",)),
    "palindrome_generation": Rule(word_puzzles.palindrome, "letters", SHARE, ("letters",)),
    "word_ladder": Rule(word_puzzles.word_ladder, "words", SHARE, ("start_word", "end_word")),
    "jugs": Rule(move_puzzles.jugs, "moves", SHARE, ("puzzle",)),
    "boxnet": Rule(move_puzzles.boxnet, "moves", f"{SHARE}; illegal moves", ("initial_state",)),
    "tower_of_hanoi": Rule(
        move_puzzles.tower_of_hanoi,
        "moves",
        SHARE,
        ("num_disks", "num_pegs", "start_peg", "target_peg", "solution_length"),
    ),
    "quantum_lock": Rule(
        move_puzzles.quantum_lock,
        "moves",
        f"{SHARE}; {ANY_TEXT}; presses that do nothing",
        ("buttons", "initial_value", "initial_state", "target_value"),
    ),
    "knight_swap": Rule(
        move_puzzles.knight_swap,
        "moves",
        f"{SHARE}; `No` where the removed moves are hidden",
        ("board", "pieces", "start_turn", "num_steps"),
    ),
    "shortest_path": Rule(board_puzzles.shortest_path, "moves", SHARE, ("matrix",)),
    "sokoban": Rule(board_puzzles.sokoban, "moves", f"illegal moves; {ANY_TEXT}", ("gamestr",)),
    "rush_hour": Rule(board_puzzles.rush_hour, "moves", f"{SHARE}; illegal moves; {ANY_TEXT}", ("board",)),
    "rubiks_cube": Rule(board_puzzles.rubiks_cube, "moves", SHARE, ("cube_size", "scramble_moves")),
}
RULES: Mapping[str, Rule] = MappingProxyType({name: rule for names, rule in _ROWS.items() for name in names.split()})
