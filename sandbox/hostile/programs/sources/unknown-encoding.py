# /// case
# attack = "Names an encoding that does not exist."
# passes = "either"
# statuses = ["exited", "memory_limit", "signalled", "syntax_error"]
# ///
# -*- coding: rlenv-nonsense -*-
print(42)
