"""`tf.contrib.rnn`: `tf.nn.rnn_cell` and more cells and wrappers."""

from tinytf.api.names import explained as _explained
from tinytf.rnn.base import LayerRNNCell, RNNCell
from tinytf.rnn.cells import BasicRNNCell, GRUCell
from tinytf.rnn.dynamic import batch_and_time_swapped as transpose_batch_time
from tinytf.rnn.lstm import BasicLSTMCell, LSTMCell, LSTMStateTuple
from tinytf.rnn.more_cells import GRUBlockCell, GRUBlockCellV2, LayerNormBasicLSTMCell
from tinytf.rnn.more_cells import LSTMBlockCell
from tinytf.rnn.projections import AttentionCellWrapper, EmbeddingWrapper, InputProjectionWrapper
from tinytf.rnn.projections import OutputProjectionWrapper
from tinytf.rnn.stacked import MultiRNNCell
from tinytf.rnn.static import static_bidirectional_rnn, static_rnn, static_state_saving_rnn
from tinytf.rnn.two_ways import stack_bidirectional_dynamic_rnn, stack_bidirectional_rnn
from tinytf.rnn.wrappers import DeviceWrapper, DropoutWrapper, ResidualWrapper

__all__ = ["AttentionCellWrapper", "BasicLSTMCell", "BasicRNNCell", "DeviceWrapper"]
__all__ += ["DropoutWrapper", "EmbeddingWrapper", "GRUBlockCell", "GRUBlockCellV2", "GRUCell"]
__all__ += ["InputProjectionWrapper", "LSTMBlockCell", "LSTMCell", "LSTMStateTuple"]
__all__ += ["LayerNormBasicLSTMCell", "LayerRNNCell", "MultiRNNCell", "OutputProjectionWrapper"]
__all__ += ["RNNCell", "ResidualWrapper", "stack_bidirectional_dynamic_rnn"]
__all__ += ["stack_bidirectional_rnn", "static_bidirectional_rnn", "static_rnn"]
__all__ += ["static_state_saving_rnn", "transpose_batch_time"]

__getattr__ = _explained(__name__, "contrib.rnn")
