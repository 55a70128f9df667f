# /// case
# attack = "Asks for a future that changes the language, to see whether the caller's compiler flags leak in."
# passes = "either"
# statuses = ["exited", "memory_limit", "signalled", "syntax_error"]
# ///
from __future__ import annotations, barry_as_FLUFL
print(42 if 1 <> 2 else 41)
