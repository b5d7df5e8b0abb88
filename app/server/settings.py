"""What an operator can set, by environment variables that begin with TRACER_."""

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

ROOT = Path(__file__).resolve().parents[2]


class Settings(BaseSettings):
    """Each field is the environment variable TRACER_<NAME>."""

    model_config = SettingsConfigDict(env_prefix="TRACER_", frozen=True)

    checkpoints: Path = ROOT / "checkpoints"
    """The folder whose subfolders are the served models."""
    default_model: str = "shakespeare"
    """The model of a request that names none."""
    text: str = Field(default="To be, or not to be", min_length=1)
    """The text that the page opens with."""
    max_body_bytes: int = Field(default=64 * 1024, ge=1024)
    """Longer request bodies are refused with 413."""
    slow_workers: int = Field(default=1, ge=1, le=8)
    """Threads for JSON, CSV and checks; binary traces are quick enough to run inline."""
    slow_waiting: int = Field(default=64, ge=0, le=1024)
    """Requests that may wait for those threads; further ones get 503 and Retry-After."""
