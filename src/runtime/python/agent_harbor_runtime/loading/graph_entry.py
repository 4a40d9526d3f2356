"""A graph in `langgraph.json`: a file or a module, and its export."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ..errors.runtime_error import GraphLoadError


@dataclass(frozen=True)
class GraphEntry:
    """A graph's place. `file` is None for an entry that names a module (`package.module:name`);
    otherwise, `module` is a name made from the file's path.
    """

    file: Path | None
    module: str
    export: str

    @property
    def what(self) -> str:
        """Names the export and its place in messages."""
        return f"'{self.export}' of {self.file or self.module}"


def parse_graph_path(project_dir: Path, spec: str) -> GraphEntry:
    """Reads `file:name` or `module:name`. Raises GraphLoadError when it is neither."""
    place, _, export = spec.rpartition(":")
    if not place or not export:
        raise GraphLoadError(
            f"'{spec}' is not a graph. Use a file and a variable in it, such as ./agent.py:graph."
        )
    if place.endswith(".py") or "/" in place or "\\" in place:
        file = Path(os.path.abspath(project_dir / place))
        return GraphEntry(file, _file_module_name(file), export)
    return GraphEntry(None, place, export)


def _file_module_name(file: Path) -> str:
    """A module name from the whole path, for files outside of packages. Characters that names cannot
    have become underscores.
    """
    parts = file.with_suffix("").parts[1:]
    return "__".join("".join(c if c.isalnum() else "_" for c in part) for part in parts)
