"""Makes `uuid.uuid4()`, which LangGraph uses for IDs of messages, and the most common functions of
`random` return the same values in a replay as in the recorded run. Functions for secrets are left
unchanged.
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

_DRAWS = ("random", "randint", "randrange", "uniform", "choice", "choices", "sample", "shuffle", "gauss")


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
    for name in _DRAWS:
        setattr(random, name, _intercepted_draw(name, getattr(random, name)))


def _intercepted_draw(name: str, draw: Any) -> Any:
    """The replacement of a function of `random`, which is called `name`."""

    def drawn(*args: Any, **options: Any) -> Any:
        run = _current()
        if run is None:
            return draw(*args, **options)
        return getattr(random.Random(run.random_bytes("number")), name)(*args, **options)

    return drawn


def _current() -> RunExchanges | None:
    """The run of the current code, if it is recorded or replayed."""
    # Nothing can be recorded before the module exchanges has been imported.
    exchanges = sys.modules.get(f"{__package__}.exchanges")
    return None if exchanges is None else exchanges.current_exchanges()
