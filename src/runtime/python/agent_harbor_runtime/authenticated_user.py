"""The user that the project's own `auth` authenticated, as its handlers and graphs get it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .protocol import AuthUser


class AuthenticatedUser(Mapping[str, Any]):
    """A `BaseUser` of `langgraph_sdk`: attributes, and the same fields by name."""

    def __init__(self, user: AuthUser) -> None:
        self._fields = {
            "is_authenticated": True,
            "display_name": user["identity"],
            **user["fields"],
            "identity": user["identity"],
            "permissions": user["permissions"],
        }

    @property
    def identity(self) -> str:
        return self._fields["identity"]  # type: ignore[no-any-return]

    @property
    def display_name(self) -> str:
        return str(self._fields["display_name"])

    @property
    def is_authenticated(self) -> bool:
        return bool(self._fields["is_authenticated"])

    @property
    def permissions(self) -> list[str]:
        return self._fields["permissions"]  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_fields"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __getitem__(self, key: str) -> Any:
        return self._fields[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __repr__(self) -> str:
        return f"AuthenticatedUser({self.identity!r})"
