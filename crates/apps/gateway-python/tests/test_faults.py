"""What goes wrong: on the wire, with the token, by Ctrl-C, and after a fork."""

import asyncio
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from itertools import islice

import gateway
import pyarrow
import pytest
from conftest import Service, candidates, endless, response


def caught(client: gateway.Client) -> gateway.GatewayError:
    with pytest.raises(gateway.GatewayError) as raised:
        list(client.list_candidates())
    assert "SECRET" not in repr(raised.value) + str(raised.value)
    return raised.value


def test_a_truncated_list_is_an_error_after_its_records(service: Service) -> None:
    body = candidates({"id": "1"}, {"id": "2"})
    service.scripts = [response(body[:-1], length=len(body))]
    found = []
    with pytest.raises(gateway.NetworkError) as raised:
        for record in service.client().list_candidates():
            found.append(record.id)
    assert found == ["1", "2"]
    assert (raised.value.kind, raised.value.delivered, raised.value.transient) == ("interrupted", 2, True)
    with pytest.raises(gateway.NetworkError):
        service.client().list_candidates().to_arrow()
    # The error comes before the first batch.
    with pytest.raises(gateway.NetworkError):
        pyarrow.table(service.client().list_candidates())


def test_a_stream_of_batches_cut_later_is_an_error(service: Service) -> None:
    body = candidates(*({"id": str(number)} for number in range(100_000)))
    service.scripts = [response(body[:-1], length=len(body))]
    reader = pyarrow.RecordBatchReader.from_stream(service.client().list_candidates())
    assert reader.read_next_batch().num_rows > 1000
    with pytest.raises((OSError, pyarrow.ArrowException), match="incomplete"):
        reader.read_all()


@pytest.mark.parametrize("length", [1, 10, 40])
def test_a_list_cut_in_json_is_an_error(service: Service, length: int) -> None:
    service.scripts = [response(candidates({"id": "1"}, {"id": "2"})[:-length])]
    assert isinstance(caught(service.client()), (gateway.ContractError, gateway.NetworkError))


@pytest.mark.parametrize(
    ("status", "category", "kind"),
    [
        ("429 Too Many Requests", gateway.RateLimitedError, "rate_limited"),
        ("401 Unauthorized", gateway.AuthError, "unauthorized"),
        ("403 Forbidden", gateway.AuthError, "forbidden"),
        ("404 Not Found", gateway.ContractError, "not_found"),
        ("503 Service Unavailable", gateway.ServerError, "server"),
        ("302 Found", gateway.ContractError, "redirected"),
    ],
)
def test_a_status_is_an_exception(
    service: Service, status: str, category: type[gateway.GatewayError], kind: str
) -> None:
    service.scripts = [response(b"{}", status=status, headers="retry-after: 17\r\n")]
    error = caught(service.client())
    assert type(error) is category and error.kind == kind and error.status == int(status[:3])
    assert error.hint and error.retry_after == 17.0
    assert pickle.loads(pickle.dumps(error)).kind == kind


def test_429_is_retried(service: Service) -> None:
    service.scripts = [response(b"", status="429 Too Many Requests"), response(candidates({"id": "1"}))]
    assert [one.id for one in service.client(retry=True).list_candidates()] == ["1"]


def test_no_service_is_a_network_error() -> None:
    client = gateway.Client("http://127.0.0.1:9", "gwt_SECRET", retry=False)
    assert caught(client).kind == "connect"
    with pytest.raises(gateway.UsageError) as raised:
        gateway.Client("no address", "gwt_SECRET")
    assert isinstance(raised.value, ValueError) and raised.value.kind == "config"
    for token in ("with\nline", 7, None):
        with pytest.raises((gateway.UsageError, TypeError)) as refused:
            gateway.Client("http://127.0.0.1:9", token)  # type: ignore[arg-type]
        assert "line" not in str(refused.value)


def test_a_callable_renews_the_token(service: Service) -> None:
    tokens = iter(["gwt_old", "gwt_new"])
    service.scripts = [response(b"{}", status="401 Unauthorized"), response(candidates({"id": "1"}))]
    client = service.client(lambda: next(tokens))
    assert len(list(client.list_candidates())) == 1
    assert "gwt_old" in service.requests[0] and "gwt_new" in service.requests[1]
    assert client.list_candidates().to_arrow().num_rows == 1


def test_the_exception_of_a_callable_is_the_cause(service: Service) -> None:
    def token() -> str:
        raise LookupError("the vault says gwt_SECRET")

    error = caught(service.client(token))
    assert isinstance(error, gateway.AuthError) and isinstance(error.__cause__, LookupError)


def interrupt_soon() -> None:
    # A shell ignores the signal in background jobs, and Python then has no handler.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # On Windows, `os.kill` would end the process.
    threading.Timer(0.5, signal.raise_signal, (signal.SIGINT,)).start()


@pytest.mark.parametrize("read", [list, lambda records: records.to_arrow()])
def test_ctrl_c_ends_a_wait(service: Service, read: object) -> None:
    service.scripts = [endless]
    interrupt_soon()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        read(service.client(timeout=20.0).list_candidates())  # type: ignore[operator]
    assert time.monotonic() - began < 5


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot send it to one process")
def test_ctrl_c_ends_the_program(service: Service) -> None:
    service.scripts = [endless]
    program = "import sys; from gateway._native import main; sys.exit(main())"
    arguments = ["candidates", "list", "--base-url", service.base_url, "-o", "ndjson"]
    running = subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, "GATEWAY_TOKEN": "gwt_SECRET"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert running.stdout and b"Ada" in running.stdout.readline()
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=10) == 130
    running.communicate()


def test_records_arrive_before_the_end(service: Service) -> None:
    service.scripts = [endless]
    records = service.client().list_candidates()
    assert next(iter(records)).name == "Ada"
    threading.Timer(0.3, records.close).start()
    assert list(records) == []


def test_cancelling_ends_a_wait(service: Service) -> None:
    service.scripts = [endless]

    async def read() -> None:
        async for _ in service.client().list_candidates():
            pass

    async def main() -> None:
        await asyncio.wait_for(read(), timeout=0.5)

    began = time.monotonic()
    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(main())
    assert time.monotonic() - began < 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Unix")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_has_its_own_connections(client: gateway.Client) -> None:
    expected = len(list(client.list_candidates()))
    begun = client.list_candidates()
    assert len(list(islice(begun, 1))) == 1
    gc.collect()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if len(list(client.list_candidates())) == expected else 2
            try:
                list(islice(begun, 10_000_000))
            except gateway.UsageError:
                pass
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(list(client.list_candidates())) == expected
