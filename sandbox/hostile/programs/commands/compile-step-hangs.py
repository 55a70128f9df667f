# /// case
# attack = "Hangs while it is compiled."
# statuses = ["syntax_error", "timeout"]
# limits = {wall_s = 0.7, compile_s = 0.7}
# compile = "steps/compile-step-hangs.py"
# ///
print(42)
