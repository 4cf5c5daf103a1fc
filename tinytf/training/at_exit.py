"""The end of a program whose queue runners were not stopped.

Python waits for threads that are no daemons. If only threads of QueueRunners are left, and all of
them wait for somebody to take elements out, it would wait for ever: TensorFlow's programs hang
there without a word. Here they are told why, and their sessions are closed.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable
from typing import Any

from tinytf.framework import waiting
from tinytf.session.session import BaseSession

#: threads of runners -> their sessions
_sessions: weakref.WeakKeyDictionary[threading.Thread, BaseSession] = weakref.WeakKeyDictionary()
_lock = threading.Lock()
_is_registered = False  # guarded by _lock

_ADVICE = (
    "The program has ended, and only these threads of QueueRunners are left, so their sessions are "
    "closed. At the end of a program: coord.request_stop(), coord.join(threads). Or let Python end "
    "the threads: create_threads(..., daemon=True); those of tf.train.start_queue_runners() are so."
)


def note(threads: Iterable[threading.Thread], sess: Any) -> None:
    """Remember threads of a runner that keep Python from ending."""
    global _is_registered
    if not isinstance(sess, BaseSession) or sess.sess_str:
        return  # what they fill is somewhere else, where others may take elements out
    with _lock:
        _sessions.update(dict.fromkeys(threads, sess))
        # Before Python waits for threads; `atexit` comes after that. It has no public name.
        register = getattr(threading, "_register_atexit", None)
        if not _is_registered and register is not None:
            register(_at_exit)
            _is_registered = True


def left() -> list[threading.Thread]:
    """The threads that Python is going to wait for, if all of them are of runners; else none."""
    me = (threading.current_thread(), threading.main_thread())
    alive = [thread for thread in threading.enumerate() if not thread.daemon and thread not in me]
    return alive if all(thread in _sessions for thread in alive) else []


def _at_exit() -> None:
    threads = left()
    if threads and _is_stuck(threads):
        names = ", ".join(sorted({thread.name for thread in threads if thread.is_alive()}))
        print(f"\n{_ADVICE}\n  {names}", flush=True)
        for sess in {_sessions[thread] for thread in threads}:
            sess.close()


def _is_stuck(threads: list[threading.Thread]) -> bool:
    """Wait until the threads have ended, or a report has said that they will not."""
    ended = threading.Condition()
    thread_id = threading.get_ident()

    def waits() -> list[waiting.Wait]:
        alive = tuple(t.ident for t in threads if t.is_alive() and t.ident is not None)
        return [waiting.Wait("the threads of QueueRunners to end", threads=alive)]

    def is_reported() -> bool:
        entry = waiting.blocked_in(thread_id)
        return entry is not None and entry.is_reported

    def have_ended() -> bool:
        return not any(thread.is_alive() for thread in threads)

    watcher = threading.Thread(target=_tell, args=(threads, ended), daemon=True)
    watcher.start()
    with ended:
        waiting.wait_until(lambda: have_ended() or is_reported(), ended, waits)
    return not have_ended()


def _tell(threads: list[threading.Thread], ended: threading.Condition) -> None:
    for thread in threads:
        thread.join()
    with ended:
        ended.notify_all()
