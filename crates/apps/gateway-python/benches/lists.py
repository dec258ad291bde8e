"""Measures a list of a million candidates as an Arrow table, beside other clients of Python.

    python benches/lists.py [RECORDS]

Each subject runs in a process of its own, in turn, against a server that sends a body from memory. The time includes
neither the start of Python nor imports; the memory is the largest that the process had.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import socket
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

ROUNDS = 5


def gateway_arrow(url: str) -> Callable[[], int]:
    import gateway
    import pyarrow  # noqa: F401

    client = gateway.Client(url, "gwt_token")
    return lambda: client.list_candidates().to_arrow().num_rows


def gateway_pandas(url: str) -> Callable[[], int]:
    import gateway
    import pandas  # noqa: F401

    client = gateway.Client(url, "gwt_token")
    return lambda: len(client.list_candidates().to_pandas())


def gateway_records(url: str) -> Callable[[], int]:
    import gateway

    client = gateway.Client(url, "gwt_token")
    return lambda: sum(1 for _ in client.list_candidates())


def requests_pandas(url: str) -> Callable[[], int]:
    import pandas
    import requests

    def read() -> int:
        response = requests.get(f"{url}/c/oauth/v1", params={"method": "candidates/list"})
        return len(pandas.DataFrame(response.json()["result"]))

    return read


def msgspec_structs(url: str, arrow: bool = False) -> Callable[[], int]:
    import httpx
    import msgspec
    import pyarrow

    Portal = msgspec.defstruct("Portal", [("id", str), ("name", str | None, None)], gc=False)
    texts = ["name", "email", "phone", "phone_mobile", "date"]
    fields: list[Any] = [("id", str), *((name, str | None, None) for name in texts)]
    fields += [("portal", Portal | None, None), ("type", str | None, None)]  # type: ignore[operator]
    Candidate = msgspec.defstruct("Candidate", fields, gc=False)
    Envelope = msgspec.defstruct("Envelope", [("status", str), ("result", list[Candidate])])  # type: ignore[valid-type]
    decoder = msgspec.json.Decoder(Envelope)

    def read() -> int:
        response = httpx.get(f"{url}/c/oauth/v1", params={"method": "candidates/list"}, timeout=60)
        records = decoder.decode(response.content).result  # type: ignore[attr-defined]
        if not arrow:
            return len(records)
        columns = {name: pyarrow.array([getattr(one, name) for one in records]) for name in ["id", *texts, "type"]}
        columns["portal_id"] = pyarrow.array([one.portal and one.portal.id for one in records])
        columns["portal_name"] = pyarrow.array([one.portal and one.portal.name for one in records])
        return int(pyarrow.table(columns).num_rows)

    return read


def msgspec_arrow(url: str) -> Callable[[], int]:
    return msgspec_structs(url, arrow=True)


def serve(records: int, ready: Any) -> None:
    def record(index: int) -> str:
        fields = {"id": str(index), "name": f"Anna Groß {index}", "email": f"anna.gross{index}@example.org"}
        fields |= {"phone": "+49 30 5651277", "phone_mobile": None, "date": "2026-06-28 20:22:57"}
        return json.dumps(fields | {"portal": {"id": "3", "name": "StepStone"}, "type": "person"}, ensure_ascii=False)

    body = ('{"status":"success","result":[' + ",".join(map(record, range(records))) + "]}").encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {len(body)}\r\n\r\n"
    listener = socket.create_server(("127.0.0.1", 0))
    ready.send((listener.getsockname()[1], len(body)))
    while True:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(head.encode() + body)


def measure(subject: Callable[[str], Callable[[], int]], url: str, records: int, result: Any) -> None:
    read = subject(url)
    began = time.perf_counter()
    assert read() == records
    seconds = time.perf_counter() - began
    result.send((seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def main() -> None:
    records = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    spawn = multiprocessing.get_context("spawn")
    ready, of_server = spawn.Pipe()
    server = spawn.Process(target=serve, args=(records, of_server), daemon=True)
    server.start()
    port, size = ready.recv()
    subjects = [gateway_arrow, gateway_pandas, gateway_records, requests_pandas, msgspec_structs, msgspec_arrow]
    found: dict[str, list[tuple[float, float]]] = {}
    for _ in range(ROUNDS):
        for subject in subjects:
            result, of_process = spawn.Pipe()
            url = f"http://127.0.0.1:{port}"
            process = spawn.Process(target=measure, args=(subject, url, records, of_process))
            process.start()
            found.setdefault(subject.__name__, []).append(result.recv())
            process.join()
    print(f"{records} records, {size / 1e6:.0f} MB; medians of {ROUNDS} rounds\n")
    print("| subject | time | times `to_arrow` | peak memory |\n|---|--:|--:|--:|")
    base = statistics.median(seconds for seconds, _ in found["gateway_arrow"])
    for name, runs in found.items():
        seconds, memory = (statistics.median(values) for values in zip(*runs, strict=True))
        print(f"| {name} | {seconds:.2f} s | {seconds / base:.1f} | {memory:.0f} MiB |")
    server.kill()


if __name__ == "__main__":
    main()
