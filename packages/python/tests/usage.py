"""Checked by mypy: what a type checker knows about answers, bodies and events."""

from __future__ import annotations

from typing import List

import httpx

from causeway import AsyncCauseway, Causeway, assert_linked, types, verify_webhook


def links(causeway: Causeway) -> str:
    link: types.LinkedLink = causeway.links.wait("lnk_1")
    return link["connection"]["functionUrl"] + assert_linked(causeway.links.get("lnk_1"))["connectionId"]


def lists(causeway: Causeway) -> List[types.Connection]:
    for page in causeway.connections.list(tenant_id="acme", status="active").pages():
        print(page["data"][0]["upstreamAccount"], page.get("nextCursor"))
    return [connection for connection in causeway.connections.list()]


def begin(causeway: Causeway) -> str:
    user: types.ConnectSessionUser = {"id": "user-1"}
    return causeway.connect.begin(
        {"tenantId": "acme", "integrationId": "gmail", "endUser": user, "returnUrl": "https://app.acme.example"}
    ).state


def events(body: bytes) -> str:
    event = verify_webhook(body, {}, "whsec_")
    if event["type"] == "connection.needs_relink":
        return event["data"]["endUser"]["id"]
    if event["type"] == "end_user.erased":
        return event["data"]["erasureId"]
    return event["id"]


async def asynchronously(causeway: AsyncCauseway) -> int:
    items: List[types.Link] = [link async for link in causeway.links.list(status="pending")]
    response: httpx.Response = await causeway.connections.request("con_1", "GET", "/v1")
    return len(items) + response.status_code


def mistakes(causeway: Causeway) -> None:
    causeway.links.list(status="waiting")  # type: ignore[arg-type]
    causeway.connections.list(end_user_id=None)  # type: ignore[arg-type]
    causeway.tenants.update("acme", {"displayname": "Acme"})  # type: ignore[typeddict-item]
    causeway.connect.begin({"tenantId": "acme"})  # type: ignore[typeddict-item]
    causeway.links.get("lnk_1")["conection"]  # type: ignore[typeddict-item]
