"""How packages of this interpreter's environment are brought up to date, as one types it."""

import importlib.util
import sys


def upgrade_command(package: str) -> str:
    """Environments that uv makes have no pip."""
    if importlib.util.find_spec("pip") is None:
        return f'uv pip install --python "{sys.executable}" --upgrade {package}'
    return f'"{sys.executable}" -m pip install --upgrade {package}'
