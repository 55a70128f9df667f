# /// case
# attack = "Becomes a new interpreter again and again."
# limits = {wall_s = 0.7}
# ///
import os, sys
code = "import os, sys; os.execv(sys.executable, [sys.executable, '-I', '-c', sys.argv[1], sys.argv[1]])"
os.execv(sys.executable, [sys.executable, "-I", "-c", code, code])
