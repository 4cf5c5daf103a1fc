"""`tf.keras.datasets`: each of its modules has `load_data`."""

from tinytf.api.names import explained as _explained
from tinytf.datasets.keras import boston_housing, cifar10, fashion_mnist, imdb, mnist, reuters

__all__ = ["boston_housing", "cifar10", "fashion_mnist", "imdb", "mnist", "reuters"]

__getattr__ = _explained(__name__, "keras.datasets")

for _module in (boston_housing, cifar10, fashion_mnist, imdb, mnist, reuters):
    _name = _module.__name__.rpartition(".")[2]
    vars(_module)["__getattr__"] = _explained(_module.__name__, f"keras.datasets.{_name}")
