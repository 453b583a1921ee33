# Generated from _async/lists.py by `npm run generate`. Not to be edited.
from __future__ import annotations

from typing import Any, Iterator, Generic, List, Mapping, Optional, TypeVar

from .._calls import CallOptions
from .transport import Transport

Item = TypeVar("Item")
Page = TypeVar("Page")


class ItemList(Generic[Item, Page]):
    """Iterates over all items and fetches pages as needed."""

    def __init__(
        self,
        transport: Transport,
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

    def __iter__(self) -> Iterator[Item]:
        for page in self._pages(None):
            for item in page["data"]:
                yield item

    def pages(self, cursor: Optional[str] = None) -> Iterator[Page]:
        """Iterates over pages. `cursor` is the `nextCursor` of an earlier page."""
        for page in self._pages(cursor):
            yield page

    def to_list(self) -> List[Item]:
        """Fetches all pages. Use it for short lists."""
        return [item for item in self]

    def _pages(self, cursor: Optional[str]) -> Iterator[Any]:
        while True:
            query = {**self._query, "cursor": cursor}
            page = self._transport.send(self._operation, self._params, query, options=self._options)
            yield page
            cursor = page.get("nextCursor")
            if cursor is None:
                return
