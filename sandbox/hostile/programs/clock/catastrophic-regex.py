# /// case
# attack = "A regular expression of exponential time."
# statuses = ["timeout"]
# ///
import re; print(re.match(r'(a+)+$', 'a' * 60 + 'b'))
