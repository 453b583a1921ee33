from __future__ import annotations

from typing import Any, AsyncIterator, Generic, List, Mapping, Optional, TypeVar

from .._calls import CallOptions
from .transport import AsyncTransport

Item = TypeVar("Item")
Page = TypeVar("Page")


class AsyncItemList(Generic[Item, Page]):
    """Iterates over all items and fetches pages as needed."""

    def __init__(
        self,
        transport: AsyncTransport,
        operation: str,
        params: Optional[Mapping[str, str]] = None,
        query: Optional[Mapping[str, Any]] = None,
        options: Optional[CallOptions] = None,
    ) -> None:
        self._transport = transport
        self._operation = operation
        self._params = params
        self._query = query or {}
        self._options = options

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self._pages(None):
            for item in page["data"]:
                yield item

    async def pages(self, cursor: Optional[str] = None) -> AsyncIterator[Page]:
        """Iterates over pages. `cursor` is the `nextCursor` of an earlier page."""
        async for page in self._pages(cursor):
            yield page

    async def to_list(self) -> List[Item]:
        """Fetches all pages. Use it for short lists."""
        return [item async for item in self]

    async def _pages(self, cursor: Optional[str]) -> AsyncIterator[Any]:
        while True:
            query = {**self._query, "cursor": cursor}
            page = await self._transport.send(self._operation, self._params, query, options=self._options)
            yield page
            cursor = page.get("nextCursor")
            if cursor is None:
                return
