"""Verifies webhook messages (Standard Webhooks 1.0.0)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Iterable, List, Mapping, Optional, Union, cast

from . import types
from .errors import ArgumentError, WebhookError

_NAMES = ("webhook-id", "webhook-timestamp", "webhook-signature")
_TOLERANCE_SECONDS = 300


def verify_webhook(
    body: Union[bytes, str],
    headers: Mapping[str, str],
    secret: Union[str, None, Iterable[Optional[str]]],
) -> types.WebhookEvent:
    """Returns the event if the message was signed with one of the secrets in the last five minutes.

    `body` is the raw request body. Handle each `id` once, because messages can arrive twice. Unknown event types are
    returned as well.
    """
    if not isinstance(body, (bytes, str)):
        raise ArgumentError("The body was parsed already: pass the raw request body.")
    if headers is None:
        raise ArgumentError("No headers were given: pass the request headers.")
    keys = _keys_of(secret)
    raw = body.encode() if isinstance(body, str) else body
    found = {str(name).lower(): value for name, value in headers.items()}
    message_id, sent_at, signatures = (found.get(name, "") for name in _NAMES)
    if not (message_id and sent_at and signatures):
        raise WebhookError(f"The message is not signed: it needs the headers {', '.join(_NAMES)}.")
    if not _is_recent(sent_at):
        raise WebhookError(
            "The message was not signed in the last five minutes, or the clock of this machine is wrong."
        )
    signed = f"{message_id}.{sent_at}.".encode() + raw
    if not any(_matches(key, signed, each) for key in keys for each in signatures.split(" ")):
        raise WebhookError(
            "The message is not signed with this secret, or its body was changed: pass the raw request body."
        )
    return cast(types.WebhookEvent, {**json.loads(raw), "id": message_id})


def _is_recent(sent_at: str) -> bool:
    is_number = sent_at.isascii() and sent_at.isdigit()
    return is_number and abs(time.time() - int(sent_at)) <= _TOLERANCE_SECONDS


def _matches(key: bytes, signed: bytes, signature: str) -> bool:
    version, _, given = signature.partition(",")
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # In constant time, of bytes: compare_digest raises TypeError for texts that are not ASCII.
    return version == "v1" and hmac.compare_digest(expected, given.encode())


def _keys_of(secret: Union[str, None, Iterable[Optional[str]]]) -> List[bytes]:
    """Ignores unset secrets. There may be two while a secret is rotated."""
    given = [secret] if secret is None or isinstance(secret, str) else list(secret)
    secrets = [each for each in given if each]
    if not secrets:
        raise ArgumentError("No webhook secret was given: pass the secret of the endpoint.")
    return [_key_of(each) for each in secrets]


def _key_of(secret: str) -> bytes:
    prefix = "whsec_"
    try:
        if secret.startswith(prefix):
            return base64.b64decode(secret[len(prefix) :], validate=True)
    except binascii.Error:
        pass
    raise ArgumentError(
        "This is not a webhook secret: it begins with whsec_ and is shown once, when the endpoint is created or its "
        "secret is rotated."
    )
