"""`tf.logging`: messages with a level, and how many of them are shown.

Mirrors tensorflow/python/platform/tf_logging.py. A Python logger of our own stands behind it
(`tf.get_logger()`), so its handlers and filters are there, too.
"""

from __future__ import annotations

import logging
import sys
from collections import Counter
from logging import DEBUG, ERROR, FATAL, INFO, WARN
from typing import Any

from tinytf.api.names import explained

__all__ = ["DEBUG", "ERROR", "FATAL", "INFO", "TaskLevelStatusMessage", "WARN", "debug", "error"]
__all__ += ["fatal", "flush", "get_logger", "get_verbosity", "info", "log", "log_every_n"]
__all__ += ["log_first_n", "log_if", "set_verbosity", "vlog", "warn", "warning"]

__getattr__ = explained(__name__, "logging")

#: How often a line of a program has called log_every_n or log_first_n.
_calls: Counter[tuple[str, int]] = Counter()


def get_logger() -> logging.Logger:
    """The logger behind this module (TensorFlow: `tf.get_logger`).

    It writes to standard error, unless the program has configured Python's logging itself.

    Example:
      >>> tf.get_logger().name  # "tinytf"
    """
    logger = logging.getLogger("tinytf")
    if logger.level == logging.NOTSET:  # first use
        logger.setLevel(WARN)
        if not logging.getLogger().handlers and not logger.handlers:
            handler = logging.StreamHandler()
            handler.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
            logger.addHandler(handler)
    return logger


def set_verbosity(v: int) -> None:
    """Show messages of this level and above: `tf.logging.ERROR`, for example.

    Example:
      >>> tf.logging.set_verbosity(tf.logging.ERROR)
    """
    get_logger().setLevel(v)


def get_verbosity() -> int:
    """The level from which on messages are shown; `tf.logging.WARN` at first.

    Example:
      >>> tf.logging.set_verbosity(tf.logging.INFO)
      >>> tf.logging.get_verbosity() == tf.logging.INFO  # True
    """
    return get_logger().getEffectiveLevel()


def _write(level: int, msg: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    # The line that a handler shows is that of whoever called the function which calls this.
    get_logger().log(level, msg, *args, stacklevel=kwargs.pop("stacklevel", 1) + 2, **kwargs)


def log(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Write `msg % args` at a level; the other functions, too, take what Python's `log` takes.

    Example:
      >>> tf.logging.log(tf.logging.INFO, "step %d", 3)
    """
    _write(level, msg, args, kwargs)


def log_if(level: int, msg: Any, condition: bool, *args: Any) -> None:
    """Write `msg % args` at a level if a Python condition holds.

    Example:
      >>> tf.logging.log_if(tf.logging.WARN, "no GPU", condition=True)
    """
    if condition:
        _write(level, msg, args, {})


def log_every_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Write `msg % args` the first of every `n` times that this line is reached.

    Example:
      >>> for step in range(100):
      ...     tf.logging.log_every_n(tf.logging.INFO, "step %d", 10, step)  # 0, 10, 20 ...
    """
    if _times_before() % n == 0:
        _write(level, msg, args, {})


def log_first_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Write `msg % args` the first `n` times that this line is reached.

    Example:
      >>> for step in range(100):
      ...     tf.logging.log_first_n(tf.logging.INFO, "step %d", 3, step)  # 0, 1, 2
    """
    if _times_before() < n:
        _write(level, msg, args, {})


def _times_before() -> int:
    frame = sys._getframe(2)
    line = frame.f_code.co_filename, frame.f_lineno
    _calls[line] += 1
    return _calls[line] - 1


def vlog(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Write `msg % args` at a level, as `tf.logging.log` does.

    Example:
      >>> tf.logging.vlog(tf.logging.DEBUG, "%d nodes pruned", 3)
    """
    _write(level, msg, args, kwargs)


def TaskLevelStatusMessage(msg: Any) -> None:
    """Write a message about a whole task, at level ERROR.

    Example:
      >>> tf.logging.TaskLevelStatusMessage("the worker has started")
    """
    _write(ERROR, msg, (), {})


def debug(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Write at level DEBUG.

    Example:
      >>> tf.logging.debug("%d nodes pruned", 3)
    """
    _write(DEBUG, msg, args, kwargs)


def info(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Write at level INFO.

    Example:
      >>> tf.logging.info("step %d: loss %g", 3, 0.5)
    """
    _write(INFO, msg, args, kwargs)


def warning(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Write at level WARN.

    Example:
      >>> tf.logging.warning("the loss rises: %g", 3.5)
    """
    _write(WARN, msg, args, kwargs)


def error(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Write at level ERROR.

    Example:
      >>> tf.logging.error("cannot read %s", "data.csv")
    """
    _write(ERROR, msg, args, kwargs)


def fatal(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Write at level FATAL; the program goes on.

    Example:
      >>> tf.logging.fatal("the loss is %g", np.nan)
    """
    _write(FATAL, msg, args, kwargs)


warn = warning


def flush() -> None:
    """Write out what handlers may hold back.

    Example:
      >>> tf.logging.flush()
    """
    for handler in get_logger().handlers:
        handler.flush()
