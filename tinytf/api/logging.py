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
    """Show messages of this level and above: `tf.logging.ERROR`, for example."""
    get_logger().setLevel(v)


def get_verbosity() -> int:
    """The level from which on messages are shown; `tf.logging.WARN` at first."""
    return get_logger().getEffectiveLevel()


def log(level: int, msg: Any, *args: Any) -> None:
    """Write `msg % args` at a level."""
    get_logger().log(level, msg, *args)


def log_if(level: int, msg: Any, condition: bool, *args: Any) -> None:
    """Write `msg % args` at a level if a Python condition holds."""
    if condition:
        log(level, msg, *args)


def debug(msg: Any, *args: Any) -> None:
    """Write at level DEBUG."""
    log(DEBUG, msg, *args)


def info(msg: Any, *args: Any) -> None:
    """Write at level INFO."""
    log(INFO, msg, *args)


def warning(msg: Any, *args: Any) -> None:
    """Write at level WARN."""
    log(WARN, msg, *args)


def error(msg: Any, *args: Any) -> None:
    """Write at level ERROR."""
    log(ERROR, msg, *args)


def fatal(msg: Any, *args: Any) -> None:
    """Write at level FATAL; the program goes on."""
    log(FATAL, msg, *args)


warn = warning


def flush() -> None:
    """Write out what handlers may hold back."""
    for handler in get_logger().handlers:
        handler.flush()
