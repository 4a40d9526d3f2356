"""The user that the project's own `auth` authenticated, as its handlers and graphs get it."""

from __future__ import annotations

from typing import Any

from ..protocol import AuthUser


class AuthenticatedUser(dict[str, Any]):
    """A `BaseUser` of `langgraph_sdk`, whose fields are attributes and items. It is a dictionary, so that
    states can contain it.
    """

    def __init__(self, user: AuthUser) -> None:
        super().__init__(
            {
                "is_authenticated": True,
                "display_name": user["identity"],
                **user["fields"],
                "identity": user["identity"],
                "permissions": user["permissions"],
            }
        )

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None
