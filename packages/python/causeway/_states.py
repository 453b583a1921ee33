"""The state that a Connect button keeps in the user's session, and the query that comes back."""

from __future__ import annotations

import base64
import hashlib
import secrets
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Tuple, Union, cast
from urllib.parse import parse_qsl

from . import types
from .errors import ArgumentError, ReturnError

ReturnQuery = Union[str, Mapping[str, Any]]


@dataclass(frozen=True)
class ConnectStart:
    url: str = field(repr=False)
    """Redirect the user's browser to this URL. Don't show it to other users."""
    state: str = field(repr=False)
    """Opaque. Store it in the user's session on your server and pass it to `finish`."""
    connect_session_id: str
    expires_at: str


def challenged(request: Union[types.ConnectRequest, types.RelinkRequest]) -> Tuple[Dict[str, Any], str]:
    """Returns the body of the request with a new challenge, and its verifier."""
    verifier = secrets.token_urlsafe(32)
    digest = hashlib.sha256(verifier.encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    return {**cast(Mapping[str, Any], request), "completionChallenge": challenge}, verifier


def start_of(session: types.CreatedConnectSession, verifier: str) -> ConnectStart:
    state = f"cws1.{session['id']}.{verifier}"
    return ConnectStart(session["url"], state, session["id"], session["expiresAt"])


def read_state(state: Optional[str]) -> Tuple[str, str]:
    """Returns the ID of the connect session and the verifier."""
    if not state:
        raise ReturnError(
            "state_missing",
            "No `state` in the session. Did you save it before the redirect, with a SameSite=Lax cookie?",
        )
    parts = state.split(".")
    if len(parts) != 3 or parts[0] != "cws1" or not all(parts):
        raise ReturnError("state_unreadable", "The state was not created by `begin`.")
    return parts[1], parts[2]


def result_in(query: ReturnQuery) -> Tuple[str, Optional[str]]:
    """Returns the ID of the connect session and the completion code."""
    session, code = (_value_in(query, name) for name in ("connect_session_id", "completion_code"))
    if session is None:
        raise ReturnError(
            "query_missing",
            "The query has no connect_session_id: this page is for browsers that return from Causeway.",
        )
    return session, code


def _value_in(query: ReturnQuery, name: str) -> Optional[str]:
    if isinstance(query, str):
        return dict(parse_qsl(query.rpartition("?")[2])).get(name)
    if not hasattr(query, "get"):
        raise ArgumentError("`finish` takes the query of the return URL: a mapping, or the whole URL as a string.")
    value = query.get(name)
    # `parse_qs` returns lists. Causeway sends each parameter once.
    only = value[0] if isinstance(value, list) and len(value) == 1 else value
    return only if isinstance(only, str) else None
