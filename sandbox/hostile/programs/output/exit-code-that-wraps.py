# /// case
# attack = "Answers and asks for exit codes that are 0 only when cut to eight bits; an exit of text is an error."
# statuses = ["exited"]
# ///
import sys; print(42); sys.exit('not 0')
