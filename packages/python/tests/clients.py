"""Runs each test with both clients. `self.result` waits for what the asynchronous one returns."""

import asyncio
import inspect
import json
import unittest

import httpx

from causeway import AsyncCauseway, Causeway


class SyncClients(unittest.TestCase):
    client = Causeway

    def result(self, value):
        """The answer of a call, or the items of a list."""
        return list(value) if hasattr(value, "__next__") else value

    def close(self, causeway):
        causeway.close()

    def open(self, url="https://connect.example.com", api_key="cwk_secret", **settings):
        causeway = self.client(url, api_key, **settings)
        self.addCleanup(self.close, causeway)
        return causeway

    def open_recorded(self, *answers, **settings):
        """Responds in order, and repeats the last response."""
        sent = []

        def answer(request):
            sent.append(request)
            given = answers[min(len(sent), len(answers)) - 1]
            if isinstance(given, Exception):
                raise given
            return given()

        return self.open(transport=httpx.MockTransport(answer), **settings), sent


class AsyncClients(SyncClients):
    client = AsyncCauseway

    def setUp(self):
        self.loop = asyncio.new_event_loop()
        self.addCleanup(self.loop.close)

    def result(self, value):
        if hasattr(value, "__anext__"):
            return self.loop.run_until_complete(_all_of(value))
        return self.loop.run_until_complete(value) if inspect.isawaitable(value) else value

    def close(self, causeway):
        self.loop.run_until_complete(causeway.aclose())


async def _all_of(items):
    return [item async for item in items]


def both(case):
    """Makes two test classes of one with the base `object`."""
    module = inspect.getmodule(case)
    for base, name in ((SyncClients, "Sync"), (AsyncClients, "Async")):
        made = type(f"{case.__name__}{name}", (case, base), {"__module__": module.__name__})
        setattr(module, made.__name__, made)
    return case


def answer(status=200, body=None, headers=None):
    content = json.dumps({} if body is None else body).encode()
    return lambda: httpx.Response(status, content=content, headers={"content-type": "application/json", **(headers or {})})


def problem(status, code, headers=None, **members):
    body = {"type": f"/problems/{code}", "title": "t", "status": status, "detail": "Why.", "instance": "req_1", "code": code}
    return answer(status, {**body, **members}, headers)
