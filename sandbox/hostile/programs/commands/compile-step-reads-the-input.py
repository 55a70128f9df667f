# /// case
# attack = "Reads the input while it is compiled, when a longer limit holds, and works out the answer there."
# stdin = "21"
# compile = "steps/compile-step-reads-the-input.py"
# ///
print(open('made').read())
