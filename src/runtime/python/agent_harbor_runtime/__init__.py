"""Runs LangGraph graphs of a Python project for an Agent Harbor server (see docs/protocol.md)."""
