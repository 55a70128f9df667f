# /// case
# attack = "Names an encoding in which the text means something else than it says."
# statuses = ["exited", "memory_limit", "signalled", "syntax_error"]
# ///
# -*- coding: utf-7 -*-
print(41) #+AAo-print(42)
