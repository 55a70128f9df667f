# /// case
# attack = "Raises what would end the judge's own process well, if it were raised there."
# ///
def double(x):
    raise SystemExit(0)
