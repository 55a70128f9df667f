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


def _table() -> dict[str, Rule]:
    table: dict[str, Rule] = {}

    def add(names: str, check: Check, form: str, closes: str, keeps: str = "") -> None:
        for name in names.split():
            table[name] = Rule(check, form, closes, tuple(keeps.split()))

    text, caseless, number = same(readers.lines), same(readers.caseless), same(readers.number)
    add(
        """acre aiw arc_1d base_conversion basic_arithmetic bf binary_alternation caesar_cipher count_bits
        count_primes course_schedule gcd isomorphic_strings largest_island lcm leg_counting letter_counting
        list_functions maze modulo_grid number_filtering number_sequence ransom_note rotate_matrix
        rotten_oranges simple_equations simple_geometry string_manipulation string_splitting string_synthesis
        word_sequence_reversal""",
        text,
        "text",
        SUBSTRING,
    )
    add("manipulate_matrix", text, "text", SUBSTRING)
    add("ab circuit_logic self_reference", text, "text", "")
    add("arc_agi rearc emoji_mystery sentence_reordering rectangle_count", text, "text", SHARE)
    add("letter_jumble spell_backward", text, "text", f"{SHARE}; {ANY_TEXT}")
    add("binary_matrix spiral_matrix string_insertion", text, "text", f"{EVAL}; {SHARE}")
    add("time_intervals", text, "text", f"{SHARE}; {ANY_TEXT}")
    add("game_of_life_halting", text, "text", "full pay for any text at all")
    add("calendar_arithmetic color_cube_rotation figlet_font", caseless, "text, any case", SHARE)
    add("family_relationships needle_haystack zebra_puzzles dice", caseless, "text, any case", "")
    add("chain_sum products", number, "number", SUBSTRING)
    add("decimal_chain_sum", number, "number", "")
    add("gsm_symbolic", number, "number", ANY_TEXT)
    add("decimal_arithmetic number_format", number, "number", NEAR)
    add("power_function", same(readers.scientific), "number", NEAR)
    add("bitwise_arithmetic", same(readers.hexadecimal), "number", "")
    add("complex_arithmetic", same(readers.complex_number), "complex number", SHARE)
    add("advanced_geometry", same(readers.point), "numbers", SHARE)
    add("polynomial_equations", same(readers.roots), "numbers", f"{SHARE}; {ANY_TEXT} where there is no root")
    add("prime_factorization", same(readers.factors), "numbers", SHARE)
    add("number_sorting", same(readers.number_list), "numbers", f"{NEAR}, by up to 1")
    add("pool_matrix", same(readers.table), "numbers", f"{NEAR}, by 1 %; {SHARE}")
    add("fraction_simplification", same(readers.fraction), "fraction", f"{SHARE}; {ANY_TEXT}")
    add("polynomial_multiplication", same(readers.monomials), "polynomial", EVAL)
    add("game_of_life", same(readers.json_text), "JSON", f"{SHARE}; full pay for a larger board")
    add("group_anagrams", same(readers.groups), "JSON", SHARE)
    add("palindrome_partitioning", same(readers.partitions), "JSON", "")
    add("knights_knaves", same(readers.assignments), "roles", f"{SHARE}; {ANY_TEXT}")
    add("word_sorting", same(readers.comma_list), "words", SHARE)
    add("simple_integration", number_puzzles.integration, "derivative", EVAL, "integrand variable")
    add(
        "intermediate_integration",
        number_puzzles.integration,
        "derivative",
        f"{EVAL}; full pay for an unevaluated Integral(...)",
        "integrand variable",
    )
    add("countdown", number_puzzles.countdown, "formula", f"{EVAL}; {NEAR}; {SHARE}", "numbers target")
    add(
        "puzzle24",
        number_puzzles.puzzle24,
        "formula",
        f"{EVAL}; full pay for numbers that were not given, and for 24.9",
        "numbers",
    )
    add("cryptarithm", number_puzzles.cryptarithm, "sum", SHARE, "words_letters result_letters")
    add("sudoku mini_sudoku", grid_puzzles.sudoku, "grid", SHARE, "puzzle")
    add("futoshiki", grid_puzzles.futoshiki, "grid", SHARE, "puzzle constraints")
    add("survo", grid_puzzles.survo, "grid", ANY_TEXT, "puzzle candidate_numbers")
    add("kakurasu", grid_puzzles.kakurasu, "grid", ANY_TEXT, "row_sums col_sums")
    add("n_queens", grid_puzzles.n_queens, "grid", f"{EVAL}; {SHARE}", "puzzle")
    add("graph_color", grid_puzzles.graph_color, "colours", SHARE, "puzzle")
    add("palindrome_generation", word_puzzles.palindrome, "letters", SHARE, "letters")
    add("word_ladder", word_puzzles.word_ladder, "words", SHARE, "start_word end_word")
    add("jugs", move_puzzles.jugs, "moves", SHARE, "puzzle")
    add("boxnet", move_puzzles.boxnet, "moves", f"{SHARE}; illegal moves", "initial_state")
    add(
        "tower_of_hanoi",
        move_puzzles.tower_of_hanoi,
        "moves",
        SHARE,
        "num_disks num_pegs start_peg target_peg solution_length",
    )
    add(
        "quantum_lock",
        move_puzzles.quantum_lock,
        "moves",
        f"{SHARE}; {ANY_TEXT}; presses that do nothing",
        "buttons initial_value initial_state target_value",
    )
    add(
        "knight_swap",
        move_puzzles.knight_swap,
        "moves",
        f"{SHARE}; `No` where the removed moves are hidden",
        "board pieces start_turn num_steps",
    )
    add("shortest_path", board_puzzles.shortest_path, "moves", SHARE, "matrix")
    add("sokoban", board_puzzles.sokoban, "moves", f"illegal moves; {ANY_TEXT}", "gamestr")
    add("rush_hour", board_puzzles.rush_hour, "moves", f"{SHARE}; illegal moves; {ANY_TEXT}", "board")
    add("rubiks_cube", board_puzzles.rubiks_cube, "moves", SHARE, "cube_size scramble_moves")
    return table


RULES: Mapping[str, Rule] = MappingProxyType(_table())
