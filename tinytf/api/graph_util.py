"""`tf.graph_util`: GraphDefs taken apart."""

from tinytf.api.names import explained as _explained
from tinytf.framework.graph_import import import_graph_def
from tinytf.training.graph_util import convert_variables_to_constants, extract_sub_graph
from tinytf.training.graph_util import must_run_on_cpu, remove_training_nodes
from tinytf.training.graph_util import tensor_shape_from_node_def_name

__all__ = ["convert_variables_to_constants", "extract_sub_graph", "import_graph_def"]
__all__ += ["must_run_on_cpu", "remove_training_nodes", "tensor_shape_from_node_def_name"]

__getattr__ = _explained(__name__, "graph_util")
