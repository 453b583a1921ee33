"""Verification by Standard Webhooks 1.0.0, "Verifying webhook authenticity"."""

import base64
import hashlib
import hmac
import json
import time
import unittest

from causeway import ArgumentError, WebhookError, verify_webhook

key = b"a secret of thirty-two bytes, ok"
secret = f"whsec_{base64.b64encode(key).decode()}"
other = f"whsec_{base64.b64encode(b'another secret of 32 bytes, too.').decode()}"
body = '{"type":"tenant.deleted","data":{"name":"Ä"}}'


def signature(sent_at, version="v1"):
    digest = hmac.new(key, f"evt_1.{sent_at}.{body}".encode(), hashlib.sha256).digest()
    return f"{version},{base64.b64encode(digest).decode()}"


def headers(age=0, **changed):
    sent_at = int(time.time()) - age
    names = {"webhook_id": "evt_1", "webhook_timestamp": str(sent_at), "webhook_signature": signature(sent_at)}
    return {name.replace("_", "-"): value for name, value in {**names, **changed}.items()}


class Webhooks(unittest.TestCase):
    def reject(self, words, *given):
        with self.assertRaisesRegex(WebhookError, words):
            verify_webhook(*given)

    def test_return_the_event_with_its_id(self):
        for raw in (body, body.encode()):
            event = verify_webhook(raw, headers(), secret)
            self.assertEqual(event, {**json.loads(body), "id": "evt_1"})

    def test_have_headers_in_any_case(self):
        titled = {name.title(): value for name, value in headers().items()}

        self.assertEqual(verify_webhook(body, titled, secret)["id"], "evt_1")

    def test_are_verified_with_each_secret_and_each_signature(self):
        sent_at = int(time.time())
        several = f"v1a,{'x' * 86}== v1,b3RoZXI= {signature(sent_at)}"
        given = headers(webhook_timestamp=str(sent_at), webhook_signature=several)

        self.assertEqual(verify_webhook(body, given, [None, other, secret])["type"], "tenant.deleted")

    def test_are_rejected_if_forged(self):
        self.reject("not signed with this secret", f"{body} ", headers(), secret)
        self.reject("not signed with this secret", body, headers(webhook_id="evt_2"), secret)
        self.reject("not signed with this secret", body, headers(), other)
        self.reject("not signed with this secret", body, headers(webhook_signature="v1,ä"), secret)
        self.reject("not signed with this secret", body, headers(webhook_signature=signature(int(time.time()), "v2")), secret)
        self.reject("it needs the headers webhook-id, webhook-timestamp", body, {}, secret)

    def test_are_rejected_if_older_or_newer_than_five_minutes(self):
        self.assertEqual(verify_webhook(body, headers(age=290), secret)["id"], "evt_1")
        self.assertEqual(verify_webhook(body, headers(age=-290), secret)["id"], "evt_1")
        self.reject("not signed in the last five minutes", body, headers(age=310), secret)
        self.reject("not signed in the last five minutes", body, headers(age=-310), secret)
        self.reject("not signed in the last five minutes", body, headers(webhook_timestamp="nan"), secret)

    def test_need_a_raw_body_and_a_secret(self):
        for given, words in (
            (({"type": "tenant.deleted"}, headers(), secret), "The body was parsed already"),
            ((body, None, secret), "No headers were given"),
            ((body, headers(), None), "No webhook secret was given"),
            ((body, headers(), [None, ""]), "No webhook secret was given"),
            ((body, headers(), "cwk_key"), "This is not a webhook secret"),
            ((body, headers(), "whsec_?"), "This is not a webhook secret"),
        ):
            with self.assertRaisesRegex(ArgumentError, words):
                verify_webhook(*given)
