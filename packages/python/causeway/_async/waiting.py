from __future__ import annotations

import asyncio
import time
from typing import Awaitable, Callable, TypeVar

from .._pending import Pending
from ..errors import WaitError

T = TypeVar("T", bound=Pending)

_FIRST_PAUSE = 0.5
_MAX_PAUSE = 10.0


async def wait_while_pending(read: Callable[[], Awaitable[T]], timeout: float) -> T:
    """Polls with backoff. Raises WaitError after `timeout` seconds."""
    until = time.monotonic() + timeout
    pause = _FIRST_PAUSE
    while True:
        value = await read()
        if value["status"] != "pending":
            return value
        if time.monotonic() + pause > until:
            raise WaitError(value)
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, _MAX_PAUSE)
