"""Errors of the client. `whose_move` names who can fix it."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Union

from . import types
from ._pending import Pending, move_of, still_pending


class CausewayError(Exception):
    """Base class of all errors of this package."""

    code: str
    whose_move: types.WhoseMove


class ApiError(CausewayError):
    """The API rejected a request. `unreadable_response`: another server responded."""

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after_seconds: Optional[int] = None) -> None:
        self.status = status
        self.code = problem.get("code", "unreadable_response")
        self.detail: str = problem.get("detail", f"The API answered {status}.")
        # The invalid parts of the request.
        self.errors: List[types.ProblemErrorsItem] = problem.get("errors", [])
        # The page that explains the problem.
        self.docs: Optional[str] = problem.get("docs")
        # Include it when you contact support.
        self.request_id: Optional[str] = problem.get("instance")
        self.retry_after_seconds = retry_after_seconds
        # A proxy answers without `whoseMove`.
        self.whose_move = problem.get("whoseMove", "tenant" if status < 500 else "operator")
        # `detail` has the first error, except from servers before 0.4.
        others = [each for at, each in enumerate(self.errors) if at > 0 or each["detail"] not in self.detail]
        see = [f"See {self.docs}"] if self.docs else []
        super().__init__(" ".join([f"{self.code}: {self.detail}", *map(_sentence_of, others), *see]))


def _sentence_of(error: types.ProblemErrorsItem) -> str:
    """`detail` is a predicate or, with a capital letter, a sentence."""
    part = error.get("parameter") or error.get("header") or error["pointer"][1:].replace("/", ".")
    said = error["detail"] if error["detail"][:1].isupper() else f"{part} {error['detail']}"
    return said if said.endswith((".", "?")) else f"{said}."


class ArgumentError(CausewayError):
    """A setting or argument is missing or invalid. No request was sent."""

    code = "argument_invalid"
    whose_move = "tenant"


class UnreachableError(CausewayError):
    """The API is unreachable or timed out."""

    code = "unreachable"
    whose_move = "operator"

    def __init__(self, address: str, cause: Exception) -> None:
        super().__init__(f"{address} did not answer ({str(cause) or type(cause).__name__}). Is Causeway running there?")


class ReturnError(CausewayError):
    """The browser did not start this connect session, or the return URL has no result. Respond with 400."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.whose_move = "tenant" if code == "query_missing" else "user"


class _EndedError(CausewayError):
    def __init__(self, ended: Union[types.Link, types.ConnectionTask], code: str, message: str) -> None:
        self.cause: Optional[types.Cause] = ended.get("cause")
        super().__init__(f"{self.cause['title']}. {self.cause['advice']}" if self.cause else message)
        self.code = self.cause["code"] if self.cause else code
        self.whose_move = self.cause["whoseMove"] if self.cause else "support"


class LinkError(_EndedError):
    """A link did not end `linked`."""

    def __init__(self, link: types.Link) -> None:
        self.link = link
        super().__init__(link, link["status"], f"The link is {link['status']}.")


class TaskError(_EndedError):
    """A disconnect or a rollback failed."""

    def __init__(self, task: types.ConnectionTask) -> None:
        self.task = task
        super().__init__(task, "failed", f"The {task['kind']} failed.")


class WaitError(CausewayError):
    """Still pending after the timeout. The message names the current step and what it waits for."""

    code = "still_pending"

    def __init__(self, last: Pending) -> None:
        super().__init__(still_pending(last))
        # The state that was read last.
        self.last = last
        self.cause: Optional[types.Cause] = last.get("cause")  # type: ignore[assignment]
        self.whose_move = move_of(last)


class WebhookError(CausewayError):
    """The signature of a message is invalid or too old. Respond with 400."""

    code = "signature_invalid"
    whose_move = "tenant"


def assert_linked(link: types.Link) -> types.LinkedLink:
    """Raises LinkError unless the link is `linked`."""
    if link["status"] != "linked":
        raise LinkError(link)
    return link  # type: ignore[return-value]
