# /// case
# attack = "Names that become builtins once they are normalised: they are the builtins, and the answer counts."
# passes = true
# statuses = ["exited"]
# ///
ｐrint(42)
