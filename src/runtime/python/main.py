"""Starts the Python graph runtime: `python -u main.py`, with the server's pipe as file descriptor 3."""

import sys

from agent_harbor_runtime.start import start

# Only needed to find the package above: what user code imports must not come from here.
sys.path.pop(0)
start()
