"""Each route of the API has a method of the documented name. ROUTES is a JSON array of client, method and path."""

import json
import os
import re

from .clients import answer, both

routes = json.loads(os.environ["ROUTES"])


def snake(name):
    return re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


@both
class Operations:
    def test_send_the_documented_request(self):
        self.assertGreater(len(routes), 60)
        for client, method, path in routes:
            with self.subTest(client):
                causeway, sent = self.open_recorded(answer(body={"data": []}))
                resource, name = client.split(".")
                function = getattr(getattr(causeway, snake(resource)), snake(name))
                params = [f"x{at}" for at in range(path.count("{"))]
                takes_body = "body" in function.__code__.co_varnames
                called = function(*params, *([{}] if takes_body else []))
                self.result(called.to_list() if hasattr(called, "to_list") else called)

                numbers = iter(params)
                wanted = re.sub(r"\{\w+\}", lambda _: next(numbers), path)
                self.assertEqual([f"{each.method.lower()} {each.url.path}" for each in sent], [f"{method} /api/v1{wanted}"])
