# Generated from _async/relay.py by `npm run generate`. Not to be edited.
from __future__ import annotations

import re
from urllib.parse import unquote

import httpx

from .._calls import error_in, path_segment
from ..errors import ArgumentError, UnreachableError
from .transport import Transport

# Stands for the first API host of the app.
FIRST_HOST = "https://first-host.invalid"


class Relay(httpx.BaseTransport):
    """Sends requests with the access of a linked account. Returns every response of the app."""

    def __init__(self, transport: Transport, connection_id: str) -> None:
        self._settings = transport.settings
        self._http = transport.http
        self._relay = f"{self._settings.base}/connections/{path_segment(connection_id, 'connection_id')}/relay/"

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = httpx.URL(self._address_of(request.url))
        headers = httpx.Headers(request.headers)
        headers["authorization"] = self._settings.headers()["authorization"]
        headers["host"] = url.netloc.decode()
        sent = httpx.Request(
            request.method, url, headers=headers, stream=request.stream, extensions=request.extensions
        )
        try:
            response = self._http.send(sent, stream=True, follow_redirects=False)
            # RFC 9209: set for responses of the app only.
            if re.search(r"\breceived-status=", response.headers.get("proxy-status", "")):
                return response
            try:
                content = response.read()
            finally:
                response.close()
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


def relay_client(transport: Transport, connection_id: str) -> httpx.Client:
    return httpx.Client(
        base_url=FIRST_HOST,
        transport=Relay(transport, connection_id),
        timeout=transport.settings.timeout,
        trust_env=False,
    )
