import platform
def number(x86, arm):
    return x86 if platform.machine() == "x86_64" else arm
