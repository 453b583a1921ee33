"""Against a running server: CAUSEWAY_URL, CAUSEWAY_API_KEY (a test key), and WEBHOOK, a message that it has signed."""

import json
import os
from urllib.parse import parse_qs, urlsplit

import httpx

from causeway import ApiError, LinkError, ReturnError, WebhookError, assert_linked

from .clients import both

tenant = "test_acme"
return_url = "https://app.acme.example/connected"


def come_back(url):
    """Follows the pages of Causeway and the provider of test mode to the return URL."""
    with httpx.Client(headers={"accept": "text/html"}) as browser:
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
        visited = browser.post(url, headers={"origin": origin})
        while True:
            refresh = visited.headers.get("refresh", "").partition("url=")[2]
            address = str(visited.url.join(visited.headers.get("location", refresh)))
            if address.startswith(return_url):
                return address
            if address == str(visited.url):
                raise AssertionError(f"no way on from {address}: {visited.text}")
            visited = browser.get(address)


@both
class Journeys:
    def setUp(self):
        super().setUp()
        self.causeway = self.open(os.environ["CAUSEWAY_URL"], os.environ["CAUSEWAY_API_KEY"])
        # Each run has its own user.
        self.user = f"user-{type(self).__name__}-{self._testMethodName}"
        tenant_request = {"displayName": "Acme", "returnUrls": [return_url]}
        self.result(self.causeway.tenants.put(tenant, tenant_request))

    def begin(self, outcome="approved"):
        request = {"tenantId": tenant, "integrationId": "gmail", "endUser": {"id": self.user}, "returnUrl": return_url}
        return self.result(self.causeway.connect.begin({**request, "testOutcome": outcome, "ifConnected": "add"}))

    def connect(self, outcome="approved"):
        started = self.begin(outcome)
        return self.result(self.causeway.connect.finish(come_back(started.url), started.state))

    def test_from_a_button_to_the_first_answer_of_the_app(self):
        link = assert_linked(self.connect())

        response = self.result(self.causeway.connections.request(link["connectionId"], "GET", "/gmail/v1/users/me/labels"))

        connection = self.result(self.causeway.connections.get(link["connectionId"], locale="de"))
        self.assertEqual((connection["status"], connection["endUser"]["id"]), ("active", self.user))
        self.assertEqual(response.status_code, 200)
        self.assertEqual(response.json()["request"], {"method": "GET", "path": "-/gmail/v1/users/me/labels"})

    def test_a_reloaded_return_page_shows_the_same_link(self):
        started = self.begin()
        query = parse_qs(urlsplit(come_back(started.url)).query)

        first = self.result(self.causeway.connect.finish(query, started.state))
        again = self.result(self.causeway.connect.finish(query, started.state))

        self.assertEqual((first["status"], again["id"]), ("linked", first["id"]))

    def test_a_user_who_declines_gets_the_cause(self):
        link = self.connect("denied")

        with self.assertRaises(LinkError) as caught:
            self.result(self.causeway.links.wait(link["id"]))

        self.assertEqual((caught.exception.code, caught.exception.whose_move), ("consent_denied", "user"))

    def test_nobody_gets_the_account_of_another_user(self):
        mine, theirs = self.begin(), self.begin()

        with self.assertRaises(ReturnError) as caught:
            self.result(self.causeway.connect.finish(come_back(theirs.url), mine.state))

        self.assertEqual(caught.exception.code, "state_mismatch")

    def test_wait_waits_for_a_slow_link(self):
        link = self.connect("slow")
        self.assertEqual(link["status"], "pending")

        linked = self.result(self.causeway.links.wait(link["id"]))

        self.assertEqual((linked["id"], linked["status"]), (link["id"], "linked"))

    def test_a_relink_returns_to_the_same_connection(self):
        connection = assert_linked(self.connect())["connectionId"]
        request = {"reason": "it stopped working", "returnUrl": return_url, "testOutcome": "approved"}
        started = self.result(self.causeway.connect.begin_relink(connection, request))

        link = self.result(self.causeway.connect.finish(come_back(started.url), started.state))

        self.assertEqual((link["status"], link["purpose"], link["connectionId"]), ("linked", "relink", connection))

    def test_lists_are_read_page_by_page(self):
        made = sorted(assert_linked(self.connect())["connectionId"] for _ in range(3))
        listed = self.causeway.connections.list(tenant_id=tenant, end_user_id=self.user, limit=2)

        found = self.result(listed.to_list())
        pages = self.result(listed.pages())

        self.assertEqual(sorted(each["id"] for each in found), made)
        self.assertEqual([len(page["data"]) for page in pages], [2, 1])

    def test_a_disconnect_is_waited_for_and_ends_the_relay(self):
        connection = assert_linked(self.connect())["connectionId"]

        task = self.result(self.causeway.connections.disconnect(connection, {"reason": "the user asked for it"}))
        done = self.result(self.causeway.connections.wait_for_task(task))

        self.assertEqual((done["kind"], done["status"]), ("disconnect", "done"))
        with self.assertRaises(ApiError) as caught:
            self.result(self.causeway.connections.request(connection, "GET", "/gmail/v1/users/me/labels"))
        self.assertEqual((caught.exception.status, caught.exception.code), (409, "connection_disconnected"))

    def test_the_relay_takes_bodies_and_streams(self):
        connection = assert_linked(self.connect())["connectionId"]

        async def chunks():
            yield b'{"name": '
            yield b'"b"}'

        content = chunks() if hasattr(self.causeway, "aclose") else iter([b'{"name": ', b'"b"}'])
        client = self.causeway.connections.http_client(connection)
        posted = self.result(client.post("/v1/files", json={"name": "a"}))
        streamed = self.result(client.put("https://gmail.googleapis.com/v1/files", content=content))

        paths = [each.json()["request"] for each in (posted, streamed)]
        self.assertEqual(
            paths,
            [{"method": "POST", "path": "-/v1/files"}, {"method": "PUT", "path": "gmail.googleapis.com/v1/files"}],
        )

    def test_an_error_has_all_that_leads_on(self):
        with self.assertRaises(ApiError) as caught:
            self.result(self.causeway.tenants.put(tenant, {"displayNam": "Acme"}))

        error = caught.exception
        self.assertEqual((error.status, error.code, error.whose_move), (422, "input_invalid", "tenant"))
        self.assertIn("/displayNam", [each["pointer"] for each in error.errors])
        self.assertTrue(error.docs.endswith("/docs/reference/errors#input_invalid"))
        self.assertTrue(error.request_id)

    def test_the_same_idempotency_key_does_the_work_once(self):
        request = {"tenantId": tenant, "integrationId": "gmail", "endUser": {"id": self.user}, "returnUrl": return_url}
        body = {**request, "completionChallenge": "x" * 43}
        options = {"idempotency_key": f"key-{self.user}"}

        first, again = (self.result(self.causeway.connect_sessions.create(body, options=options)) for _ in range(2))

        self.assertEqual(first["id"], again["id"])

    def test_a_message_of_the_server_is_verified(self):
        message = json.loads(os.environ["WEBHOOK"])
        body, headers, secret = message["body"], message["headers"], message["secret"]

        event = self.causeway.webhooks.verify(body.encode(), headers, [None, secret])

        self.assertEqual((event["type"], event["id"]), ("link.succeeded", headers["webhook-id"]))
        with self.assertRaises(WebhookError):
            self.causeway.webhooks.verify(f"{body} ", headers, secret)
