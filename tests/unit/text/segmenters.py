"""The ways to cut tokens; that of the optional part is skipped where it is not installed."""

from importlib.util import find_spec

import pytest

from workbench.text.tokens import Tokens

needs_segmenter = pytest.mark.skipif(find_spec("rjieba") is None, reason="needs palimpsest[chinese]")
MODES = [pytest.param(mode, marks=needs_segmenter if mode is Tokens.SEGMENTED else ()) for mode in Tokens]
