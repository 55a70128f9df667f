def read(path):
    # prints what is there: the runner knows the secret and looks for it
    try:
        with open(path, "rb") as file:
            got = file.read(2048)
    except OSError as error:
        print("HELD", path, error.strerror, flush=True)
    else:
        print("read", path, got, flush=True)
