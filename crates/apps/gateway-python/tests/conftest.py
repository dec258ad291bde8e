"""A server whose responses are scripted, byte by byte."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator

import gateway
import pytest

Script = Callable[[socket.socket], None]


class Service:
    """Answers each connection with the next script; the last one is repeated."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.base_url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.scripts: list[Script] = []
        self.requests: list[str] = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection: socket.socket) -> None:
        with connection:
            request = b""
            while b"\r\n\r\n" not in request:
                if not (received := connection.recv(4096)):
                    return
                request += received
            self.requests.append(request.decode())
            script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
            try:
                script(connection)
            except OSError:
                pass  # The client has gone away.

    def client(self, token: str | Callable[[], str] = "gwt_SECRET", **options: float) -> gateway.Client:
        options = {"retry": False, "timeout": 10.0, **options}
        return gateway.Client(self.base_url, token, **options)  # type: ignore[arg-type]


def response(body: bytes, *, status: str = "200 OK", length: int | None = None, headers: str = "") -> Script:
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{headers}connection: close\r\n"
    head += f"content-length: {len(body) if length is None else length}\r\n\r\n"
    return lambda connection: connection.sendall(head.encode() + body)


def candidates(*records: object) -> bytes:
    return json.dumps({"status": "success", "result": list(records)}).encode()


def endless(connection: socket.socket) -> None:
    """Sends one record, and then nothing."""
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n"
    connection.sendall(head + b'{"status":"success","result":[{"id":"1","name":"Ada"},')
    time.sleep(30)


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()
    yield service
    service.listener.close()


@pytest.fixture(scope="session")
def demo() -> gateway.Demo:
    return gateway.Demo()


@pytest.fixture
def client(demo: gateway.Demo) -> gateway.Client:
    return gateway.Client(demo.base_url, demo.token)
