"""`tf.logging`: messages with a level, and how many of them are shown.

Mirrors tensorflow/python/platform/tf_logging.py. A Python logger of our own stands behind it
(`tf.get_logger()`), so its handlers and filters are there, too.
"""

from __future__ import annotations

import logging
from logging import DEBUG, ERROR, FATAL, INFO, WARN
from typing import Any

__all__ = [
    "DEBUG", "ERROR", "FATAL", "INFO", "WARN", "debug", "error", "fatal", "flush", "get_logger",
    "get_verbosity", "info", "log", "log_if", "set_verbosity", "warn", "warning",
]  # fmt: skip


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


def log(level: int, msg: Any, *args: Any) -> None:
    """Write `msg % args` at a level.

    Example:
      >>> tf.logging.log(tf.logging.INFO, "step %d", 3)
    """
    get_logger().log(level, msg, *args)


def log_if(level: int, msg: Any, condition: bool, *args: Any) -> None:
    """Write `msg % args` at a level if a Python condition holds.

    Example:
      >>> tf.logging.log_if(tf.logging.WARN, "no GPU", condition=True)
    """
    if condition:
        log(level, msg, *args)


def debug(msg: Any, *args: Any) -> None:
    """Write at level DEBUG.

    Example:
      >>> tf.logging.debug("%d nodes pruned", 3)
    """
    log(DEBUG, msg, *args)


def info(msg: Any, *args: Any) -> None:
    """Write at level INFO.

    Example:
      >>> tf.logging.info("step %d: loss %g", 3, 0.5)
    """
    log(INFO, msg, *args)


def warning(msg: Any, *args: Any) -> None:
    """Write at level WARN.

    Example:
      >>> tf.logging.warning("the loss rises: %g", 3.5)
    """
    log(WARN, msg, *args)


def error(msg: Any, *args: Any) -> None:
    """Write at level ERROR.

    Example:
      >>> tf.logging.error("cannot read %s", "data.csv")
    """
    log(ERROR, msg, *args)


def fatal(msg: Any, *args: Any) -> None:
    """Write at level FATAL; the program goes on.

    Example:
      >>> tf.logging.fatal("the loss is %g", np.nan)
    """
    log(FATAL, msg, *args)


warn = warning


def flush() -> None:
    """Write out what handlers may hold back.

    Example:
      >>> tf.logging.flush()
    """
    for handler in get_logger().handlers:
        handler.flush()
