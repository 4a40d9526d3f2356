"""Imports the graphs that `langgraph.json` names."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors.runtime_error import GraphLoadError
from .graph_entry import GraphEntry
from .import_errors import import_error, missing_export


def add_module_paths(project_dir: Path, module_paths: list[str]) -> None:
    """Lets graphs import the project's own modules. Adds the project's folder, as `langgraph dev`
    does, the folders of local dependencies, and the `src` folder in each of these. Except for the
    project's folder, a folder that is called `src` is left out if it is a package. Installed
    packages come first.
    """
    for folder in [project_dir, *map(Path, module_paths)]:
        for path in (folder, folder / "src"):
            is_package = path.name == "src" and (path / "__init__.py").exists()
            if path.is_dir() and (path == project_dir or not is_package) and str(path) not in sys.path:
                sys.path.append(str(path))


def load_export(entry: GraphEntry) -> Any:
    """
    Imports a module and returns one of its exports.

    Raises GraphLoadError with one sentence that says what is wrong and where.
    """
    if entry.file is not None and not entry.file.is_file():
        state = "is a folder, not a module" if entry.file.is_dir() else "does not exist"
        raise GraphLoadError(f"The file {entry.file} {state}.")
    try:
        module = importlib.import_module(entry.module) if entry.file is None else _import_file(entry.file, entry.module)
    except (Exception, SystemExit) as error:
        raise import_error(entry, error) from error
    if not hasattr(module, entry.export):
        raise missing_export(entry, module)
    return getattr(module, entry.export)


def _import_file(file: Path, name_by_path: str) -> ModuleType:
    """Imports a file by the name under which the project's other modules would import it, so that
    it is loaded once and its relative imports work. A file without such a name is loaded by its
    path.
    """
    for name in _names_in_packages(file):
        if _finds(name, file):
            return importlib.import_module(name)
    if name_by_path in sys.modules:
        return sys.modules[name_by_path]
    spec = importlib.util.spec_from_file_location(name_by_path, file)
    if spec is None or spec.loader is None:
        raise GraphLoadError(f"{file} is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name_by_path] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name_by_path]
        raise
    return module


def _names_in_packages(file: Path) -> list[str]:
    """Dotted names of a file below the folders that modules are imported from, the shortest first."""
    names = []
    for folder in sys.path:
        try:
            parts = file.with_suffix("").relative_to(os.path.abspath(folder)).parts
        except ValueError:
            continue
        if parts[-1:] == ("__init__",):
            parts = parts[:-1]
        if parts and all(part.isidentifier() for part in parts):
            names.append(".".join(parts))
    return sorted(set(names), key=lambda name: name.count("."))


def _finds(name: str, file: Path) -> bool:
    """Whether importing the name loads this file. Imports the packages around it."""
    parent = name.rpartition(".")[0]
    if parent and not _is_package_of(parent, file):
        return False
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return False
    return spec is not None and spec.origin is not None and _same(Path(spec.origin), file)


def _is_package_of(name: str, file: Path) -> bool:
    """Whether the outermost package contains the file. Other packages must not be imported for the check."""
    top = name.partition(".")[0]
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return False
    folders = [] if spec is None else list(spec.submodule_search_locations or [])
    return any(Path(os.path.abspath(folder)) in file.parents for folder in folders)


def _same(one: Path, other: Path) -> bool:
    return one == other or (one.exists() and os.path.samefile(one, other))
