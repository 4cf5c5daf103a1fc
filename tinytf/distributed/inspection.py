"""Looking into a server: an extension of ours, which TensorFlow's peers do not know and ignore.

One method on every server, `/tinytf.Inspection/Look`; JSON goes in, JSON comes out:

    {"what": ["waits", "variables"], ...}  -->  {"waits": {...}, "variables": [...]}

The server's side is a table of what can be looked at. The client's side is `look`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import InvalidArgumentError

PATH = "/tinytf.Inspection/Look"
#: Nobody has to ask more than that.
MAX_REQUEST_BYTES = 1 << 16

#: Answers what can be looked at; is given the whole request.
View = Callable[[Mapping[str, Any]], Any]


class Json:
    """A JSON object on its way, as the transport takes messages.

    Args:
      value: what `json.dumps` takes.
    """

    def __init__(self, value: Any):
        self.value = value

    def SerializeToString(self) -> bytes:
        """Its bytes."""
        return json.dumps(self.value).encode()


def parse_request(data: bytes) -> Mapping[str, Any]:
    """The request in bytes that a client sent; InvalidArgumentError if it is none."""
    if len(data) > MAX_REQUEST_BYTES:
        raise InvalidArgumentError(f"A Look request of {len(data)} bytes is too long.")
    value = parse(data)
    if not isinstance(value, dict) or not isinstance(value.get("what"), list):
        raise InvalidArgumentError('A Look request is a JSON object such as {"what": ["waits"]}.')
    return value


def parse(data: bytes) -> Any:
    """The JSON in an answer; InvalidArgumentError if it is none."""
    try:
        return json.loads(bytes(data))
    except (ValueError, RecursionError) as error:
        raise InvalidArgumentError(f"A Look message is no JSON: {error}") from None


class Inspection:
    """The server's side: what can be looked at, by name.

    Args:
      views: name -> what answers.
    """

    def __init__(self, views: Mapping[str, View]):
        self._views = dict(views)

    def look(self, request: Mapping[str, Any], withdrawn: CancellationManager) -> Json:
        """Answer a request.

        Raises:
          InvalidArgumentError: if something unknown is asked for.
        """
        unknown = [what for what in request["what"] if str(what) not in self._views]
        if unknown:
            raise InvalidArgumentError(
                f"Nothing is known of {unknown[0]!r}; one can look at {sorted(self._views)}."
            )
        return Json({what: self._views[what](request) for what in map(str, request["what"])})


def look(
    address: str,
    what: Sequence[str],
    timeout: float = 2.0,
    credentials: Any = None,
    **arguments: Any,
) -> dict[str, Any]:
    """Look into the server at an address.

    Args:
      address: "host:port". what: names of views: "waits", ... timeout: in seconds.
      credentials: as of `tf.Session`. arguments: what else the views want to know.

    Returns:
      name -> what there is to be seen.

    Raises:
      UnimplementedError: if it is a real TensorFlow's server. UnavailableError,
      DeadlineExceededError: if there is none, or it does not answer.

    Example:
      >>> with tf.train.Server.create_local_server() as server:
      ...     look(server.target.removeprefix("grpc://"), ["waits"])
      {'waits': {'sessions': []}}
    """
    from tinytf.distributed.tls import chosen
    from tinytf.distributed.wire.client_transport import ClientTransport

    transport = ClientTransport(address, chosen(credentials))
    try:
        return look_through(transport, what, timeout, **arguments)
    finally:
        transport.close()


def look_through(
    transport: Any, what: Sequence[str], timeout: float, **arguments: Any
) -> dict[str, Any]:
    """The same through a connection that is there."""
    request = Json({"what": list(what), **arguments})
    answer: dict[str, Any] = transport.call(PATH, request, parse, timeout)
    return answer
