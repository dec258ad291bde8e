"""A copy of the lists in a file, with a feed of changes."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from . import _native


class TableReport(NamedTuple):
    """What a sync did with a table."""

    table: str
    added: int
    changed: int
    unchanged: int
    returned: int
    missing: int
    gone: int
    rejected: int


class Change(NamedTuple):
    """A change of a record. It has no values except those of a placement."""

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
    """The events of a period."""

    new: int
    moved: int
    times: list[dict[str, Any]]
    groups: list[dict[str, Any]]
    sources: list[tuple[str | None, int]]


class Mirror:
    """A mirror in a SQLite file, the same as that of `gateway mirror`. `sync` creates it."""

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
        """Brings all tables up to date. Use one name of an account for each file: `default` is that of the program.

        `accept_missing` says for a table how many records may be missing, if the deletion guard refused them.
        """
        reports = self._mirror.sync(client, account, dict(accept_missing or {}))
        return [TableReport(**report) for report in reports]

    def changes(self, after: str | None = None, limit: int = 1000) -> tuple[list[Change], str]:
        """Returns the next changes after a cursor, and the cursor after them. It begins with the first sync."""
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
        """Returns the candidates in vacancies, those first that wait for the longest time."""
        group, member = (None if one is None else str(one) for one in (vacancy, candidate))
        return [Placement(**one) for one in self._mirror.placements(group, member, status, days)]

    def report(self, days: float = 7, *, source: str | None = None) -> Report:
        """Counts the events of the last days. With a column such as `portal_name`, new candidates are counted by it."""
        now = int(time.time()) + 1
        reports = self._mirror.report(now - int(days * 86400), now, source)
        return Report(**reports[0]) if reports else Report(0, 0, [], [], [])

    def __repr__(self) -> str:
        return f"Mirror({self._path!r})"
