"""`tf.nn.rnn_cell`: what recurrent networks repeat."""

from tinytf.api.names import explained as _explained
from tinytf.rnn.base import RNNCell
from tinytf.rnn.cells import BasicRNNCell, GRUCell
from tinytf.rnn.lstm import BasicLSTMCell, LSTMCell, LSTMStateTuple
from tinytf.rnn.stacked import MultiRNNCell
from tinytf.rnn.wrappers import DeviceWrapper, DropoutWrapper, ResidualWrapper

__all__ = ["BasicLSTMCell", "BasicRNNCell", "DeviceWrapper", "DropoutWrapper", "GRUCell"]
__all__ += ["LSTMCell", "LSTMStateTuple", "MultiRNNCell", "RNNCell", "ResidualWrapper"]

__getattr__ = _explained(__name__, "nn.rnn_cell")
