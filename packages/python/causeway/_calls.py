"""What a request and its response mean, without sending anything."""

from __future__ import annotations

import json
import math
import platform
import random
import re
import time
import uuid
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Callable, Dict, Mapping, Optional, TypedDict, Union
from urllib.parse import quote, urlsplit

import httpx

from ._operations import OPERATIONS
from ._version import __version__
from .errors import ApiError, ArgumentError, UnreachableError

_SAMPLE = "https://connect.example.com"

# The default of an argument for which None is a mistake.
OMITTED: Any = object()


class CallOptions(TypedDict, total=False):
    """Overrides the settings of the client for one call. Times are in seconds."""

    idempotency_key: str
    """For a POST that your program may repeat: the same key does the work once. Default: a random key per call."""
    timeout: float
    max_attempts: int
    max_wait: float


@dataclass(frozen=True)
class Settings:
    """`headers` makes the headers that every request has. The key is in its closure, so it is not printed."""

    base: str
    headers: Callable[[], httpx.Headers]
    timeout: float
    max_attempts: int
    max_wait: Optional[float]


def settings_for(
    url: Optional[str], api_key: Optional[str], timeout: float, max_attempts: int, max_wait: Optional[float]
) -> Settings:
    base = _base_of(url)
    if not api_key:
        raise ArgumentError("api_key is missing: give Causeway an API key of your deployment.")
    agent = f"causeway-python/{__version__} python/{platform.python_version()}"

    def headers() -> httpx.Headers:
        return httpx.Headers({"authorization": f"Bearer {api_key}", "user-agent": agent})

    return Settings(base, headers, timeout, max_attempts, max_wait)


def no_cookies() -> CookieJar:
    """Otherwise a cookie that an app sets for one account would be sent with the requests of the next."""
    return CookieJar(DefaultCookiePolicy(allowed_domains=[]))


def _base_of(url: Optional[str]) -> str:
    """Every request carries the API key, so http is for loopback only."""
    if not url:
        raise ArgumentError(f"url is missing: give Causeway the address of your server, such as {_SAMPLE}.")
    if not re.match(r"https?://[^/?#]", url, re.IGNORECASE):
        raise ArgumentError(_not_an_address(url))
    parts = urlsplit(url)
    # Without a user and a password.
    host = parts.netloc.rpartition("@")[2].lower()
    if parts.scheme == "http" and not _is_local(host):
        raise ArgumentError(f"url must begin with https:// (http:// works for localhost only), such as {_SAMPLE}.")
    # Accept the address of the API as well as of the deployment.
    path = re.sub(r"/api/v1$", "", parts.path.rstrip("/"))
    return f"{parts.scheme}://{host}{path}/api/v1"


def _is_local(host: str) -> bool:
    return re.sub(r":\d*$", "", host) in ("localhost", "127.0.0.1", "[::1]")


def _not_an_address(url: str) -> str:
    if "://" in url:
        return f"url must begin with https:// or, for localhost, http://, such as {_SAMPLE}."
    scheme = "http" if _is_local(url.partition("/")[0]) else "https"
    return f'url must begin with http:// or https://. Write "{scheme}://{url}".'


@dataclass(frozen=True)
class Call:
    method: str
    url: str
    headers: httpx.Headers
    content: Optional[bytes]
    timeout: float
    max_attempts: int
    # No retry starts later, by time.monotonic().
    last_start: float

    def delay_after(self, error: Union[ApiError, UnreachableError], attempts: int) -> Optional[float]:
        """Seconds until the next attempt, or None if there is none."""
        asked = error.retry_after_seconds if isinstance(error, ApiError) else None
        delay = backoff(attempts) if asked is None else float(asked)
        is_over = attempts >= self.max_attempts or time.monotonic() + delay > self.last_start
        # A repeated PATCH could undo another client's change. A POST has an idempotency key.
        return None if self.method == "PATCH" or is_over or not _is_passing(error) else delay


def _is_passing(error: Union[ApiError, UnreachableError]) -> bool:
    if isinstance(error, UnreachableError):
        return True
    return error.status == 429 or error.status >= 500 or error.code == "idempotency_key_busy"


def backoff(attempts: int) -> float:
    """Exponential backoff with 50 % jitter."""
    return min(0.25 * 2.0**attempts, 4.0) * (0.5 + random.random() / 2)


def call_of(
    settings: Settings,
    operation: str,
    params: Optional[Mapping[str, str]],
    query: Optional[Mapping[str, Any]],
    body: Optional[Mapping[str, Any]],
    options: Optional[CallOptions],
) -> Call:
    if operation not in OPERATIONS:
        raise ArgumentError(
            f"There is no operation {operation}: operations are named as in the OpenAPI document."
        )
    method, path = OPERATIONS[operation]
    given = options or {}
    headers = settings.headers()
    headers["accept"] = "application/json"
    if method == "POST":
        headers["idempotency-key"] = given.get("idempotency_key") or str(uuid.uuid4())
    if body is not None:
        headers["content-type"] = "application/json"
    max_wait = given.get("max_wait", 60.0 if settings.max_wait is None else settings.max_wait)
    return Call(
        method=method,
        url=f"{settings.base}{_path_with(path, params or {})}{_query_text(query or {})}",
        headers=headers,
        content=None if body is None else json.dumps(body).encode(),
        timeout=given.get("timeout", settings.timeout),
        max_attempts=given.get("max_attempts", settings.max_attempts),
        last_start=time.monotonic() + max_wait,
    )


def _path_with(path: str, params: Mapping[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda match: path_segment(params.get(match[1]), match[1]), path)


def path_segment(value: Optional[str], name: str) -> str:
    # An empty ID would address another operation: GET /links/ is a list.
    if not value or not isinstance(value, str):
        raise ArgumentError(f"{name} must not be empty.")
    # RFC 3986, section 5.2.4: dots would address another path.
    return quote(value, safe="") if value.strip(".") else value.replace(".", "%2E")


def _query_text(query: Mapping[str, Any]) -> str:
    for name, value in query.items():
        if name == "endUserId" and value is None:
            # Otherwise a visitor who is not signed in would get the connections of all users.
            raise ArgumentError("end_user_id is None. To list the connections of all users, leave it out.")
    given = {name: value for name, value in query.items() if value is not None and value is not OMITTED}
    return f"?{httpx.QueryParams(given)}" if given else ""


def answer_in(response: httpx.Response, content: bytes, address: str) -> Any:
    """`address` is for error messages."""
    if response.is_success and not content:
        return None
    answer = _parsed(content)
    if response.is_success and answer is not None:
        return answer
    raise error_in(response, content, address)


def error_in(response: httpx.Response, content: bytes, address: str) -> ApiError:
    problem = _problem_in(_parsed(content))
    if "code" not in problem:
        problem["detail"] = _foreign_answer(response, address)
    return ApiError(response.status_code, problem, retry_after(response.headers.get("retry-after"), time.time()))


def _foreign_answer(response: httpx.Response, address: str) -> str:
    """A response of another server is usually a wrong address."""
    if response.has_redirect_location:
        location = httpx.URL(address).join(response.headers["location"]).copy_with(query=None, fragment=None)
        return (
            f"{address} redirects to {location}, where the key is not sent. "
            "Give Causeway the address of the deployment itself."
        )
    if response.status_code >= 500:
        return f"{address} responded with {response.status_code}, but not as Causeway does. Is Causeway running there?"
    return f"{address} isn't a Causeway server (got a {response.status_code} page). Check `url`."


def _problem_in(answer: Any) -> Dict[str, Any]:
    """A proxy may respond with HTML or JSON of another form. Reads only members of the right type."""
    if not isinstance(answer, dict):
        return {}
    problem = {name: value for name, value in answer.items() if isinstance(value, str)}
    errors = answer.get("errors")
    return {**problem, "errors": errors} if isinstance(errors, list) else problem


def _parsed(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None


def retry_after(header: Optional[str], now: float) -> Optional[int]:
    """Seconds or a date (RFC 9110, section 10.2.3)."""
    if header is None:
        return None
    if re.fullmatch(r"[0-9]+", header):
        return int(header)
    try:
        return max(0, math.ceil(parsedate_to_datetime(header).timestamp() - now))
    except (TypeError, ValueError):
        return None
