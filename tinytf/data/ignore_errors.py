"""`ignore_errors`: the elements that can be made."""

from __future__ import annotations

from tinytf.data.base import Self
from tinytf.data.cards import TYPES, dataset_op
from tinytf.data.stages import Context, DatasetValue, Next, Stage


@dataset_op("input_dataset: variant", TYPES, "log_warning: bool = false")
class IgnoreErrorsDataset(DatasetValue):
    """The elements that could be made. An error that comes again at once is told."""

    def start(self, context: Context, stage: Stage) -> Next:
        advance = self.inputs[0].iterate(context, stage).next

        def ignoring() -> tuple:
            before = ""
            while True:
                try:
                    return advance()
                except StopIteration:
                    raise
                except Exception as error:
                    cancellation = context.cancellation
                    is_cancelled = cancellation is not None and cancellation.is_cancelled
                    # It has the number of the element: nothing goes on, for ever.
                    if is_cancelled or str(error) == before:
                        raise
                    before = str(error)

        return ignoring


def ignore_errors(self: Self, log_warning: bool = False, name: str | None = None) -> Self:
    """The elements that can be made (TensorFlow: `Dataset.ignore_errors`).

    Unlike in TensorFlow, an error that would come again and again for ever is told.

    Example:
      >>> divided = tf.data.Dataset.from_tensor_slices([1.0, 0.0]).map(
      ...     lambda x: tf.check_numerics(1 / x, "error"))
      >>> divided.ignore_errors()  # [1.0]
    """
    return self._derived(IgnoreErrorsDataset.card, log_warning=log_warning)
