"""What the model may call. It reads names, descriptions and types, so say there what a tool is for."""

from datetime import datetime, timezone

from langchain_core.tools import tool


@tool
def current_time(offset_hours: float = 0) -> str:
    """Tells the date and the time of day, so many hours ahead of UTC."""
    now = datetime.now(timezone.utc).timestamp() + offset_hours * 3600
    return datetime.fromtimestamp(now, timezone.utc).strftime("%A, %d %B %Y, %H:%M:%S")


TOOLS = [current_time]
