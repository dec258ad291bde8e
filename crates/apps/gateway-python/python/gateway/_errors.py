"""The exceptions. Their messages contain no token and no data from the service."""

from __future__ import annotations

from typing import Any

__all__ = [
    "AuthError",
    "ContractError",
    "GatewayError",
    "MirrorError",
    "NetworkError",
    "RateLimitedError",
    "RejectedWarning",
    "ServerError",
    "UsageError",
]


class GatewayError(Exception):
    """A call failed. The message is "what: why (what to do next)"."""

    kind: str = ""
    """The kind in one word, such as `rate_limited`. Kinds never change their names."""
    hint: str | None = None
    """What to do next."""
    status: int | None = None
    """The HTTP status, if a response was received."""
    attempts: int = 0
    """How many requests were sent."""
    delivered: int | None = None
    """How many records of a list were received before the error."""
    retry_after: float | None = None
    """How many seconds the service asks clients to wait."""
    transient: bool = False
    """Whether the same call may succeed later."""
    body: bytes | None = None
    """What the service sent, which may be personal."""


class UsageError(GatewayError, ValueError):
    """A setting or a parameter is invalid. Nothing was sent."""


class AuthError(GatewayError):
    """The token is missing, the service rejected it, or it does not allow the call."""


class NetworkError(GatewayError):
    """No complete response was received."""


class RateLimitedError(GatewayError):
    """The service limits the rate of calls."""


class ServerError(GatewayError):
    """The service failed, or answered with an unusual status."""


class ContractError(GatewayError):
    """The response does not match the contract. The base URL may belong to another service."""


class MirrorError(GatewayError):
    """A mirror cannot be synced or read. `__cause__` is the error of the call, if a call failed."""


class RejectedWarning(UserWarning):
    """Some records of a list do not match the contract; `Records.rejected` lists them."""


_KINDS: dict[type[GatewayError], dict[str, str]] = {
    UsageError: {"config": "", "query": ""},
    AuthError: {
        "token": "see the cause",
        "unauthorized": "renew the token, or pass a callable that returns a current one",
        "forbidden": "use a token whose account may make this call",
    },
    NetworkError: {
        "connect": "check the base URL and the network",
        "timeout": "try again, or pass a larger `timeout`",
        "interrupted": "try again",
        "tls": "check the certificate of the service",
        "transport": "",
    },
    RateLimitedError: {"rate_limited": "wait for `retry_after` seconds"},
    ServerError: {"server": "try again later if `transient`", "status": ""},
    ContractError: {
        **dict.fromkeys(["protocol", "not_found", "content_type"], "check the base URL"),
        "redirected": "use the address that the redirect leads to",
        "not_success": "`body` has what the service reported",
        **dict.fromkeys(["content_coding", "too_large", "decode", "paging"], ""),
    },
    MirrorError: {
        "deletion_guard": "check the service, then pass `accept_missing` if the records are gone",
        "busy": "wait until the other process has finished",
        "other_source": "use another file for another account",
        "cursor": "read the records again, then the changes after the new cursor",
        "call": "see the cause",
        **dict.fromkeys(["file", "filter", "store"], ""),
    },
}


def create(kind: str, message: str, hint: str, facts: dict[str, Any]) -> GatewayError:
    """Creates the exception for a kind. Called by the native module."""
    found = [(one, hints[kind]) for one, hints in _KINDS.items() if kind in hints]
    category, default = found[0] if found else (GatewayError, "")
    hint = hint or default
    error = category(f"{message} ({hint})" if hint else message)
    error.__dict__.update(facts, kind=kind, hint=hint or None)
    return error
