for x in (21, 4, -3):
    assert call("double", x) == 2 * x
try:
    call("double", "no number")
except CandidateRaised as error:
    assert error.error == "ValueError", error.error
else:
    raise AssertionError("nothing was raised")
report("all was asked")
