"""The native module: the types that the other modules do not declare."""

from collections.abc import Callable
from typing import Any

__version__: str

def main() -> int:
    """Runs the program with `sys.argv`, and returns its exit code."""

class Client:
    def __init__(
        self,
        base_url: str,
        token: str | Callable[[], str],
        *,
        timeout: float | None = None,
        retry: bool = True,
        allow_insecure_http: bool = False,
    ) -> None: ...
    @property
    def base_url(self) -> str:
        """The base URL of the service."""

class Record:
    """The methods that all records have. It exists only for type checkers."""

    @property
    def extra(self) -> dict[str, Any]:
        """The fields that the contract does not list."""
    def to_json(self) -> str:
        """The record as JSON text. Absent fields stay absent, and null fields stay null."""
    def to_dict(self) -> dict[str, Any]:
        """The record as a dictionary, with the names of the contract. Absent fields stay absent."""

class Demo:
    """A sample service on this machine, which stops when this object is deleted."""

    def __init__(self) -> None: ...
    @property
    def base_url(self) -> str: ...
    @property
    def token(self) -> str: ...
    def set_day(self, day: int) -> None:
        """Sets the data to its state on a day; 0 is the first day."""

def __getattr__(name: str) -> Any: ...
