"""A copy of the lists in a file, with a feed of changes."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from . import _native


class TableReport(NamedTuple):
    """The changes of a sync to a table."""

    table: str
    added: int
    changed: int
    unchanged: int
    returned: int
    missing: int
    gone: int
    rejected: int


class Change(NamedTuple):
    """A change of a record. It has no values, except the status of a placement."""

    number: int
    at: int
    """The time in seconds since 1970."""
    table: str
    id: str
    kind: str
    """`added`, `changed`, `value_changed`, `value_learned`, `missing`, `gone` or `returned`."""
    fields: list[str]
    previous: str | None
    value: str | None


class Placement(NamedTuple):
    """A candidate in a vacancy, with its status."""

    member: str
    group: str
    title: str | None
    value: str | None
    previous: str | None
    since: int
    days: int
    is_older: bool
    """Whether it may have had the value for longer."""


class Report(NamedTuple):
    """What happened in a period."""

    new: int
    moved: int
    times: list[dict[str, Any]]
    groups: list[dict[str, Any]]
    sources: list[tuple[str | None, int]]


class Mirror:
    """A mirror in a SQLite file, as `gateway mirror` uses. `sync` creates it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        self._mirror: Any = _native.Mirror(path)

    def sync(
        self,
        client: _native.Client,
        *,
        account: str = "default",
        accept_missing: Mapping[str, int] | None = None,
    ) -> list[TableReport]:
        """Brings all tables up to date. Use one account name per file; the program uses its profile, such as `default`.

        `accept_missing` is the number of missing records to accept, by table, after the deletion guard refused.
        """
        reports = self._mirror.sync(client, account, dict(accept_missing or {}))
        return [TableReport(**report) for report in reports]

    def changes(self, after: str | None = None, limit: int = 1000) -> tuple[list[Change], str]:
        """Returns the next changes after a cursor, or from the first sync on, and the cursor after them."""
        changes, cursor = self._mirror.changes(after, limit)
        return [Change(**change) for change in changes], cursor

    def record(self, table: str, id: str) -> dict[str, Any] | None:
        """Returns a record as it is now, or None if it is unknown or gone."""
        record: dict[str, Any] | None = self._mirror.record(table, id)
        return record

    def placements(
        self,
        *,
        vacancy: str | int | None = None,
        candidate: str | int | None = None,
        status: str | None = None,
        days: int = 0,
    ) -> list[Placement]:
        """Returns candidates in vacancies, longest waiting first."""
        group, member = (None if one is None else str(one) for one in (vacancy, candidate))
        return [Placement(**one) for one in self._mirror.placements(group, member, status, days)]

    def report(self, days: float = 7, *, source: str | None = None) -> Report:
        """Counts what happened in the last days, with new candidates by a column, such as `portal_name`."""
        now = int(time.time()) + 1
        reports = self._mirror.report(now - int(days * 86400), now, source)
        return Report(**reports[0]) if reports else Report(0, 0, [], [], [])

    def __repr__(self) -> str:
        return f"Mirror({self._path!r})"
