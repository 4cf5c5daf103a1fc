"""Well-formed and hostile messages to the servers of another process, and what becomes of them.

    with Siege(seed=1) as siege:
        siege.attack("/tensorflow.MasterService/RunStep", 2000)
        print(siege.figures())

Servers of two tasks run in a process of their own, with a limit of memory. Recorded conversations
are said to them again, with mutated messages of one method in the place of the good ones; each may
wait for a moment only. After every few of them a client that has nothing to do with it opens a
session and runs a step on both tasks. What must not be is collected in `findings`: a client that
has to wait or gets an error, a mistake of the server's own as the answer, words on its stderr.

    python -m tests.distributed.server.siege [messages per method [seed [method ...]]]

prints the figures.
"""

import collections
import contextlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import grpc
import numpy as np

import tinytf as tf
from tests.distributed.server.conversations import (
    TASKS,
    Retelling,
    message_class,
    record,
    start_cluster,
)
from tests.distributed.server.hostile import MASTER, Desk
from tests.distributed.server.mutations import damaged, mutate
from tests.oracle.environment import ROOT
from tinytf.protos import master_pb2

#: How long a hostile message may wait, and a good client.
PATIENCE_SECONDS, NEXT_CLIENT_SECONDS = 0.3, 1.0
#: How long something may take that has to come.
END_SECONDS = 60.0
BATCH, STAGE = 4, 12
MEMORY_BYTES = 6 << 30
#: Codes that only the server's own mistakes have.
MISTAKES = {grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL, grpc.StatusCode.UNAVAILABLE}


_MISTAKES_IN_WORDS = ("Traceback", "Exception ignored", "Fatal", "failed unexpectedly", "Warning")


class Besieged:
    """The servers, in a process that ends when its stdin does."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory()
        self.errors = Path(self._folder.name, "stderr")
        files = Path(self._folder.name, "files")
        files.mkdir()
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONFAULTHANDLER": "1"}
        with self.errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.distributed.server.siege", "--serve"],
                cwd=files,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self.addresses = json.loads(self._process.stdout.readline())

    def rss(self):
        """Bytes of memory, now."""
        return int(self._read("statm").split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def threads(self):
        """How many threads it has."""
        return len(os.listdir(f"/proc/{self._process.pid}/task"))

    def _read(self, name):
        return Path(f"/proc/{self._process.pid}/{name}").read_text()

    def is_there(self):
        """Whether the process has not ended."""
        return self._process.poll() is None

    def stop(self):
        """Stop the servers: the names of threads that are left, and what stands on stderr."""
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        with self._process.stdout as output:
            left = output.read()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            left += " (killed)"
        text = self.errors.read_text("utf-8", "replace")
        self._folder.cleanup()
        return self._process.returncode, left.strip(), text


def serve():
    """What the process of `Besieged` does."""
    import resource
    import threading

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    sys.stdout, output = sys.stderr, sys.stdout  # what a graph prints
    servers = start_cluster()
    print(json.dumps([s.target.removeprefix("grpc://") for s in servers]), file=output, flush=True)
    sys.stdin.read()
    for server in servers:
        server.stop()
    left = [t for t in threading.enumerate() if not t.daemon and t is not threading.main_thread()]
    for thread in left:  # one of grpc's has perhaps not quite ended
        thread.join(END_SECONDS / 2 / len(left))
    print(*[thread.name for thread in left if thread.is_alive()], file=output)


class Siege:
    """One siege; see the module.

    Args:
      seed: of the messages. next_client_seconds: what a good client may wait.

    Attributes:
      findings: what must not be, as texts.
    """

    def __init__(self, seed=0, next_client_seconds=NEXT_CLIENT_SECONDS):
        self._may_wait, self._waits = next_client_seconds, []
        self._choice = random.Random(seed)
        self.findings, self.answers, self._known = [], collections.Counter(), set()
        self.sent, self.slowest, self.seconds = 0, 0.0, 0.0
        self._talks = record()
        self._besieged = Besieged()
        recorded = list(dict.fromkeys(s.address for talk in self._talks.values() for s in talk))
        recorded.sort(key=lambda address: address != self._talks["training"][0].address)
        self._addresses = dict(zip(recorded, self._besieged.addresses, strict=True))
        self._channels = {a: grpc.insecure_channel(a) for a in self._besieged.addresses}
        for _ in range(20):  # warm
            self._next_client("at the beginning")
        self.first_rss, self.first_threads = self._besieged.rss(), self._besieged.threads()
        self.slowest = 0.0

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        for channel in self._channels.values():
            channel.close()
        code, left, errors = self._besieged.stop()
        if code or left:
            self.findings.append(f"the process ended with {code}; threads left: {left}")
        for word in _MISTAKES_IN_WORDS:  # else it is what a config asks for: log_device_placement
            if word in errors:
                at = errors.index(word)
                self.findings.append(f"on stderr: {errors[max(0, at - 500) : at + 3000]}")

    # Sending -------------------------------------------------------------------------------------

    def _start(self, address, path, data):
        data = data if isinstance(data, bytes) else data.SerializeToString()
        return self._channels[address].unary_unary(path).future(data, timeout=PATIENCE_SECONDS)

    def _call(self, address, path, request):
        try:
            answer = self._start(address, path, request).result()
        except grpc.RpcError:
            return None
        return message_class(path, "Response").FromString(answer)

    def attack(self, path, count):
        """Send `count` mutated messages to a method."""
        begin = time.monotonic()
        end = self.sent + count
        while self.sent < end and self._besieged.is_there() and len(self.findings) < 40:
            name, index = self._choice.choice(self._places(path))
            talk = self._talks[name]
            retelling = Retelling(talk, self._addresses, self._call, self._start)
            retelling.upto(index)
            for _ in range(0, min(STAGE, end - self.sent), BATCH):
                self._send_some(path, retelling, talk[index], min(BATCH, end - self.sent))
            close = master_pb2.CloseSessionRequest(session_handle=retelling.session())
            self._call(retelling.address(talk[0]), MASTER + "CloseSession", close)
        if not self._besieged.is_there():
            self.findings.append(f"the server's process has ended, at {path}")
        self.seconds += time.monotonic() - begin

    def _places(self, path):
        found = [
            (name, index)
            for name, talk in self._talks.items()
            for index, said in enumerate(talk)
            if said.path == path
        ]
        assert found, path
        return found

    def _send_some(self, path, retelling, said, count):
        batch = []
        for _ in range(count):
            message = retelling.translated(said)
            mutate(message, self._choice, self._choice.choice([0, 1, 1, 1, 2, 4]))
            data = message.SerializeToString()
            if self._choice.random() < 0.02:
                data = damaged(data, self._choice)
            batch.append((data, self._start(retelling.address(said), path, data)))
            self.sent += 1
        for data, future in batch:
            error = future.exception()
            code = grpc.StatusCode.OK if error is None else future.code()
            self.answers[code.name] += 1
            if code in MISTAKES:
                self._found(path, data, f"{code.name}: {future.details()[:1500]}")
            elif error is None:
                self._use(retelling.address(said), path, data, future.result())
        self._next_client(path, batch)

    def _use(self, address, path, data, answer):
        """Run what the server has taken: graphs that look well may hurt later."""
        if not path.endswith(("CreateSession", "ExtendSession")):
            return
        kind = message_class(path, "Request")
        with contextlib.suppress(Exception):
            request = kind.FromString(data)
            session = getattr(request, "session_handle", "")
            if path.endswith("CreateSession"):
                session = master_pb2.CreateSessionResponse.FromString(answer).session_handle
            names = [node.name for node in request.graph_def.node]
            self._choice.shuffle(names)
            steps = [
                self._start(
                    address,
                    MASTER + "RunStep",
                    master_pb2.RunStepRequest(
                        session_handle=session, target=targets, fetch=fetches
                    ),
                )
                for targets, fetches in (
                    (names, []),
                    (names[:5], []),
                    ([], [f"{n}:0" for n in names[:1]]),
                    ([], [f"{n}:0" for n in names[1:2]]),
                    (names[5:8], []),
                )
            ]
            for step in steps:
                if step.exception() is not None and step.code() in MISTAKES:
                    self._found(
                        path, data, f"in a step: {step.code().name}: {step.details()[:1500]}"
                    )
            if path.endswith("CreateSession"):
                close = master_pb2.CloseSessionRequest(session_handle=session)
                self._start(address, MASTER + "CloseSession", close).exception()

    # The next client -----------------------------------------------------------------------------

    def _next_client(self, path, batch=()):
        for attempt in range(3):
            begin = time.monotonic()
            try:
                self._one_step()
            except tf.errors.AbortedError as error:  # a Reset that came late has met this session
                if attempt == 2:
                    self._found(path, b"", f"the next client gets {error}", batch)
                continue
            except tf.errors.OpError as error:
                self._found(path, b"", f"the next client gets {error}", batch)
            took = time.monotonic() - begin
            self.slowest = max(self.slowest, took)
            self._waits.append(took)
            if took > self._may_wait:
                self._found(path, b"", f"the next client waits for {took:.2f} s", batch)
            return

    def _one_step(self):
        options = tf.RunOptions(timeout_in_ms=int(END_SECONDS * 1000))
        with tf.Graph().as_default():
            with tf.device(TASKS[1]):
                there = tf.constant([1.0, 2.0]) * 2.0
            with tf.device(TASKS[0]):
                here = tf.reduce_sum(there) + 1.0
            with tf.Session(f"grpc://{self._besieged.addresses[0]}") as session:
                assert session.run(here, options=options) == np.float32(7.0)

    def _found(self, path, data, text, batch=()):
        kind = re.sub(r"'[^']*'|[0-9]+", "", f"{path} {text[:200]}")
        if kind in self._known:
            return  # one of each kind
        folder = os.environ.get("TINYTF_SIEGE_FINDINGS")
        if folder:
            for part, one in enumerate([data] if data else [d for d, _ in batch]):
                name = f"{len(self.findings)}_{part}_{path.rpartition('/')[2]}"
                Path(folder, name).write_bytes(one)
        self.findings.append(f"{path}: {text}")
        self._known.add(kind)

    def growth(self):
        """Bytes by which the process has grown since it was warm."""
        return self._besieged.rss() - self.first_rss if self._besieged.is_there() else 0

    def figures(self):
        """The numbers, as a text."""
        grown = self.growth() / 1e6
        waits = sorted(self._waits)
        half, nearly_all = waits[len(waits) // 2], waits[len(waits) * 99 // 100]
        threads = self._besieged.threads() if self._besieged.is_there() else 0
        return (
            f"{self.sent} messages in {self.seconds:.0f} s; the slowest answer to the next client "
            f"took {self.slowest:.3f} s, half of them {half:.3f} s, 99 of 100 {nearly_all:.3f} s; "
            f"memory grew by {grown:.0f} MB from {self.first_rss / 1e6:.0f}; "
            f"threads {self.first_threads} -> {threads}; "
            f"answers {dict(self.answers)}; {len(self.findings)} findings"
        )


def main(count=2000, seed=0, *methods):
    """Every method, one after the other; prints the figures."""
    with Siege(int(seed)) as siege:
        for path in Desk.PATHS:
            if methods and not path.endswith(methods):
                continue
            known, siege.slowest = len(siege.findings), 0.0
            begin = time.monotonic()
            siege.attack(path, int(count))
            print(f"{path}: {time.monotonic() - begin:.0f} s: {siege.figures()}", flush=True)
            for finding in siege.findings[known:]:
                print("   ", finding, flush=True)
            known = len(siege.findings)
    print("\n".join(siege.findings[known:]) or "nothing found")
    return 1 if siege.findings else 0


if __name__ == "__main__":
    if "--serve" in sys.argv:
        serve()
    else:
        sys.exit(main(*sys.argv[1:]))
