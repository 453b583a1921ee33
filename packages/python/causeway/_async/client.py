from __future__ import annotations

from types import TracebackType
from typing import Any, Iterable, Mapping, Optional, Type, Union

import httpx

from .. import types
from .._calls import CallOptions, no_cookies, settings_for
from ..errors import TaskError, assert_linked
from ..webhooks import verify_webhook
from . import resources
from .connect import AsyncConnect
from .relay import relay_client
from .transport import AsyncTransport
from .waiting import wait_while_pending


class AsyncCauseway:
    """For servers: the API key must not reach a browser.

    `timeout` is in seconds and per attempt. No retry starts after `max_wait` seconds: 60 by default, and 3 for
    `connect`, where a user waits. `transport` replaces that of httpx, for a proxy or a test.
    """

    def __init__(
        self,
        url: Optional[str],
        api_key: Optional[str],
        *,
        timeout: float = 30.0,
        max_attempts: int = 4,
        max_wait: Optional[float] = None,
        transport: Optional[httpx.AsyncBaseTransport] = None,
    ) -> None:
        settings = settings_for(url, api_key, timeout, max_attempts, max_wait)
        self._transport = AsyncTransport(settings, httpx.AsyncClient(transport=transport, cookies=no_cookies()))
        self.audit = resources.AsyncAudit(self._transport)
        self.campaigns = resources.AsyncCampaigns(self._transport)
        self.connect = AsyncConnect(self._transport)
        self.connect_sessions = resources.AsyncConnectSessions(self._transport)
        self.connections = AsyncConnections(self._transport)
        self.erasures = AsyncErasures(self._transport)
        self.events = resources.AsyncEvents(self._transport)
        self.imports = resources.AsyncImports(self._transport)
        self.integrations = resources.AsyncIntegrations(self._transport)
        self.links = AsyncLinks(self._transport)
        self.manage_sessions = resources.AsyncManageSessions(self._transport)
        self.tenants = AsyncTenants(self._transport)
        self.webhooks = AsyncWebhooks(self._transport)

    async def send(
        self,
        operation: str,
        *,
        params: Optional[Mapping[str, str]] = None,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        options: Optional[CallOptions] = None,
    ) -> Any:
        """Calls any operation by its `operationId` in the OpenAPI document."""
        return await self._transport.send(operation, params, query, body, options)

    async def aclose(self) -> None:
        """Closes idle connections."""
        await self._transport.http.aclose()

    async def __aenter__(self) -> AsyncCauseway:
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self.aclose()


class AsyncConnections(resources.AsyncConnections):
    async def request(self, connection_id: str, method: str, url: str, **given: Any) -> httpx.Response:
        """Sends a request to the API of the app with the access of a linked account.

        `url` is an absolute URL at an API host of the app, or a path at its first API host. Takes what
        `httpx.request` takes, and returns every response of the app. Raises ApiError if no request reached it.
        """
        return await self.http_client(connection_id).request(method, url, **given)

    def http_client(self, connection_id: str) -> httpx.AsyncClient:
        """Returns an httpx client for the API of the app, for streams and SDKs. It needs no closing."""
        return relay_client(self._transport, connection_id)

    async def wait_for_task(self, task: types.ConnectionTask, *, timeout: float = 60.0) -> types.ConnectionTask:
        """Waits while the task is `pending`. Raises TaskError if it failed."""
        ended = await wait_while_pending(lambda: self.get_task(task["connectionId"], task["id"]), timeout)
        if ended["status"] == "failed":
            raise TaskError(ended)
        return ended


class AsyncErasures(resources.AsyncErasures):
    async def wait_for(self, erasure_id: str, *, timeout: float = 60.0) -> types.Erasure:
        return await wait_while_pending(lambda: self.get(erasure_id), timeout)


class AsyncLinks(resources.AsyncLinks):
    async def wait(self, link_id: str, *, timeout: float = 60.0) -> types.LinkedLink:
        """Waits while the link is `pending`. Raises LinkError unless it ends `linked`."""
        return assert_linked(await wait_while_pending(lambda: self.get(link_id), timeout))


class AsyncTenants(resources.AsyncTenants):
    async def wait_for_deletion(self, tenant_id: str, *, timeout: float = 60.0) -> types.TenantDeletion:
        return await wait_while_pending(lambda: self.get_deletion(tenant_id), timeout)


class AsyncWebhooks(resources.AsyncWebhooks):
    def verify(
        self,
        body: Union[bytes, str],
        headers: Mapping[str, str],
        secret: Union[str, None, Iterable[Optional[str]]],
    ) -> types.WebhookEvent:
        """Like `causeway.verify_webhook`."""
        return verify_webhook(body, headers, secret)
