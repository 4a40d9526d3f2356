"""Explains in one sentence why a module of the user could not be imported, and suggests a similar name."""

from __future__ import annotations

import difflib
import importlib.util
import os
import re
import sys
import traceback
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

from ..errors.runtime_error import GraphLoadError, MissingPackageError
from ..errors.source_places import OWN_FOLDER, error_place, is_user_file
from .graph_entry import GraphEntry

#: The maximum number of names in one sentence.
_MAX_NAMES = 10

#: Python's own message. Packages that have renamed a module raise the error with another message,
#: which is more helpful.
_IS_MISSING = re.compile(r"No module named '[^']+'(?:; '[^']+' is not a package)?")


def import_error(entry: GraphEntry, error: BaseException) -> GraphLoadError:
    """Converts an error of a graph's module, or of a module that it imports, to one sentence with the
    place in the source.
    """
    if isinstance(error, GraphLoadError):
        return error
    place = error_place(error)
    where = (str(entry.file or entry.module) if place is None else place["file"]) + _package_of(error)
    if isinstance(error, ModuleNotFoundError) and error.name is not None:
        if _IS_MISSING.fullmatch(str(error)):
            return _missing_module(entry, error.name, where, error)
    if isinstance(error, SyntaxError):
        message = f"{error.filename or where}:{error.lineno}: {error.msg}"
    elif isinstance(error, SystemExit):
        message = f"{where} exited while it was imported (exit code {error.code})."
    elif isinstance(error, ImportError) and (hint := _suggest_import(error)) != "":
        message = f"{where} raised {type(error).__name__} while it was imported: {error}.{hint}"
    else:
        message = f"{where} raised {type(error).__name__} while it was imported: {error}"
    return GraphLoadError(message, place)


def _package_of(error: BaseException) -> str:
    """The part of the sentence that names the package whose import raised the error; empty if the
    user's own code raised it.
    """
    raised = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    own = [at for at, frame in enumerate(raised) if is_user_file(frame.f_code.co_filename)]
    inner = raised[own[-1] + 1 :] if own else raised
    modules = [frame for frame in inner if not _is_of_importlib(frame.f_code)]
    if not modules or not _is_import(inner[0].f_code):
        return ""
    package = str(modules[-1].f_globals.get("__name__", "")).partition(".")[0]
    return f" imports '{package}', which" if package.isidentifier() else ""


def _is_import(code: CodeType) -> bool:
    """Whether a frame belongs to an import: it executes a module, or is one of importlib's own frames,
    most of which Python leaves out of tracebacks.
    """
    return code.co_name == "<module>" or _is_of_importlib(code)


def _is_of_importlib(code: CodeType) -> bool:
    return code.co_filename.startswith("<frozen importlib")


def missing_export(entry: GraphEntry, module: ModuleType) -> GraphLoadError:
    """The error for a module that lacks the name that langgraph.json expects in it."""
    names = [name for name, value in vars(module).items() if _is_own(name, value, module)]
    has = ", ".join(names[:_MAX_NAMES]) or "no public names"
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    suggestion = _suggest(entry.export, names)
    return GraphLoadError(
        f"{entry.file or entry.module} has no '{entry.export}'.{suggestion} It has {has}{more}."
    )


def _is_own(name: str, value: object, module: ModuleType) -> bool:
    """Whether a module defines a name itself, rather than importing it."""
    if name.startswith("_") or isinstance(value, ModuleType):
        return False
    return not isinstance(value, (type, FunctionType)) or value.__module__ == module.__name__


def _missing_module(entry: GraphEntry, name: str, where: str, error: ModuleNotFoundError) -> GraphLoadError:
    """The error for a module called `name`, which `where` imports and which does not exist."""
    if entry.file is None and (entry.module == name or entry.module.startswith(f"{name}.")):
        message = f"Module '{entry.module}' not found. It is neither installed nor in the project."
        return GraphLoadError(message + _suggest_module(name), error_place(error))
    found = _package_around(name)
    if found is None:
        suggestion = _suggest(name.partition(".")[0], _modules_in(_project_folders()))
        message = f"{where} imports '{name}', which is not installed in {sys.prefix}.{suggestion}"
        return MissingPackageError(message, error_place(error))
    package, folders, lacking = found
    if not folders:
        message = f"{where} imports '{name}', but '{package}' is a module, not a package."
    else:
        suggestion = _suggest(lacking, _modules_in(folders))
        message = f"{where} imports '{name}', but {folders[0]} has no module '{lacking}'.{suggestion}"
    return GraphLoadError(message, error_place(error))


def _package_around(name: str) -> tuple[str, list[Path], str] | None:
    """The innermost existing package of a dotted name, its folders, and the first name that it
    lacks; None if the outermost package does not exist. Imports nothing.
    """
    top, *rest = name.split(".")
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    if spec is None or not rest:
        return None
    package = top
    folders = [Path(folder) for folder in spec.submodule_search_locations or []]
    for part in rest[:-1]:
        inner = [folder / part for folder in folders if (folder / part).is_dir()]
        if not inner:
            return package, folders, part
        package, folders = f"{package}.{part}", inner
    return package, folders, rest[-1]


def _suggest_module(name: str) -> str:
    """Suggests a module with a name similar to a dotted name that was not found."""
    found = _package_around(name)
    if found is None:
        return _suggest(name.partition(".")[0], _modules_in(_project_folders()))
    package, folders, lacking = found
    return _suggest(lacking, _modules_in(folders), f"{package}.")


def _project_folders() -> list[Path]:
    """The folders of the project's own modules on `sys.path`."""
    standard_library = os.path.dirname(os.path.abspath(os.__file__))
    others = [sys.prefix, sys.base_prefix, standard_library, os.path.dirname(OWN_FOLDER)]
    folders = [Path(os.path.abspath(folder)) for folder in sys.path if folder != ""]
    return [folder for folder in folders if not any(folder.is_relative_to(other) for other in others)]


def _modules_in(folders: list[Path]) -> list[str]:
    """The names of the modules and packages in folders. Folders that cannot be read are left out."""
    names = set()
    for folder in folders:
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        for entry in entries:
            stem, ending = os.path.splitext(entry.name)
            if ending == ".py" or (ending == "" and entry.is_dir()):
                names.add(stem)
    return sorted(name for name in names if name.isidentifier() and not name.startswith("__"))


def _suggest_import(error: ImportError) -> str:
    """Suggests a name for the error `cannot import name 'serch' from 'agent.tools'`; empty for others."""
    match = re.match(r"cannot import name '(\w+)' from '([\w.]+)'", str(error))
    module = None if match is None else sys.modules.get(match[2])
    return "" if match is None or module is None else _suggest(match[1], [*vars(module)])


def _suggest(written: str, names: list[str], prefix: str = "") -> str:
    """Suggests the name that is most similar to the written one; empty when there is none."""
    close = difflib.get_close_matches(written, names, n=1, cutoff=0.7)
    return f" Did you mean '{prefix}{close[0]}'?" if close else ""
