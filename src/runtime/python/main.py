"""Starts the Python graph runtime: `python -u main.py`, with the server's pipe as file descriptor 3."""

import sys

from agent_harbor_runtime.start import start

# The path was only needed to find the package; user code must not import anything from this folder.
sys.path.pop(0)
start()
