# /// case
# attack = "Hangs in the first call: the judge must not wait for ever."
# limits = {wall_s = 0.7}
# ///
def double(x):
    while True:
        pass
