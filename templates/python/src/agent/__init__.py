"""A chat agent that uses tools."""
