"""Evidence of a hack: edits of a task and a completion, the verifier's word on them, and detectors over it.

`evidence` says what an edit is and what comes of it, `catalogue` holds them, `asker` asks, `detector` says what a
detector is, and `detectors` holds ours; `exploits` is the one catalogue of what can go wrong with a reward.
"""
