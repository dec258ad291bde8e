"""The client with the sample service: records, queries, tables and asyncio."""

import asyncio
import datetime
import subprocess
import sys
import threading
from decimal import Decimal

import gateway
import pandas
import polars
import pyarrow
import pytest
from conftest import Service, candidates, response


def test_records_have_types(client: gateway.Client) -> None:
    [ada, *rest] = client.list_candidates()
    assert rest and isinstance(ada, gateway.Candidate)
    assert ada.id.isdigit() and isinstance(ada.portal, gateway.Portal)
    assert ada.kind == gateway.CandidateKind.PERSON
    assert ada.to_dict()["id"] == ada.id and ada == next(iter(client.list_candidates()))
    assert Decimal(client.get_credits().credits_number) > 0
    assert {vacancy.project for vacancy in client.list_vacancies()}


def test_a_query_filters(client: gateway.Client) -> None:
    every = len(list(client.list_candidates()))
    of_vacancy = len(list(client.list_candidates(vacancy_id=101)))
    new = len(list(client.list_candidates(vacancy_id="101", status=gateway.StatusName.NEW)))
    assert every > of_vacancy > new > 0
    with pytest.raises(gateway.UsageError, match="`status` has an effect only with `vacancy_id`"):
        client.list_candidates(status="New")


def test_a_list_becomes_a_table(client: gateway.Client) -> None:
    table = client.list_candidates().to_arrow()
    assert table.schema.field("date").type == pyarrow.timestamp("us")
    names = ["id", "name", "email", "phone", "phone_mobile", "date", "portal_id", "portal_name", "type"]
    assert table.column_names == names
    for frame in (client.list_candidates().to_pandas(), client.list_candidates().to_polars()):
        assert list(frame.columns) == names and len(frame) == table.num_rows
    assert isinstance(frame, polars.DataFrame)
    lazily = pyarrow.table(client.list_candidates())
    assert lazily == table
    first = next(iter(client.list_candidates()))
    assert first.date == table["date"][0].as_py().isoformat(sep=" ")


def test_dates_are_those_of_the_calendar(service: Service) -> None:
    dates = ["1970-01-01 00:00:00", "2024-02-29 23:59:59", "2000-03-01 00:00:01", "1900-12-31 12:00:00"]
    strange = [*dates, "0000-00-00 00:00:00", "yesterday", None]
    service.scripts = [response(candidates(*({"id": "1", "date": date} for date in strange)))]
    found = service.client().list_candidates().to_arrow()["date"].to_pylist()
    assert found == [*map(datetime.datetime.fromisoformat, dates), None, None, None]


def test_null_and_absent_differ_in_json(service: Service) -> None:
    service.scripts = [response(candidates({"id": "1", "name": None, "shoe": 43}))]
    [record] = service.client().list_candidates()
    assert record.name is None and record.email is None
    assert record.to_dict() == {"id": "1", "name": None, "shoe": 43} and record.extra == {"shoe": 43}


def test_repr_shows_nothing_personal(service: Service) -> None:
    service.scripts = [response(candidates({"id": "1", "name": "Ada"}, {"id": 7, "name": "Bob"}))]
    client = service.client()
    records = client.list_candidates()
    with pytest.warns(gateway.RejectedWarning, match="do not match the contract: 1;"):
        shown = [client, records, list(records), records.rejected]
    assert not any(secret in repr(shown) for secret in ("SECRET", "Ada", "Bob"))
    assert records.rejected[0].path == "result[1].id" and "Bob" in records.rejected[0].raw


def test_a_list_is_read_once(client: gateway.Client) -> None:
    records = client.list_candidates()
    first, second = next(iter(records)), next(iter(records))
    assert first != second
    with pytest.raises(gateway.UsageError, match="already been read"):
        records.to_arrow()


def test_async_for_and_gather(client: gateway.Client) -> None:
    async def read() -> tuple[int, int, str]:
        async def count(records: gateway.Records[gateway.Candidate]) -> int:
            return sum([1 async for _ in records])

        one, two = client.list_candidates(), client.list_candidates(vacancy_id=101)
        counts = await asyncio.gather(count(one), count(two), client.get_credits_async())
        return counts[0], counts[1], counts[2].currency

    every, some, currency = asyncio.run(read())
    assert every > some > 0 and len(currency) == 3


def test_threads_share_a_client(client: gateway.Client) -> None:
    counts: list[int] = []
    read = lambda: counts.append(client.list_candidates().to_arrow().num_rows)  # noqa: E731
    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(counts) == 8 and len(set(counts)) == 1


def test_threads_share_the_records_of_a_list(client: gateway.Client) -> None:
    records, found = client.list_candidates(), []
    threads = [threading.Thread(target=lambda: found.extend(records)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = sorted(one.id for one in client.list_candidates())
    assert sorted(one.id for one in found) == expected


def test_pandas_has_dates(client: gateway.Client) -> None:
    assert pandas.api.types.is_datetime64_any_dtype(client.list_candidates().to_pandas()["date"])


def test_the_program_has_its_exit_codes() -> None:
    def run(*arguments: str) -> tuple[int, str]:
        program = [sys.executable, "-c", "import sys; from gateway._native import main; sys.exit(main())"]
        done = subprocess.run([*program, *arguments], capture_output=True, text=True)
        return done.returncode, done.stdout

    code, version = run("--version")
    assert (code, version) == (0, f"gateway {gateway.__version__}\n")
    code, text = run("--demo", "vacancies", "list", "-o", "json")
    assert code == 0 and text.startswith("[")
    assert run("candidates", "lost")[0] == 2
    assert run("credits", "get", "--base-url", "http://127.0.0.1:9", "--timeout", "1")[0] in (2, 4)
