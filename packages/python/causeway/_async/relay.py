from __future__ import annotations

import re
from urllib.parse import unquote

import httpx

from .._calls import error_in, path_segment
from ..errors import ArgumentError, UnreachableError
from .transport import AsyncTransport

# Stands for the first API host of the app.
FIRST_HOST = "https://first-host.invalid"


class AsyncRelay(httpx.AsyncBaseTransport):
    """Sends requests with the access of a linked account. Returns every response of the app."""

    def __init__(self, transport: AsyncTransport, connection_id: str) -> None:
        self._settings = transport.settings
        self._http = transport.http
        self._relay = f"{self._settings.base}/connections/{path_segment(connection_id, 'connection_id')}/relay/"

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = httpx.URL(self._address_of(request.url))
        headers = httpx.Headers(request.headers)
        headers["authorization"] = self._settings.headers()["authorization"]
        headers["host"] = url.netloc.decode()
        sent = httpx.Request(
            request.method, url, headers=headers, stream=request.stream, extensions=request.extensions
        )
        try:
            response = await self._http.send(sent, stream=True, follow_redirects=False)
            # RFC 9209: set for responses of the app only.
            if re.search(r"\breceived-status=", response.headers.get("proxy-status", "")):
                return response
            try:
                content = await response.aread()
            finally:
                await response.aclose()
        except httpx.RequestError as error:
            raise UnreachableError(self._settings.base, error) from error
        raise error_in(response, content, self._settings.base)

    def _address_of(self, url: httpx.URL) -> str:
        path = url.raw_path.decode("ascii")
        if any(unquote(each) in (".", "..") for each in path.partition("?")[0].split("/")):
            raise ArgumentError("The path must not contain the segments . and .., which would leave the relay.")
        # A redirect inside the app leads back to the relay.
        if str(url).startswith(self._relay):
            return str(url)
        place = "-" if f"{url.scheme}://{url.host}" == FIRST_HOST else url.netloc.decode("ascii")
        return f"{self._relay}{place}{path}"


def relay_client(transport: AsyncTransport, connection_id: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        base_url=FIRST_HOST,
        transport=AsyncRelay(transport, connection_id),
        timeout=transport.settings.timeout,
        trust_env=False,
    )
