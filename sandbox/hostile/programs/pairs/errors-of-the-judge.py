# /// case
# attack = "Raises errors named as those by which the judge hears of its candidate's end."
# limits = {wall_s = 3.0, memory_mb = 256}
# ///
def double(x):
    raise type("CandidateFailed" if x == 21 else "AssertionError", (Exception,), {"error": "ValueError"})("all was asked")
