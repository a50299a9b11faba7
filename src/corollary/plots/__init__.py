"""Pictures; they need the extra ``corollary[plots]``."""
