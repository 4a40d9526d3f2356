"""Starts the Python graph runtime: `python -u main.py`, with the server's pipe as file descriptor 3."""

import sys

from agent_harbor_runtime.start import start

# Only needed to find the package above; user code must not import anything from here.
sys.path.pop(0)
start()
