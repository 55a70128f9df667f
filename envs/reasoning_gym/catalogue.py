"""Which datasets of reasoning-gym 0.1.23 are environments here, and which are left out and why.

The counts in the reasons are of the package's defaults: the first items of a seed, each checked by a few
lines that follow the question's own rules.
"""

from __future__ import annotations

_KEPT = """
ab acre advanced_geometry aiw arc_1d arc_agi base_conversion basic_arithmetic bf binary_alternation
binary_matrix bitwise_arithmetic boxnet caesar_cipher calendar_arithmetic chain_sum circuit_logic
color_cube_rotation complex_arithmetic count_bits count_primes countdown course_schedule cryptarithm
decimal_arithmetic decimal_chain_sum dice emoji_mystery family_relationships figlet_font fraction_simplification
futoshiki game_of_life game_of_life_halting gcd graph_color group_anagrams gsm_symbolic intermediate_integration
isomorphic_strings jugs kakurasu knight_swap knights_knaves largest_island lcm leg_counting letter_counting
letter_jumble list_functions manipulate_matrix maze mini_sudoku modulo_grid n_queens needle_haystack
number_filtering number_format number_sequence number_sorting palindrome_generation palindrome_partitioning
polynomial_equations polynomial_multiplication pool_matrix power_function prime_factorization products puzzle24
quantum_lock ransom_note rearc rectangle_count rotate_matrix rotten_oranges rubiks_cube rush_hour self_reference
sentence_reordering shortest_path simple_equations simple_geometry simple_integration sokoban spell_backward
spiral_matrix string_insertion string_manipulation string_splitting string_synthesis sudoku survo time_intervals
tower_of_hanoi word_ladder word_sequence_reversal word_sorting zebra_puzzles
"""
KEPT = tuple(_KEPT.split())

LEFT_OUT = {
    "codeio": "making an item runs a program that a language model wrote, in the caller's process; half of the "
    "items ask for an input where many are right and one is accepted",
    "composite": "a mixture of other datasets, not a task",
    "mahjong_puzzle": "25 of 150 references contradict the rules in the question",
    "propositional_logic": "any premise copied back is a valid conclusion",
    "syllogism": "78 of 600 references call a conclusion valid that does not follow",
    "tsumego": "97 of 400 references capture nothing, 90 of them because no move does",
}


def env_id(name: str) -> str:
    """The id of the environment of a dataset."""
    return f"reasoning_gym/{name}-v0"
