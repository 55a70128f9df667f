# /// case
# attack = "Catches whatever is raised into it and goes on."
# statuses = ["timeout"]
# ///
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
