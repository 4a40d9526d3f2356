"""The question that a person answers before an unsure agent continues."""

import json
from typing import Annotated, Any, Literal

from langgraph.types import interrupt
from pydantic import BaseModel, Field, StringConstraints, TypeAdapter, ValidationError


class Approve(BaseModel):
    decision: Literal["approve"]


class Edit(BaseModel):
    decision: Literal["edit"]
    question: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Reject(BaseModel):
    decision: Literal["reject"]


Decision = Approve | Edit | Reject

_decision: TypeAdapter[Decision] = TypeAdapter(Annotated[Decision, Field(discriminator="decision")])

#: Each possible answer, with the value to resume the run with.
_ALLOWED = [
    {"decision": "approve", "description": "Answer from these passages.", "resume": {"decision": "approve"}},
    {
        "decision": "edit",
        "description": "Ask again in other words.",
        "resume": {"decision": "edit", "question": "the question in other words"},
    },
    {
        "decision": "reject",
        "description": "Say that the documents do not answer this.",
        "resume": {"decision": "reject"},
    },
]


def ask_for_approval(request: dict[str, Any]) -> Decision:
    """
    Interrupts the run until a person decides. An answer that is none of the allowed ones interrupts again and says what
    was wrong with it.
    """
    shown = {"type": "approval", **request, "allowed": _ALLOWED}
    while True:
        answer = interrupt(shown)
        try:
            return _decision.validate_python({"decision": answer} if isinstance(answer, str) else answer)
        except ValidationError as error:
            problem = f"{json.dumps(answer)} is none of the allowed answers: {error.errors()[0]['msg']}"
            shown = {**shown, "problem": problem}
