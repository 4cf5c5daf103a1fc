"""`tf.contrib.learn.datasets`: MNIST as the tutorials read it."""

from collections.abc import Callable

from tinytf.api.names import explained as _explained
from tinytf.datasets import mnist

__all__ = ["DATASETS", "load_dataset", "mnist"]

DATASETS: dict[str, Callable[[], mnist.Datasets]] = {"mnist": mnist.load_mnist}


def load_dataset(
    name: str, size: str = "small", test_with_fake_data: bool = False
) -> mnist.Datasets:
    """A data set by its name (TensorFlow: `tf.contrib.learn.datasets.load_dataset`).

    Args:
      name: "mnist". size, test_with_fake_data: of one that is not here.

    Raises:
      ValueError: for a name that is not in `DATASETS`.

    Example:
      >>> load_dataset("mnist")  # doctest: +SKIP
    """
    if name not in DATASETS:
        raise ValueError(f"Name of dataset is not found: {name}. There are {', '.join(DATASETS)}.")
    return DATASETS[name]()


__getattr__ = _explained(__name__, "contrib.learn.datasets")
vars(mnist)["__getattr__"] = _explained(mnist.__name__, "contrib.learn.datasets.mnist")
