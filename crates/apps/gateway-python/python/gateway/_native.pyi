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

class Demo:
    """A sample service on this machine, which ends with this object."""

    def __init__(self) -> None: ...
    @property
    def base_url(self) -> str: ...
    @property
    def token(self) -> str: ...
    def set_day(self, day: int) -> None:
        """Changes the data to that of a day: 0 is the first one."""

class Rejected:
    """A record that does not match the contract."""

    @property
    def index(self) -> int:
        """The index in the list, counted from 0."""
    @property
    def reason(self) -> str:
        """Why it was rejected, without a value."""
    @property
    def path(self) -> str:
        """The place in the response, such as `result[1].id`."""
    @property
    def raw(self) -> str:
        """Its JSON text, which may be personal."""

def __getattr__(name: str) -> Any: ...
