"""The graph's context. An assistant stores these values, and a run can override them."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

PROJECT_FOLDER = Path(__file__).resolve().parents[2]


class Context(BaseModel):
    model_config = ConfigDict(extra="forbid")

    docs_dir: str = Field(
        default="../../docs",
        min_length=1,
        description="Folder of Markdown to answer from; a relative path starts at the folder of langgraph.json.",
    )
    model: str = Field(
        default="auto",
        pattern=r"^(auto|extractive|(openai|anthropic):.+)$",
        description="auto (a provider whose key is set, else extractive), extractive, openai:<name> or anthropic:<name>.",
    )
    max_passages: int = Field(default=4, ge=1, le=20, description="How many passages a search returns at most.")
    approval_threshold: float = Field(
        default=0.7,
        ge=0,
        le=1,
        description="A person is asked when the confidence (0 to 1) is not above this: 0 never asks, 1 always asks.",
    )
    token_delay_ms: int = Field(
        default=15,
        ge=0,
        le=1000,
        description="Pause between two tokens of the extractive model, in milliseconds, so that its stream can be read.",
    )

    @property
    def folder(self) -> Path:
        """`docs_dir` as an absolute path. Raises ValueError when it is no folder."""
        folder = (PROJECT_FOLDER / self.docs_dir).resolve()
        if not folder.is_dir():
            raise ValueError(
                f"docs_dir: there is no folder {folder}. Set docs_dir in the context to a folder of Markdown files."
            )
        return folder
