"""A small product whose users connect an account: a button, the return page, linked accounts, and verified webhooks."""

import os
import secrets
from functools import cache
from html import escape
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from causeway import Causeway, CausewayError, ReturnError, WebhookError

TENANT = os.environ["CAUSEWAY_TENANT"]
WEBHOOK_SECRET = os.environ.get("CAUSEWAY_WEBHOOK_SECRET")  # if unset, all messages are rejected
INTEGRATION = os.environ.get("INTEGRATION", "gmail")
PORT = int(os.environ.get("PORT", "4000"))
APP_URL = os.environ.get("APP_URL", f"http://localhost:{PORT}")

causeway = Causeway(os.environ["CAUSEWAY_URL"], os.environ["CAUSEWAY_API_KEY"])
sessions = {}  # by cookie. Replace with your login.
events = {}  # by ID, because messages can arrive twice. Use your database.


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        at = urlsplit(self.path)
        routes = {"/": self.home, "/connected": lambda: self.connected(dict(parse_qsl(at.query)))}
        self.run(routes.get(at.path))

    def do_POST(self):
        self.run({"/connect": self.connect, "/webhooks": self.webhook}.get(self.path))

    def run(self, route):
        try:
            return route() if route else self.answer(404, "Not found")
        except (ReturnError, WebhookError) as error:
            self.answer(400, str(error))
        except CausewayError as error:
            self.log_error("%s", error)
            self.answer(502, "That did not work. Please try again.")

    def home(self):
        user = self.session()["user"]
        app = app_names().get(INTEGRATION, INTEGRATION)
        items = [connection_item(each) for each in causeway.connections.list(tenant_id=TENANT, end_user_id=user)]
        mine = [event for event in events.values() if event["data"].get("endUser", {}).get("id") == user]
        messages = [f"<li>{escape(event['type'])} at {escape(event['timestamp'])}" for event in mine]
        self.page(
            f"<h1>Your accounts</h1><form method='post' action='/connect'><button>Connect {escape(app)}</button>"
            f"</form><ul>{''.join(items)}</ul><h2>Messages</h2><ul>{''.join(messages)}</ul>"
        )

    def connect(self):
        session = self.session()
        started = causeway.connect.begin({
            "tenantId": TENANT,
            "integrationId": INTEGRATION,
            "endUser": {"id": session["user"]},
            "returnUrl": f"{APP_URL}/connected",
        })
        session["connecting"] = started.state
        self.redirect(started.url)

    def connected(self, query):
        link = causeway.connect.finish(query, self.session().get("connecting"))
        if "continueUrl" in link:
            return self.redirect(link["continueUrl"])
        words = link.get("causeForUser", {})
        title = "Connected" if link["status"] == "linked" else words.get("title", link["status"])
        self.page(f"<h1>{escape(title)}</h1><p>{escape(words.get('advice', ''))} <a href='/'>Back to your accounts</a>")

    def webhook(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        event = causeway.webhooks.verify(body, self.headers, WEBHOOK_SECRET)
        events[event["id"]] = event
        self.answer(204, "")

    def session(self):
        sent = SimpleCookie(self.headers.get("Cookie", "")).get("session")
        self.cookie = sent.value if sent and sent.value in sessions else secrets.token_urlsafe(32)
        return sessions.setdefault(self.cookie, {"user": f"user-{secrets.token_urlsafe(8)}"})

    def page(self, body):
        self.answer(200, f"<!doctype html><html lang='en'><title>Example</title><main>{body}</main>")

    def redirect(self, url):
        self.answer(303, "", {"Location": url})

    def answer(self, status, text, headers=()):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        if getattr(self, "cookie", None):  # lax: strict cookies are not sent when the user returns from another site
            self.send_header("Set-Cookie", f"session={self.cookie}; HttpOnly; SameSite=Lax; Path=/")
        for name, value in dict(headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@cache
def app_names():
    return {each["id"]: each["displayName"] for each in causeway.integrations.list(available="true")}


def connection_item(connection):
    app = app_names().get(connection["integrationId"], connection["integrationId"])
    account = connection.get("upstreamAccount", {}).get("label", "an account")
    return (
        f"<li>{escape(app)}: {escape(account)}, {escape(connection['status'])}, "
        f"<code>{escape(connection['functionUrl'])}/mcp</code>"
    )


if __name__ == "__main__":
    print(f"Listening at {APP_URL}", flush=True)
    ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
