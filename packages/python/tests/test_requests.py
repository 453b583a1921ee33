import json
from email.utils import formatdate

import httpx

from causeway import ApiError, ArgumentError, LinkError, ReturnError, TaskError, UnreachableError, WaitError
from causeway._calls import retry_after

from .clients import answer, both, problem

busy = problem(503, "store_unavailable", {"Retry-After": "0"})


@both
class Requests:
    def test_contain_the_key_and_omit_arguments_that_are_none(self):
        client, sent = self.open_recorded(answer(body={"data": []}))

        self.result(client.links.list(status="pending", tenant_id=None).to_list())

        self.assertEqual(str(sent[0].url), "https://connect.example.com/api/v1/links?status=pending")
        self.assertEqual(sent[0].headers["authorization"], "Bearer cwk_secret")

    def test_encode_ids_in_the_path(self):
        client, sent = self.open_recorded(answer())

        self.result(client.links.get("../tenants?x"))
        self.result(client.links.get(".."))

        paths = [request.url.raw_path for request in sent]
        self.assertEqual(paths, [b"/api/v1/links/..%2Ftenants%3Fx", b"/api/v1/links/%2E%2E"])
        for nothing in ("", None):
            with self.assertRaisesRegex(ArgumentError, "linkId must not be empty"):
                self.result(client.links.get(nothing))

    def test_with_an_unknown_operation_are_rejected(self):
        client, sent = self.open_recorded(answer())

        with self.assertRaisesRegex(ArgumentError, "There is no operation getLinkz"):
            self.result(client.send("getLinkz"))
        self.assertEqual(self.result(client.send("getLink", params={"linkId": "lnk_1"})), {})
        self.assertEqual(len(sent), 1)

    def test_reject_a_missing_user_who_would_list_all_users(self):
        client, sent = self.open_recorded(answer(body={"data": []}))

        with self.assertRaisesRegex(ArgumentError, "end_user_id is None"):
            self.result(client.connections.list(tenant_id="acme", end_user_id=None).to_list())
        self.result(client.connections.list(tenant_id="acme").to_list())

        self.assertEqual([request.url.query for request in sent], [b"tenantId=acme"])

    def test_send_bodies_as_they_are(self):
        client, sent = self.open_recorded(answer())

        self.result(client.tenants.put("acme", {"workspace": "acme", "displayName": "Ä"}))

        self.assertEqual(json.loads(sent[0].content), {"workspace": "acme", "displayName": "Ä"})
        self.assertEqual((sent[0].method, sent[0].headers["content-type"]), ("PUT", "application/json"))

    def test_have_the_timeout_of_the_call_or_of_the_client(self):
        client, sent = self.open_recorded(answer(), timeout=7.0)

        self.result(client.links.get("x", options={"timeout": 2.0}))
        self.result(client.links.get("x"))

        self.assertEqual([request.extensions["timeout"]["read"] for request in sent], [2.0, 7.0])

    def test_do_not_show_the_key(self):
        client, sent = self.open_recorded(problem(422, "input_invalid"))

        with self.assertRaises(ApiError) as caught:
            self.result(client.links.get("x"))

        shown = [repr(each) for each in (client, vars(client), vars(client._transport), sent[0].headers, caught.exception)]
        self.assertNotIn("cwk_secret", " ".join(shown))

    def test_do_not_follow_a_redirect_with_the_key(self):
        client, sent = self.open_recorded(answer(302, headers={"location": "https://login.example.com/in?to=x"}))

        with self.assertRaisesRegex(ApiError, "redirects to https://login.example.com/in, where the key is not sent"):
            self.result(client.links.get("x"))
        self.assertEqual(len(sent), 1)

    def test_send_no_cookies(self):
        client, sent = self.open_recorded(answer(headers={"set-cookie": "session=of-another-account; Path=/"}))

        for _ in range(2):
            self.result(client.links.get("x"))

        self.assertNotIn("cookie", sent[1].headers)

    def test_have_errors_with_all_that_the_api_says(self):
        docs = "https://connect.example.com/docs/reference/errors#input_invalid"
        errors = [
            {"pointer": "/endUser", "detail": "is required"},
            {"pointer": "/returnUrl", "detail": "is required"},
            {"pointer": "/page", "parameter": "page", "detail": 'is unknown. Did you mean "cursor"?'},
            {"pointer": "/integrationId", "detail": 'No integration "gmial".'},
        ]
        detail = "endUser is required (and 3 more; see `errors`)."
        client, _ = self.open_recorded(problem(422, "input_invalid", detail=detail, errors=errors, docs=docs))

        with self.assertRaises(ApiError) as caught:
            self.result(client.links.get("x"))

        error = caught.exception
        self.assertEqual((error.status, error.code, error.whose_move), (422, "input_invalid", "tenant"))
        self.assertEqual((error.detail, error.errors, error.docs, error.request_id), (detail, errors, docs, "req_1"))
        self.assertEqual(
            str(error),
            f'input_invalid: {detail} returnUrl is required. page is unknown. Did you mean "cursor"? No integration "gmial". See {docs}',
        )

    def test_explain_the_answer_of_another_server(self):
        client, _ = self.open_recorded(lambda: httpx.Response(404, html="<h1>Not found</h1>"))

        with self.assertRaisesRegex(ApiError, r"unreadable_response: .* isn't a Causeway server \(got a 404 page\)"):
            self.result(client.links.get("x"))


@both
class Retries:
    def test_have_the_same_idempotency_key(self):
        client, sent = self.open_recorded(busy, httpx.ConnectError("refused"), busy, answer(body={"id": "ses_1"}))

        self.result(client.connect_sessions.cancel("ses_1"))

        keys = [request.headers["idempotency-key"] for request in sent]
        self.assertEqual((len(keys), len(set(keys))), (4, 1))

    def test_use_the_idempotency_key_of_the_caller(self):
        client, sent = self.open_recorded(answer())

        self.result(client.connect_sessions.cancel("ses_1", options={"idempotency_key": "mine"}))

        self.assertEqual(sent[0].headers["idempotency-key"], "mine")

    def test_end_after_max_attempts(self):
        client, sent = self.open_recorded(busy)

        with self.assertRaises(ApiError) as caught:
            self.result(client.links.get("x"))
        with self.assertRaises(ApiError):
            self.result(client.links.get("x", options={"max_attempts": 1}))

        self.assertEqual((caught.exception.code, caught.exception.whose_move), ("store_unavailable", "operator"))
        self.assertEqual(len(sent), 5)

    def test_repeat_no_request_that_was_rejected(self):
        for status, code in ((422, "input_invalid"), (404, "not_found"), (401, "credential_invalid")):
            client, sent = self.open_recorded(problem(status, code))
            with self.assertRaises(ApiError):
                self.result(client.links.get("x"))
            self.assertEqual(len(sent), 1)

    def test_repeat_a_request_whose_key_is_in_use(self):
        in_use = problem(409, "idempotency_key_busy", {"Retry-After": "0"})
        client, sent = self.open_recorded(in_use, answer())

        self.result(client.links.resume("lnk_1"))

        self.assertEqual(len(sent), 2)

    def test_repeat_no_patch(self):
        client, sent = self.open_recorded(httpx.ConnectError("refused"))

        with self.assertRaisesRegex(UnreachableError, "did not answer .refused."):
            self.result(client.tenants.update("acme", {"displayName": "A"}))
        self.assertEqual(len(sent), 1)

    def test_of_connect_start_within_three_seconds(self):
        client, sent = self.open_recorded(problem(429, "rate_limited", {"Retry-After": "4"}), max_wait=60.0)
        request = {"tenantId": "acme", "endUser": {"id": "u"}, "returnUrl": "https://app.acme.example/connected"}
        query = {"connect_session_id": "ses_1", "completion_code": "c"}

        for call in (
            lambda: client.connect.begin({**request, "integrationId": "gmail"}),
            lambda: client.connect.begin_relink("con_1", {"reason": "r", "returnUrl": request["returnUrl"]}),
            lambda: client.connect.finish(query, "cws1.ses_1.v"),
        ):
            with self.assertRaises(ApiError) as caught:
                self.result(call())
            self.assertEqual(caught.exception.retry_after_seconds, 4)
        self.assertEqual(len(sent), 3)

    def test_fail_at_once_if_they_would_start_after_max_wait(self):
        client, sent = self.open_recorded(problem(429, "rate_limited", {"Retry-After": "3600"}))

        with self.assertRaises(ApiError) as caught:
            self.result(client.links.get("x"))

        self.assertEqual((caught.exception.code, caught.exception.retry_after_seconds), ("rate_limited", 3600))
        self.assertEqual(len(sent), 1)

    def test_wait_for_seconds_or_a_date(self):
        now = 1_794_700_000.0
        given = ["3", "0", formatdate(now + 5, usegmt=True), formatdate(now - 60, usegmt=True), "soon", None]

        self.assertEqual([retry_after(each, now) for each in given], [3, 0, 5, 0, None, None])


@both
class Lists:
    def test_fetch_no_more_pages_than_are_read(self):
        client, sent = self.open_recorded(
            answer(body={"data": [{"id": "a"}, {"id": "b"}], "nextCursor": "b"}),
            answer(body={"data": [{"id": "c"}], "nextCursor": "c"}),
            answer(body={"data": []}),
        )
        pages = client.links.list(limit=2).pages("start")

        for _ in range(2):
            self.result(pages.__anext__() if hasattr(pages, "__anext__") else next(pages))

        self.assertEqual([request.url.query for request in sent], [b"limit=2&cursor=start", b"limit=2&cursor=b"])

    def test_have_the_items_of_all_pages(self):
        first, last = {"data": [{"id": "a"}], "nextCursor": "a"}, {"data": [{"id": "b"}]}
        client, _ = self.open_recorded(answer(body=first), answer(body=last), answer(body=first), answer(body=last))

        listed = self.result(client.links.list().to_list())
        pages = self.result(client.links.list().pages())

        self.assertEqual(([item["id"] for item in listed], pages), (["a", "b"], [first, last]))


@both
class Waiting:
    cause = {"code": "grant_revoked", "title": "Revoked", "advice": "Connect again.", "whoseMove": "user", "guide": "/g"}

    def test_returns_a_linked_link(self):
        linked = {"id": "lnk_1", "status": "linked", "connectionId": "con_1", "connection": {}}
        client, sent = self.open_recorded(answer(body={"id": "lnk_1", "status": "pending"}), answer(body=linked))

        self.assertEqual(self.result(client.links.wait("lnk_1")), linked)
        self.assertEqual(len(sent), 2)

    def test_raises_the_cause_of_a_link_that_did_not_end_linked(self):
        link = {"id": "lnk_1", "status": "failed", "cause": self.cause}
        client, _ = self.open_recorded(answer(body=link))

        with self.assertRaisesRegex(LinkError, "^Revoked. Connect again.$") as caught:
            self.result(client.links.wait("lnk_1"))

        error = caught.exception
        self.assertEqual((error.link, error.cause, error.code, error.whose_move), (link, self.cause, "grant_revoked", "user"))

    def test_raises_the_cause_of_a_failed_task(self):
        task = {"id": "tsk_1", "connectionId": "con_1", "kind": "rollback", "status": "failed"}
        client, sent = self.open_recorded(answer(body=task))

        with self.assertRaisesRegex(TaskError, "The rollback failed."):
            self.result(client.connections.wait_for_task({**task, "status": "pending"}))
        self.assertEqual(sent[0].url.path, "/api/v1/connections/con_1/tasks/tsk_1")

    def test_names_what_it_waits_for_after_the_timeout(self):
        link = {"id": "lnk_1", "status": "pending", "step": "authorizing", "waitingFor": "consent", "attempts": 0}
        client, _ = self.open_recorded(answer(body=link))

        with self.assertRaises(WaitError) as caught:
            self.result(client.links.wait("lnk_1", timeout=0))

        error = caught.exception
        words = "Link lnk_1 is still pending, at the step authorizing. It waits for the consent of the user."
        self.assertEqual((str(error), error.whose_move, error.last), (words, "user", link))

    def test_names_the_endpoints_and_connections_that_are_left(self):
        notifying = {"webhookIds": ["whk_1"], "until": "2026-11-19T00:00:00Z"}
        erasure = {"id": "era_1", "tenantId": "acme", "status": "pending", "step": "notify", "endUserHash": "h", "notifying": notifying}
        deletion = {"tenantId": "acme", "status": "pending", "step": "disconnect", "connectionsLeft": 2}
        client, _ = self.open_recorded(answer(body=erasure), answer(body=deletion))

        with self.assertRaisesRegex(WaitError, "^Erasure era_1 .* endpoints whk_1 .*continues without you.$"):
            self.result(client.erasures.wait_for("era_1", timeout=0))
        with self.assertRaisesRegex(WaitError, "^Deletion of tenant acme .* 2 connections left to disconnect"):
            self.result(client.tenants.wait_for_deletion("acme", timeout=0))


@both
class Returns:
    def test_are_read_from_a_query_in_any_form(self):
        code = "connect_session_id=ses_1&completion_code=c"
        queries = [code, f"https://app.acme.example/back?{code}", dict(connect_session_id="ses_1", completion_code="c")]
        queries += [{"connect_session_id": ["ses_1"], "completion_code": ["c"]}, httpx.QueryParams(code)]
        client, sent = self.open_recorded(answer(body={"id": "lnk_1"}))

        for query in queries:
            self.assertEqual(self.result(client.connect.finish(query, "cws1.ses_1.v")), {"id": "lnk_1"})

        bodies = [json.loads(request.content) for request in sent]
        self.assertEqual(bodies, [{"completionCode": "c", "completionVerifier": "v"}] * len(queries))

    def test_of_another_browser_are_rejected(self):
        client, sent = self.open_recorded(answer())
        ours = {"connect_session_id": "ses_1", "completion_code": "c"}

        for query, state, code, move in (
            (ours, None, "state_missing", "user"),
            (ours, "made up", "state_unreadable", "user"),
            (ours, "cws1.ses_2.v", "state_mismatch", "user"),
            ({}, "cws1.ses_1.v", "query_missing", "tenant"),
        ):
            with self.assertRaises(ReturnError) as caught:
                self.result(client.connect.finish(query, state))
            self.assertEqual((caught.exception.code, caught.exception.whose_move), (code, move))
        with self.assertRaises(ArgumentError):
            self.result(client.connect.finish(None, "cws1.ses_1.v"))
        self.assertEqual(sent, [])

    def test_do_not_print_the_state(self):
        session = {"id": "ses_1", "url": "https://connect.example.com/connect/token", "expiresAt": "2026-11-18T23:00:00Z"}
        client, _ = self.open_recorded(answer(body=session))

        started = self.result(client.connect.begin({"tenantId": "acme", "endUser": {"id": "u"}, "returnUrl": "https://a"}))

        self.assertEqual(started.url, session["url"])
        self.assertNotIn(started.state, repr(started))
        self.assertNotIn("token", repr(started))


@both
class Settings:
    def test_are_checked(self):
        for url, words in (
            (None, "url is missing: give Causeway the address of your server"),
            ("localhost:3000", 'Write "http://localhost:3000".'),
            ("connect.example.com", 'Write "https://connect.example.com".'),
            ("ftp://connect.example.com", "url must begin with https://"),
            ("https://", "url must begin with https://"),
            ("http://connect.example.com", "http:// works for localhost only"),
            ("http://localhost.example.com", "http:// works for localhost only"),
            ("http://localhost@connect.example.com", "http:// works for localhost only"),
        ):
            with self.assertRaises(ArgumentError) as caught:
                self.client(url, "k")
            self.assertIn(words, str(caught.exception))
        with self.assertRaisesRegex(ArgumentError, "api_key is missing"):
            self.client("https://connect.example.com", "")

    def test_take_the_address_of_the_deployment_or_of_the_api(self):
        for url in ("https://Connect.example.com/a/", "https://u:p@connect.example.com/a/api/v1"):
            client, sent = self.open_recorded(answer(), url=url)
            self.result(client.links.get("x"))
            self.assertEqual(str(sent[0].url), "https://connect.example.com/a/api/v1/links/x")
            self.assertEqual(sent[0].headers["authorization"], "Bearer cwk_secret")
