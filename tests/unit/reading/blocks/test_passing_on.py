from __future__ import annotations

import copy
import pickle

import pytest

from workbench.base.types import Block, BlockClass, BlockKind, Span

BLOCK = Block(Span(3, 9), BlockKind.HEADING, BlockClass.NON_CONTENT, "a menu", "/html[1]/body[1]")


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_block_reaches_another_process_whole(protocol: int) -> None:
    assert all(getattr(BLOCK, field) != default for field, default in Block._field_defaults.items())
    assert pickle.loads(pickle.dumps(BLOCK, protocol)) == BLOCK == copy.deepcopy(BLOCK)
