import httpx

from causeway import ApiError, ArgumentError, UnreachableError

from .clients import answer, both, problem

of_the_app = {"proxy-status": "causeway; received-status=404"}


@both
class Relay:
    def test_sends_a_path_to_the_first_host_and_a_url_to_its_own(self):
        client, sent = self.open_recorded(answer(404, {"ok": 1}, of_the_app))

        response = self.result(client.connections.request("con/1", "GET", "/v1/files/a%2Fb", params={"q": "x y"}))
        self.result(client.connections.request("con_1", "POST", "https://api.app.example:8443/v1", json={"a": 1}))

        self.assertEqual((response.status_code, response.json()), (404, {"ok": 1}))
        base = "https://connect.example.com/api/v1/connections"
        self.assertEqual(str(sent[0].url), f"{base}/con%2F1/relay/-/v1/files/a%2Fb?q=x+y")
        self.assertEqual(str(sent[1].url), f"{base}/con_1/relay/api.app.example:8443/v1")
        self.assertEqual((sent[1].method, sent[1].content), ("POST", b'{"a": 1}'))
        self.assertEqual((sent[1].headers["content-length"], sent[1].headers["host"]), ("8", "connect.example.com"))

    def test_replaces_the_credentials_of_the_caller(self):
        client, sent = self.open_recorded(answer(headers=of_the_app))

        self.result(client.connections.request("con_1", "GET", "https://me:pw@api.app.example/v1", headers={"authorization": "Basic eA=="}))

        self.assertEqual(sent[0].headers.get_list("authorization"), ["Bearer cwk_secret"])

    def test_never_leaves_the_connection(self):
        client, sent = self.open_recorded(answer(headers=of_the_app))

        for path in ("/../../../tenants", "https://api.app.example/a/../../../b"):
            self.result(client.connections.request("con_1", "GET", path))
        for path in ("/%2e%2e/%2E%2e/tenants", "/a/.%2e/b"):
            with self.assertRaisesRegex(ArgumentError, "segments"):
                self.result(client.connections.request("con_1", "GET", path))
        with self.assertRaisesRegex(ArgumentError, "connection_id must not be empty"):
            self.result(client.connections.request("", "GET", "/v1"))

        paths = [request.url.path for request in sent]
        relay = "/api/v1/connections/con_1/relay"
        self.assertEqual(paths, [f"{relay}/-/tenants", f"{relay}/api.app.example/b"])

    def test_raises_the_problem_if_no_request_reached_the_app(self):
        client, sent = self.open_recorded(problem(502, "app_unavailable"))

        with self.assertRaises(ApiError) as caught:
            self.result(client.connections.request("con_1", "GET", "/v1"))

        self.assertEqual((caught.exception.code, caught.exception.request_id), ("app_unavailable", "req_1"))
        self.assertEqual(len(sent), 1)

    def test_raises_if_the_server_is_unreachable(self):
        client, sent = self.open_recorded(httpx.ConnectError("refused"))

        with self.assertRaises(UnreachableError):
            self.result(client.connections.request("con_1", "GET", "/v1"))
        self.assertEqual(len(sent), 1)

    def test_follows_a_redirect_inside_the_app_if_asked_to(self):
        inside = "https://connect.example.com/api/v1/connections/con_1/relay/api.app.example/next"
        client, sent = self.open_recorded(
            answer(302, headers={"location": inside, **of_the_app}), answer(body={"at": "next"}, headers=of_the_app)
        )

        response = self.result(client.connections.request("con_1", "GET", "/v1", follow_redirects=True))

        self.assertEqual(response.json(), {"at": "next"})
        self.assertEqual([str(request.url) for request in sent][1], inside)
        self.assertEqual(sent[1].headers["authorization"], "Bearer cwk_secret")
