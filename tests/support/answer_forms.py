"""The forms in which models write one answer: bare, or behind thoughts as their formats mark them."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from rlenv.core.reading import read

Form: TypeAlias = Literal["bare", "think", "template", "channels"]
FORMS: tuple[Form, ...] = get_args(Form)
THOUGHTS = "Let me think."


def written(answer: str, form: Form, thoughts: str = THOUGHTS) -> str:
    """The answer behind thoughts: in tags, in a trace that the chat template opened, in gpt-oss' channels.

    An answer that brings thoughts of its own, as a format may ask for, keeps those.
    """
    if form == "bare":
        return answer
    own = read(answer)
    if own.calls:  # they are no answer, and written otherwise in each form
        return answer
    answer, thoughts = own.content.text, own.reasoning.text or thoughts
    if form == "think":
        return f"<think>\n{thoughts}\n</think>\n{answer}"
    if form == "template":
        return f"{thoughts}\n</think>\n{answer}"
    return (
        f"<|channel|>analysis<|message|>{thoughts}<|end|>"
        f"<|start|>assistant<|channel|>final<|message|>{answer}<|return|>"
    )
