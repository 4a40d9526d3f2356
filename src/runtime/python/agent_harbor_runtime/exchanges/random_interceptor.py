"""Makes `uuid.uuid4()`, which LangGraph uses for IDs of messages, and the functions of `random`
return the same values in a replay as in the recorded run. Functions for secrets are left unchanged.
"""

from __future__ import annotations

import random
import sys
import uuid
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .exchanges import RunExchanges

#: The module in which older versions of LangChain make the IDs of spans, which must be unique.
_SPANS = "langchain_core.callbacks.manager"

#: The modules in which LangGraph makes the IDs of checkpoints, and OpenTelemetry those of spans, which
#: must be unique.
_UNIQUE_IDS = ("langgraph.checkpoint.base.id", "opentelemetry.sdk.trace.id_generator")

_DRAWS = ("random", "randint", "randrange", "uniform", "choice", "choices", "sample", "shuffle", "gauss")

#: Functions that older versions did not repeat. They are counted separately, so that the functions above
#: return the recorded values in replays of older recordings, too. Python 3.11 lacks `binomialvariate`.
_MORE_DRAWS = (
    "betavariate",
    "binomialvariate",
    "expovariate",
    "gammavariate",
    "getrandbits",
    "lognormvariate",
    "normalvariate",
    "paretovariate",
    "randbytes",
    "triangular",
    "vonmisesvariate",
    "weibullvariate",
)


def intercept_random() -> None:
    """Replaces the functions. Called before the project's code is loaded, because that code may keep
    them.
    """
    uuid4 = uuid.uuid4

    def intercepted() -> uuid.UUID:
        run = _current()
        if run is None or sys._getframe(1).f_globals.get("__name__") == _SPANS:
            return uuid4()
        return run.random_uuid("uuid")

    uuid.uuid4 = intercepted
    for purpose, names in (("number", _DRAWS), ("more numbers", _MORE_DRAWS)):
        for name in names:
            if hasattr(random, name):
                setattr(random, name, _intercepted_draw(name, getattr(random, name), purpose))


def _intercepted_draw(name: str, draw: Any, purpose: str) -> Any:
    """The replacement of a function of `random`, which is called `name`."""

    def drawn(*args: Any, **options: Any) -> Any:
        run = _current()
        if run is None or sys._getframe(1).f_globals.get("__name__") in _UNIQUE_IDS:
            return draw(*args, **options)
        return getattr(random.Random(run.random_bytes(purpose)), name)(*args, **options)

    return drawn


def _current() -> RunExchanges | None:
    """The run of the current code, if it is recorded or replayed."""
    # Nothing can be recorded before the module exchanges has been imported.
    exchanges = sys.modules.get(f"{__package__}.exchanges")
    return None if exchanges is None else exchanges.current_exchanges()
