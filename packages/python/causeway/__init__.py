"""Connect your users' third-party accounts with Causeway, from your server."""

from . import types
from ._async.client import AsyncCauseway
from ._async.lists import AsyncItemList
from ._calls import CallOptions
from ._states import ConnectStart
from ._sync.client import Causeway
from ._sync.lists import ItemList
from ._version import __version__
from .errors import (
    ApiError,
    ArgumentError,
    CausewayError,
    LinkError,
    ReturnError,
    TaskError,
    UnreachableError,
    WaitError,
    WebhookError,
    assert_linked,
)
from .webhooks import verify_webhook

__all__ = [
    "ApiError",
    "ArgumentError",
    "AsyncCauseway",
    "AsyncItemList",
    "CallOptions",
    "Causeway",
    "CausewayError",
    "ConnectStart",
    "ItemList",
    "LinkError",
    "ReturnError",
    "TaskError",
    "UnreachableError",
    "WaitError",
    "WebhookError",
    "__version__",
    "assert_linked",
    "types",
    "verify_webhook",
]
