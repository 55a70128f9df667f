# /// case
# attack = "Says on its channel what only a judge says: a report, a question, the end."
# statuses = ["tampered"]
# ///
import os
os.write(3, b'+ "all was asked"\n? ["double",[1],{}]\n! run\nx 0\n')
def double(x):
    return 42
