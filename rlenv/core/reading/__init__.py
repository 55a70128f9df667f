"""What a policy says, read once: `reasoning`, `content` and `tool_calls` as spans of its text."""

from rlenv.core.reading.passage import READ_AS, Passage, ReadAs, Span, plain_content
from rlenv.core.reading.reader import MARKS, Reading, Segment, read
from rlenv.core.reading.traces import Trace, opens_trace

__all__ = [
    "MARKS",
    "READ_AS",
    "Passage",
    "ReadAs",
    "Reading",
    "Segment",
    "Span",
    "Trace",
    "opens_trace",
    "plain_content",
    "read",
]
