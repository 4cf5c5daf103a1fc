"""A server of the test's own and its clients, by whichever way they call."""

import threading

from tests.waiting import LONG
from tinytf.distributed.wire import unix_frames
from tinytf.distributed.wire.client_transport import ClientTransport
from tinytf.distributed.wire.requests import RECEIVE_SEVERAL, WORKER_SERVICE
from tinytf.distributed.wire.server_transport import ServerTransport
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.pending import Pending

ECHO, WAIT = "/test/Echo", "/test/Wait"
RECEIVE = WORKER_SERVICE + "RecvTensor"


class Message:
    """Bytes that pass for a message."""

    def __init__(self, data):
        self._data = bytes(data)

    def SerializeToString(self):
        return self._data


def as_bytes(data):
    return bytes(data)


class Place:
    """A server whose methods are the test's own, and its clients."""

    def __init__(self, **options):
        self.started, self.withdrawn = threading.Semaphore(0), threading.Semaphore(0)
        self._waiting, self._is_over = [], False
        self.pending, self._lock = [], threading.Lock()
        self._options, self.clients = options, []
        self.server = self._serve(0)

    def _serve(self, port):
        services = {
            ECHO: (as_bytes, lambda data, withdrawn: Message(data)),
            WAIT: (as_bytes, self._wait),
            RECEIVE: (as_bytes, self._promise),
        }
        several = {RECEIVE_SEVERAL: (as_bytes, self._promises)}
        server = ServerTransport("127.0.0.1", port, services, several=several, **self._options)
        server.start()
        return server

    def _wait(self, data, withdrawn):
        over = threading.Event()
        withdrawn.when_cancelled(lambda: (self.withdrawn.release(), over.set()))
        with self._lock:
            self._waiting.append(over)
            if self._is_over:
                over.set()
        self.started.release()
        over.wait()
        return Message(data)

    def go_on(self):
        """Let all calls that wait end, also those to come."""
        with self._lock:
            self._is_over = True
            for over in self._waiting:
                over.set()

    def _promise(self, data, withdrawn):
        pending = Pending("the test")

        def withdraw():
            pending.set_error(withdrawn.reason)
            self.withdrawn.release()

        withdrawn.when_cancelled(withdraw)
        with self._lock:
            self.pending.append((data, pending))
        self.started.release()
        return pending

    def _promises(self, data, withdrawn):
        """One for each byte; of "!" an error at once."""
        return [
            InvalidArgumentError("!") if byte == b"!" else self._promise(byte, withdrawn)
            for byte in (data[i : i + 1] for i in range(len(data)))
        ]

    def client(self, **options):
        client = ClientTransport(f"localhost:{self.server.port}", **options)
        self.clients.append(client)
        return client

    def near(self):
        """A client that has found the socket."""
        client = self.client()
        assert echo(client, b"first") == b"first"
        assert client.transport == "unix"
        return client

    def restart(self):
        self.server.stop(0)
        self.server = self._serve(self.server.port)

    def close(self):
        self.go_on()
        for client in self.clients:
            client.close()
        self.server.stop(0)


def echo(client, data, timeout=LONG):
    return client.call(ECHO, Message(data), as_bytes, timeout)


def in_thread(function):
    results = []

    def run():
        try:
            results.append(function())
        except BaseException as error:
            results.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, results


def started(client, path, data, timeout=LONG):
    """A call with a callback: the call, and what waits for (answer, error)."""
    over, outcome = threading.Event(), []

    def done(answer, error):
        outcome.append((answer, error))
        over.set()

    call = client.start_call(path, Message(data), as_bytes, done, timeout)

    def wait():
        assert over.wait(LONG)
        assert len(outcome) == 1
        return outcome[0]

    return call, wait


def hello(kind=unix_frames.HELLO_LINE):
    return unix_frames.head(unix_frames.HELLO, 0, len(kind)) + kind
