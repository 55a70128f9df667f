# /// case
# attack = "Answers by reading a pipe that only it could write: it waits for itself."
# statuses = ["timeout"]
# limits = {wall_s = 0.5, file_bytes = 8388608}
# ///
import os; os.mkfifo('answer'); print(open('answer').read())
