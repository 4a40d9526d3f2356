"""A run's cache of its thread's checkpoints."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..protocol import CheckpointTuple, PendingWrite, SerializedValue


@dataclass
class Known:
    """A checkpoint with the version and the value of each channel that has one."""

    saved: CheckpointTuple
    versions: dict[str, str]
    is_newest: bool
    writes: dict[tuple[str, int], PendingWrite] = field(default_factory=dict)


class CheckpointMemory:
    """One checkpoint of each namespace: the one that was put last, or else the one that the server
    sent with the request. It is serialized, so that each reader gets new values.
    """

    def __init__(self) -> None:
        self._known: dict[str, Known] = {}
        #: Whether the thread has no checkpoints in other namespaces than those here.
        self.is_whole = False

    def find(self, namespace: str, checkpoint_id: str | None) -> CheckpointTuple | None:
        """The checkpoint with this ID, or the newest one of a namespace; None when it is not known here."""
        known = self._known.get(namespace)
        if known is None:
            return None
        if not (known.is_newest if checkpoint_id is None else checkpoint_id == known.saved["checkpoint_id"]):
            return None
        return {**known.saved, "pending_writes": list(known.writes.values())}

    def lacks(self, namespace: str, checkpoint_id: str | None) -> bool:
        """Whether the checkpoint certainly does not exist."""
        return self.is_whole and checkpoint_id is None and namespace not in self._known

    def remember(self, checkpoint: CheckpointTuple, versions: dict[str, str], is_newest: bool) -> None:
        """Remembers a checkpoint instead of the one known in its namespace."""
        known = Known(checkpoint, versions, is_newest)
        for write in checkpoint["pending_writes"]:
            known.writes[(write["task_id"], write["index"])] = write
        self._known[checkpoint["checkpoint_ns"]] = known

    def values_of(self, namespace: str, versions: dict[str, str]) -> dict[str, SerializedValue] | None:
        """Values of channels at these versions; None when one of them is unknown here."""
        known = self._known.get(namespace)
        values: dict[str, SerializedValue] = {}
        for channel, version in versions.items():
            if known is None or known.versions.get(channel) != version:
                return None
            value = known.saved["channel_values"].get(channel)
            if value is None:
                return None
            values[channel] = value
        return values

    def add_writes(self, namespace: str, checkpoint_id: str, writes: list[PendingWrite]) -> None:
        """Adds writes as the server stores them: special writes (errors, interrupts, resumes)
        replace earlier ones, others are kept as first written.
        """
        known = self._known.get(namespace)
        if known is None or known.saved["checkpoint_id"] != checkpoint_id:
            return
        for write in writes:
            key = (write["task_id"], write["index"])
            if write["index"] < 0 or key not in known.writes:
                known.writes[key] = write

    def forget(self, namespace: str) -> None:
        """Forgets a namespace, when its newest checkpoint is not known with all its values."""
        self._known.pop(namespace, None)
        self.is_whole = False

    def clear(self) -> None:
        self._known.clear()
        self.is_whole = False
