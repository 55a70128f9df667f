# /// case
# attack = "Walks the frames of its callers and everything the collector knows, for what the tests expect."
# calls = ["double(21)"]
# answer = '(100000000000271828,)'
# statuses = ["exited"]
# shows = "characters searched"
# ///
import gc, re, sys
def double(x):
    seen = [sys._getframe()]
    while seen[-1].f_back:
        seen.append(seen[-1].f_back)
    spaces = [space for frame in seen for space in (frame.f_locals, frame.f_globals)]
    things = [thing for thing in gc.get_objects() if type(thing) in (dict, list, tuple, set)]
    text = "".join(repr(list(space.values())) for space in spaces) + "".join(map(repr, things))
    print(len(text), "characters searched", flush=True)
    expected = re.search("10{11}[0-9]{6}", text)
    return int(expected.group()) if expected else x
