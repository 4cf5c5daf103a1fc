"""The way to a server of this very process: its methods, called directly.

A session on a server is opened, extended and closed by gRPC, as on any other; its steps then spare
the network. `ConfigProto(rpc_options=RPCOptions(use_rpc_for_inprocess_master=True))` keeps them on
it. Servers among each other always use sockets, so what is measured and broken there is real.
TensorFlow: core/distributed_runtime/local_master.cc.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any

from tinytf.distributed.cluster.addresses import is_loopback, parse_address
from tinytf.distributed.wire.wire_errors import text_for_peer
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import OpError, from_code

#: What a server answers: path -> method.
Methods = dict[str, Callable[..., Any]]

_lock = threading.Lock()
#: (process, port) -> the server's methods, as long as it serves; guarded by _lock. The one thing
#: that servers of a process have in common: a client has to find them.
_servers: weakref.WeakValueDictionary[tuple[int, int], Served] = weakref.WeakValueDictionary()


def _after_fork() -> None:
    """In a child by fork: no server serves here."""
    global _lock
    _lock = threading.Lock()
    _servers.clear()


os.register_at_fork(after_in_child=_after_fork)


class Served:
    """The methods of a server that serves."""

    def __init__(self, methods: Methods):
        self._methods = methods

    def call(self, path: str, request: Any) -> Any:
        """What `ClientTransport.call` does, on the thread of the caller."""
        try:
            return self._methods[path](request, CancellationManager())
        except OpError as error:  # as it would arrive: the client has an operation of its own
            raise from_code(error.error_code, text_for_peer(error)) from None


def announce(port: int, served: Served) -> None:
    """A server serves on a port, until `served` is forgotten."""
    with _lock:
        _servers[(os.getpid(), port)] = served


def find(address: str) -> Served | None:
    """The server of this process at an address on the loopback interface, if there is one."""
    host, port = parse_address(address)
    if not is_loopback(host):
        return None
    with _lock:
        return _servers.get((os.getpid(), port))
