"""Files of public data sets: whole beside the checkout where somebody put them, else what the repository carries."""

from pathlib import Path

CARRIED = Path(__file__).parents[1] / "data" / "public"
WHOLE = Path(__file__).resolve().parents[3] / "shared" / "data"


def public(name: str) -> Path:
    """The file of this name, such as "gsm8k/test.jsonl"; it may be missing."""
    return next((folder / name for folder in (WHOLE, CARRIED) if (folder / name).is_file()), WHOLE / name)
