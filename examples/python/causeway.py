"""Calls Causeway from a backend: start and finish links, list connections, verify webhooks."""

import base64
import hashlib
import hmac
import json
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request


class Refused(Exception):
    """The API rejected a request. `whose_move` names who can fix it."""

    def __init__(self, problem):
        super().__init__(problem.get("detail", "The API gave no reason."))
        self.code = problem.get("code", "unreadable_response")
        self.whose_move = problem.get("whoseMove", "operator")


class Forged(Exception):
    """A webhook or a returning browser is not genuine."""


class Causeway:
    def __init__(self, url, api_key):
        self._api, self._key = url.rstrip("/") + "/api/v1", api_key

    def begin(self, tenant, integration, user, return_url):
        """Returns the URL to redirect the browser to, and the state to store in the user's session."""
        verifier = secrets.token_urlsafe(32)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        session = self._send("POST", "/connect-sessions", {
            "tenantId": tenant,
            "integrationId": integration,
            "endUser": {"id": user},
            "returnUrl": return_url,
            "completionChallenge": challenge,
        })
        return session["url"], {"id": session["id"], "verifier": verifier}

    def finish(self, query, state):
        """Returns the link as the API reports it. The query can be forged."""
        if state is None or query.get("connect_session_id") != state["id"]:
            raise Forged("This browser returned from a connect session that it did not start.")
        if "completion_code" in query:
            body = {"completionCode": query["completion_code"], "completionVerifier": state["verifier"]}
            try:
                return self._send("POST", f"/connect-sessions/{state['id']}/complete", body)
            except Refused as refused:
                if refused.code != "completion_used":  # the user reloaded the page
                    raise
        link = self._send("GET", f"/connect-sessions/{state['id']}").get("linkId")
        if link is None:
            raise Forged("The user has not started this connect session.")
        return self._send("GET", f"/links/{link}")

    def connections(self, tenant, user):
        query, cursor = {"tenantId": tenant, "endUserId": user}, {}
        while True:
            page = self._send("GET", "/connections?" + urllib.parse.urlencode({**query, **cursor}))
            yield from page["data"]
            if "nextCursor" not in page:
                return
            cursor = {"cursor": page["nextCursor"]}

    def _send(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {self._key}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if method == "POST":  # retries with the same key do the work once
            headers["Idempotency-Key"] = secrets.token_urlsafe(16)
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._api + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            try:
                problem = json.load(error)
            except ValueError:  # a proxy may respond with HTML
                problem = {}
            raise Refused(problem) from error


def verify_webhook(body, headers, secret, now=None):
    """Returns the event with its ID if it was signed with the secret in the last five minutes (Standard Webhooks)."""
    message_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent_at.isdigit() or abs((now or time.time()) - int(sent_at)) > 300:
        raise Forged("The message is too old, or has no time.")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{sent_at}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    signatures = [each.partition(",")[2] for each in headers.get("webhook-signature", "").split(" ")]
    if not any(hmac.compare_digest(expected.encode(), each.encode()) for each in signatures):
        raise Forged("The message is not signed with this secret.")
    return {**json.loads(body), "id": message_id}
