"""The command that updates packages of this interpreter's environment."""

import importlib.util
import sys


def upgrade_command(package: str) -> str:
    """The command that updates a package. Environments made by uv have no pip."""
    if importlib.util.find_spec("pip") is None:
        return f'uv pip install --python "{sys.executable}" --upgrade {package}'
    return f'"{sys.executable}" -m pip install --upgrade {package}'
