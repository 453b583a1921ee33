"""What a pending resource waits for, in words."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Tuple, Union, cast

from . import types

Pending = Union[types.Link, types.ConnectionTask, types.Erasure, types.TenantDeletion]

# A newer API may have other values.
_AWAITED: Dict[str, Tuple[str, types.WhoseMove]] = {
    "consent": ("It waits for the consent of the user.", "user"),
    "completion": ("It waits for your server to complete its connect session.", "tenant"),
}


def still_pending(pending: Pending) -> str:
    last = cast(Mapping[str, Any], pending)
    at = f", at the step {last['step']}" if "step" in last else ""
    sentences = [f"{_name_of(last)} is still {last['status']}{at}{_failures(last)}."]
    if "nextAttemptAt" in last:
        sentences.append(f"The next attempt is at {last['nextAttemptAt']}.")
    if "notifying" in last:
        webhooks, until = ", ".join(last["notifying"]["webhookIds"]), last["notifying"]["until"]
        sentences.append(f"It waits for the webhook endpoints {webhooks} to take its events, until {until} at most.")
    left = last.get("connectionsLeft", 0)
    if left > 0:
        sentences.append(f"It has {left} {'connection' if left == 1 else 'connections'} left to disconnect.")
    waiting_for = last.get("waitingFor")
    if waiting_for:
        sentences.append(_AWAITED.get(waiting_for, (f"It waits for: {waiting_for}.",))[0])
    else:
        sentences.append("It continues without you.")
    return " ".join(sentences)


def move_of(pending: Pending) -> types.WhoseMove:
    last = cast(Mapping[str, Any], pending)
    if "cause" in last:
        return cast(types.WhoseMove, last["cause"]["whoseMove"])
    if "notifying" in last:
        return "tenant"
    awaited = _AWAITED.get(last.get("waitingFor", ""))
    return awaited[1] if awaited else "operator"


def _name_of(last: Mapping[str, Any]) -> str:
    if "connectionsLeft" in last:
        return f"Deletion of tenant {last['tenantId']}"
    if "endUserHash" in last:
        return f"Erasure {last['id']}"
    if "kind" in last:
        return f"{'Rollback' if last['kind'] == 'rollback' else 'Disconnect'} {last['id']}"
    return f"Link {last['id']}"


def _failures(last: Mapping[str, Any]) -> str:
    attempts = last.get("attempts", 0)
    times = "once" if attempts == 1 else f"{attempts} times"
    failed = f", which has failed {times} so far" if attempts > 0 else ""
    cause = last.get("cause")
    if not cause:
        return failed
    advice = cause["advice"][:-1] if cause["advice"].endswith(".") else cause["advice"]
    return f"{failed}: {cause['title']}. {advice}"
