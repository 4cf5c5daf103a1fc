"""`tf.io`: files."""

from tinytf.api.not_yet import explained
from tinytf.training.graph_files import write_graph

__all__ = ["write_graph"]

__getattr__ = explained(__name__, "io")
