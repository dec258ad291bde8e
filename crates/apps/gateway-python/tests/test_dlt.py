"""The example for dlt loads into DuckDB twice; the second run brings only changes."""

import sys
from pathlib import Path

import gateway
import pytest

pytestmark = pytest.mark.filterwarnings("default")


def test_the_second_run_brings_only_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dlt = pytest.importorskip("dlt")
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.setenv("RUNTIME__DLTHUB_TELEMETRY", "false")
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "examples")
    from dlt_source import recruiting

    demo = gateway.Demo()
    demo.set_day(0)
    client = gateway.Client(demo.base_url, demo.token)
    database = tmp_path / "warehouse.duckdb"
    pipeline = dlt.pipeline(
        "recruiting",
        pipelines_dir=str(tmp_path / "pipelines"),
        destination=dlt.destinations.duckdb(str(database)),
        dataset_name="recruiting",
    )

    def run() -> dict[str, int]:
        pipeline.run(recruiting(str(tmp_path / "m.db"), client))
        return dict(pipeline.last_trace.last_normalize_info.row_counts)

    def count(table: str) -> int:
        with duckdb.connect(str(database)) as connection:
            return int(connection.sql(f"SELECT count(*) FROM recruiting.{table}").fetchall()[0][0])

    everything = run()
    assert count("candidate") == everything["candidate"] == len(list(client.list_candidates()))
    assert run().get("candidate", 0) == 0
    demo.set_day(2)
    changes = run()
    assert 0 < changes["candidate_vacancy"] < everything["candidate_vacancy"]
    assert 0 < changes["candidate_vacancy"] < everything["candidate_vacancy"]
    assert 0 < changes["candidate"] < everything["candidate"] < count("candidate")
    sys.modules.pop("dlt_source", None)
