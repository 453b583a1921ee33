# Generated from _async/transport.py by `npm run generate`. Not to be edited.
from __future__ import annotations

import time
from typing import Any, Mapping, Optional

import httpx

from .._calls import Call, CallOptions, Settings, answer_in, call_of
from ..errors import ApiError, UnreachableError


class Transport:
    """Sends operations by name."""

    def __init__(self, settings: Settings, http: httpx.Client) -> None:
        self.settings = settings
        self.http = http

    def send(
        self,
        operation: str,
        params: Optional[Mapping[str, str]] = None,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        options: Optional[CallOptions] = None,
    ) -> Any:
        call = call_of(self.settings, operation, params, query, body, options)
        attempts = 0
        while True:
            attempts += 1
            try:
                return self._try_once(call)
            except (ApiError, UnreachableError) as error:
                delay = call.delay_after(error, attempts)
                if delay is None:
                    raise
            time.sleep(delay)

    def _try_once(self, call: Call) -> Any:
        base = self.settings.base
        try:
            request = self.http.build_request(
                call.method, call.url, headers=call.headers, content=call.content, timeout=call.timeout
            )
            ends_at = time.monotonic() + call.timeout
            # Redirects are not followed: the key must not be sent to another address.
            response = self.http.send(request, stream=True, follow_redirects=False)
            try:
                content = b""
                for chunk in response.iter_bytes():
                    content += chunk
                    # httpx limits the time between two chunks only.
                    if time.monotonic() > ends_at:
                        raise httpx.ReadTimeout("The read operation timed out", request=request)
            finally:
                response.close()
        except httpx.RequestError as error:
            raise UnreachableError(base, error) from error
        return answer_in(response, content, base)


class Resource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport
