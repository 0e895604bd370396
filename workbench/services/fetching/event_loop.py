"""An event loop in its own thread, so that fetching continues while pages are read and stored."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from typing import Any, Self, TypeVar

from workbench.base.progress import Progress
from workbench.services.fetching.session import FetchSession

T = TypeVar("T")

_POLL = 0.1
"""Seconds between two checks of the cancel flag."""


class Loop:
    """Runs coroutines that use ``session``; at the end, running ones are cancelled and the session is closed."""

    def __init__(self, session: FetchSession) -> None:
        self.session = session
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fetching", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.start(self._end()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def start(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Run ``coroutine`` concurrently with this thread."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def wait(self, ctx: Progress, coroutine: Coroutine[Any, Any, T]) -> T:
        """The coroutine's result. Passes its exceptions on; raises Cancelled if the job is cancelled (and cancels
        it)."""
        future = self.start(coroutine)
        try:
            while True:
                ctx.check()
                try:
                    return future.result(_POLL)
                except NotYet:
                    if future.done():
                        raise
        finally:
            future.cancel()

    async def _end(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self.session.close()
