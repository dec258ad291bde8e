"""The native module: what the other modules do not describe."""

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
    """What all records have. It exists only for type checkers."""

    @property
    def extra(self) -> dict[str, Any]:
        """The fields that the contract does not list."""
    def to_json(self) -> str:
        """The record as JSON text. An absent field is absent, and one that was null is null."""
    def to_dict(self) -> dict[str, Any]:
        """The record as a dictionary, with the names of the contract. An absent field is absent."""

class Demo:
    """A sample service on this machine, which ends with this object."""

    def __init__(self) -> None: ...
    @property
    def base_url(self) -> str: ...
    @property
    def token(self) -> str: ...
    def set_day(self, day: int) -> None:
        """Changes the data to that of a day: 0 is the first one."""

def __getattr__(name: str) -> Any: ...
