"""What runs beside training: session hooks, one subject a file.

session_run_hook    what a hook is, and what it is given
global_step_hook    what those share that go by the global step
timer               every so many steps or seconds
stop_at_step, step_counter, logging_tensor, nan_tensor, final_ops, feed_fn, summary_saver,
checkpoint_saver, global_step_waiter, profiler      TensorFlow's hooks, as `tf.train` has them
progress_bar        `ProgressBarHook`, which TensorFlow does not have
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tinytf.training.hooks.progress_bar import ProgressBarHook

__all__ = ["ProgressBarHook"]


def __getattr__(name: str) -> object:
    if name == "ProgressBarHook":  # imports of single hooks do without
        from tinytf.training.hooks.progress_bar import ProgressBarHook

        return ProgressBarHook
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
