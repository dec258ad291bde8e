"""The records of a list."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

T = TypeVar("T")


async def in_thread(call: Callable[..., T], *arguments: Any) -> T:
    """Calls a function on a thread, while the event loop keeps running."""
    # Imported here because it takes longer than all other imports, and the program does not need it.
    import asyncio

    return await asyncio.to_thread(call, *arguments)


class Rejected:
    """A record that does not match the contract."""

    index: int
    """The index in the list, counted from 0."""
    reason: str
    """Why it was rejected, without a value."""
    path: str
    """The place in the response, such as `result[1].id`."""
    raw: str
    """Its JSON text, which may be personal, so `repr` does not show it."""

    def __init__(self, index: int, reason: str, path: str, raw: str) -> None:
        self.index, self.reason, self.path, self.raw = index, reason, path, raw

    def __repr__(self) -> str:
        return f"Rejected(index={self.index}, reason={self.reason!r})"


class Records(Generic[T]):
    """The records of a list, which are read once: one by one as they arrive, or as a table.

    Nothing is sent until you ask for the first record. Tools that read Arrow streams, such as DuckDB
    and Polars, accept the list itself and need little memory.
    """

    __slots__ = ("_stream",)

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[T]:
        records: Iterator[T] = iter(self._stream)
        return records

    async def __aiter__(self) -> AsyncIterator[T]:
        try:
            while batch := await in_thread(self._stream.batch):
                for record in batch:
                    yield record
        finally:
            self._stream.close()

    @property
    def rejected(self) -> list[Rejected]:
        """The records read so far that do not match the contract."""
        return [Rejected(*facts) for facts in self._stream.rejected]

    def close(self) -> None:
        """Ends all waits for records, even on other threads."""
        self._stream.close()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._stream.arrow()

    def to_arrow(self) -> pyarrow.Table:
        """Reads the whole list into a pyarrow table."""
        import pyarrow

        return pyarrow.table(self._stream.table())

    def to_pandas(self, **options: Any) -> pandas.DataFrame:
        """Reads the whole list into a pandas data frame. The options are passed to `pyarrow.Table.to_pandas`."""
        frame: pandas.DataFrame = self.to_arrow().to_pandas(**options)
        return frame

    def to_polars(self) -> polars.DataFrame:
        """Reads the whole list into a Polars data frame."""
        import polars

        return polars.DataFrame(self._stream.table())
