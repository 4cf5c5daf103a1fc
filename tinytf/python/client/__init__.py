"""`tensorflow.python.client`: `device_lib`."""

from typing import NoReturn


def __getattr__(name: str) -> NoReturn:
    if name == "timeline":
        raise ImportError(
            "tinytf.python.client.timeline is not part of tinytf yet. Meanwhile: the times, "
            "devices and copies of a traced step are in run_metadata.step_stats.dev_stats.",
            name=f"{__name__}.{name}",
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=None)
