"""Addresses of servers: "host:port", and "grpc://host:port" for sessions."""

from __future__ import annotations

import ipaddress
import re

from tinytf.framework.errors import InvalidArgumentError

LOOPBACK = "127.0.0.1"
MAX_PORT = 65535
_HOST = re.compile(r"\[[0-9A-Fa-f:.%a-z]+\]|[^\s:/\[\]\x00-\x20\x7f]+")


def parse_address(text: str) -> tuple[str, int]:
    """The parts of "host:port"; InvalidArgumentError if `text` is something else.

    An IPv6 host is written in brackets: "[::1]:2222". What gRPC would take besides, as the name of
    a socket's file ("unix:..."), is no address.
    """
    host, colon, port = text.rpartition(":")
    if not colon or not _HOST.fullmatch(host) or not (port.isascii() and port.isdigit()):
        raise InvalidArgumentError(
            f'Could not interpret "{text}" as a host-port pair. Write it like "localhost:2222".'
        )
    if int(port) > MAX_PORT:
        raise InvalidArgumentError(
            f'Could not interpret "{text}" as a host-port pair: ports go up to {MAX_PORT}.'
        )
    return host, int(port)


def address_of(target: str) -> str:
    """The "host:port" of "grpc://host:port"; InvalidArgumentError if there is none."""
    address = target.partition("://")[2].rstrip("/")
    parse_address(address)
    return address


def is_loopback(host: str) -> bool:
    """Whether a host's name or address means this machine and nobody else.

    Of names only "localhost" does: others may mean what somebody else's name server says.
    """
    host = host.strip("[]")
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False  # a name
