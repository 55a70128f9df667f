import os
note = "@SECRET@"
os.environ["NOTE"] = note
def keep(word):
    kept = [word + str(n) for n in range(2000)]
    for place in (".", "/tmp", "/dev/shm"):
        try:
            with open(os.path.join(place, "note"), "w") as file:
                file.write(note)
        except OSError:
            pass
    print(note, len(kept))
    return word
