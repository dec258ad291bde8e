"""A source for dlt: the lists of the gateway, from a mirror.

The first run loads all records. Each later run loads those that changed, and deletes those that are gone:

    pipeline = dlt.pipeline("warehouse", destination="duckdb", dataset_name="recruiting")
    pipeline.run(recruiting("gateway.db", gateway.Client(base_url, token)))

Keep the file of the mirror between the runs. Without it, the feed begins again: reset the pipeline, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import dlt
import gateway
from dlt.extract import DltResource

TABLES = ("candidate", "vacancy", "candidate_vacancy")


@dlt.source(name="recruitment_gateway")
def recruiting(path: str, client: gateway.Client) -> Iterable[DltResource]:
    """Brings the mirror up to date, and returns a resource for each of its tables."""
    mirror = gateway.Mirror(path)
    mirror.sync(client)
    for table in TABLES:
        yield dlt.resource(  # pyright: ignore[reportUnknownMemberType]
            changed_records(mirror, table),
            name=table,
            primary_key="id",
            write_disposition="merge",
            columns={"deleted": {"data_type": "bool", "hard_delete": True}},
        )


def changed_records(mirror: gateway.Mirror, table: str) -> Iterator[dict[str, Any]]:
    """Yields the records that changed since the last run, as they are now."""
    state = dlt.current.resource_state()
    while True:
        changes, cursor = mirror.changes(state.get("cursor"))
        for id in dict.fromkeys(change.id for change in changes if change.table == table):
            record = mirror.record(table, id)
            yield {"id": id, "deleted": True} if record is None else {**record, "deleted": False}
        state["cursor"] = cursor
        if not changes:
            return
