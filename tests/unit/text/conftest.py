"""Property tests of this folder build large tables on first use: no per-example deadline."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("text", deadline=None)
settings.load_profile("text")
