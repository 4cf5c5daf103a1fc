"""A TensorFlow in a process of its own, for as long as a test module needs it."""

from __future__ import annotations

import contextlib
import os
import select
import struct
import subprocess
import tempfile
import time
from typing import Any

from tests.conformance.encoding import frame, read_frame
from tests.oracle import environment

WORKER = environment.ROOT / "scripts" / "oracle" / "live_worker.py"


class LiveTensorFlow:
    """Runs graphs in a worker process that stays up; use as a context manager.

    Raises:
      FileNotFoundError: there is no TensorFlow; the message says how to get one.
    """

    def __init__(self, deadline: float = 50.0):
        python = environment.tensorflow_python()
        if python is None:
            raise FileNotFoundError(environment.HOW_TO_INSTALL)
        self._command = [str(python), str(WORKER)]
        self._deadline = deadline
        self._log: Any = None
        self._process: Any = None

    def run(self, graph: bytes, plan: dict[str, Any]) -> dict[str, Any]:
        """Run a plan on a serialised graph; {"values": ...} or {"error": ...}.

        Raises:
          RuntimeError: the worker died or did not answer in time; with the end of its log. The
            next call starts a fresh one.
        """
        if self._process is None:
            self._start()
        end = time.monotonic() + self._deadline
        try:
            self._process.stdin.write(frame({"graph": graph, "plan": plan}))
            self._process.stdin.flush()
            answer = read_frame(lambda size: self._read(size, end))
        except (OSError, ValueError, struct.error) as error:
            raise RuntimeError(self._stopped(error)) from error
        if answer is None:
            raise RuntimeError(self._stopped("it closed the pipe"))
        return answer

    def _start(self) -> None:
        self._log = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            self._command,
            cwd=environment.ROOT,
            env=environment.tensorflow_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )

    def _read(self, size: int, end: float) -> bytes:
        """Exactly so many bytes from the worker; fewer only at the end of the pipe."""
        pipe, parts = self._process.stdout, []
        while size > 0:
            if not select.select([pipe], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TimeoutError(f"no answer within {self._deadline:g} s")
            part = os.read(pipe.fileno(), min(size, 1 << 20))
            if not part:
                break
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _stopped(self, reason: object) -> str:
        return f"The TensorFlow worker failed: {reason}. The end of its log:\n{self.close()}"

    def close(self) -> str:
        """End the worker, if there is one; returns the end of its log."""
        if self._process is None:
            return ""
        process, self._process = self._process, None
        with contextlib.suppress(BrokenPipeError):  # it may have died with a request unread
            process.stdin.close()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        with self._log as log:
            log.seek(0)
            return log.read()[-3000:].decode(errors="replace")

    def __enter__(self) -> LiveTensorFlow:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
