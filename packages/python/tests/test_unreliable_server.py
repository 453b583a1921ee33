"""A real server that drops, truncates and delays."""

import socket
import threading

from causeway import UnreachableError

from .clients import both

ok = b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 14\r\nconnection: close\r\n\r\n{"id":"lnk_1"}'


class UnreliableServer:
    """Treats the nth connection with the nth of `treatments`, and repeats the last one."""

    def __init__(self, *treatments):
        self.treatments = treatments
        self.requests = []
        self.over = threading.Event()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.threads = [threading.Thread(target=self.accept)]
        self.threads[0].start()

    def accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            treatment = self.treatments[min(len(self.requests), len(self.treatments) - 1)]
            self.requests.append(connection.recv(65536))
            if self.over.is_set():
                return connection.close()
            self.threads.append(threading.Thread(target=self.serve, args=(connection, treatment)))
            self.threads[-1].start()

    def serve(self, connection, treatment):
        with connection:
            treatment(self, connection)

    def close(self):
        self.over.set()
        # Wakes accept().
        with socket.create_connection(self.socket.getsockname()) as last:
            last.sendall(b"-")
        for thread in self.threads:
            thread.join()
        self.socket.close()

    def drop(self, connection):
        pass

    def truncate(self, connection):
        connection.sendall(ok[:-4])

    def delay(self, connection):
        self.over.wait()

    def drip(self, connection):
        """Each byte comes in time, the answer never."""
        connection.sendall(ok[:-14])
        while not self.over.wait(0.05):
            try:
                connection.sendall(b" ")
            except OSError:
                return

    def answer(self, connection):
        connection.sendall(ok)


@both
class UnreliableServers:
    def serve(self, *treatments):
        server = UnreliableServer(*treatments)
        self.addCleanup(server.close)
        return server

    def test_are_asked_again_with_the_same_key(self):
        server = self.serve(
            UnreliableServer.drop, UnreliableServer.truncate, UnreliableServer.delay, UnreliableServer.answer
        )
        client = self.open(server.url, timeout=0.3)

        self.assertEqual(self.result(client.links.resume("lnk_1")), {"id": "lnk_1"})
        keys = {line for sent in server.requests for line in sent.split(b"\r\n") if line.startswith(b"idempotency-key")}
        self.assertEqual((len(server.requests), len(keys)), (4, 1))

    def test_are_not_asked_again_for_a_patch(self):
        server = self.serve(UnreliableServer.drop, UnreliableServer.answer)
        client = self.open(server.url)

        with self.assertRaises(UnreachableError):
            self.result(client.tenants.update("acme", {"displayName": "A"}))
        self.assertEqual(len(server.requests), 1)

    def test_time_out(self):
        for treatment in (UnreliableServer.delay, UnreliableServer.drip):
            with self.subTest(treatment.__name__):
                server = self.serve(treatment)
                client = self.open(server.url)
                with self.assertRaisesRegex(UnreachableError, "did not answer"):
                    self.result(client.links.get("x", options={"timeout": 0.2, "max_attempts": 1}))
