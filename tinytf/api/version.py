"""`tf.version`: which TensorFlow this stands for. tinytf's own version is `tf.__version__`."""

import platform

from tinytf.api.names import explained
from tinytf.framework.graph_versions import MIN_CONSUMER, MIN_PRODUCER, PRODUCER

#: The last TensorFlow 1.x: programs that look whether they run on 1.x, or on what of it, go on.
VERSION = "1.15.0"
GIT_VERSION = "v1.15.0-tinytf"
COMPILER_VERSION = platform.python_compiler()  # Python's own: nothing here was compiled
CXX11_ABI_FLAG = 0
MONOLITHIC_BUILD = 0
#: What graphs carry that are built here, as by the TensorFlow 2.15.1 that tinytf is held to.
GRAPH_DEF_VERSION = PRODUCER
GRAPH_DEF_VERSION_MIN_CONSUMER = MIN_CONSUMER
GRAPH_DEF_VERSION_MIN_PRODUCER = MIN_PRODUCER

__all__ = ["COMPILER_VERSION", "GIT_VERSION", "GRAPH_DEF_VERSION", "GRAPH_DEF_VERSION_MIN_CONSUMER"]
__all__ += ["GRAPH_DEF_VERSION_MIN_PRODUCER", "VERSION"]

__getattr__ = explained(__name__, "version")
