# /// case
# attack = "None: what is right passes, with what its compile step made."
# passes = true
# compile = "steps/a-right-command.py"
# ///
print(open('made').read())
