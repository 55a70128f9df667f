"""A harness of one's own: asks for a command until none comes, and runs what it is told."""

import json
import os
import subprocess
import urllib.request

FENCE = "```"
if __name__ == "__main__":
    messages = [{"role": "user", "content": os.environ["RLENV_TASK"]}]
    while True:
        asked = urllib.request.Request(
            os.environ["OPENAI_BASE_URL"] + "/chat/completions",
            json.dumps({"model": os.environ["RLENV_MODEL"], "messages": messages}).encode(),
            {"Authorization": "Bearer " + os.environ["OPENAI_API_KEY"], "Content-Type": "application/json"},
        )
        said = json.load(urllib.request.urlopen(asked))["choices"][0]["message"]["content"]
        if FENCE not in said:
            break
        _, output = subprocess.getstatusoutput(said.split(FENCE)[1])
        messages += [{"role": "assistant", "content": said}, {"role": "user", "content": output or "done"}]
