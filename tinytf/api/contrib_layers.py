"""`tf.contrib.layers`: layers as functions, with regularisers, initialisers and `optimize_loss`."""

from tinytf.api.names import explained as _explained
from tinytf.layers.contrib.convolutions import avg_pool2d, avg_pool3d, conv1d, conv2d, conv3d
from tinytf.layers.contrib.convolutions import conv2d_transpose, convolution, max_pool2d, max_pool3d
from tinytf.layers.contrib.convolutions import separable_conv2d
from tinytf.layers.contrib.initializers import variance_scaling_initializer, xavier_initializer
from tinytf.layers.contrib.layers import bias_add, dropout, embed_sequence, flatten, fully_connected
from tinytf.layers.contrib.layers import linear, maxout, one_hot_encoding, repeat, softmax, stack
from tinytf.layers.contrib.layers import unit_norm
from tinytf.layers.contrib.layers import elu_layer as elu
from tinytf.layers.contrib.layers import relu6_layer as relu6
from tinytf.layers.contrib.layers import relu_layer as relu
from tinytf.layers.contrib.norms import batch_norm, instance_norm, layer_norm
from tinytf.layers.contrib.optimizers import OPTIMIZER_CLS_NAMES, OPTIMIZER_SUMMARIES, optimize_loss
from tinytf.layers.contrib.regularizers import apply_regularization, l1_l2_regularizer
from tinytf.layers.contrib.regularizers import l1_regularizer, l2_regularizer, sum_regularizer
from tinytf.layers.contrib.summaries import summarize_activation, summarize_activations
from tinytf.layers.contrib.summaries import summarize_collection, summarize_tensor
from tinytf.layers.contrib.summaries import summarize_tensors
from tinytf.ops.nn.embedding_sparse import safe_embedding_lookup_sparse

convolution1d, convolution2d, convolution3d = conv1d, conv2d, conv3d
convolution2d_transpose = conv2d_transpose
separable_convolution2d = separable_conv2d
xavier_initializer_conv2d = xavier_initializer

__all__ = [name for name in dir() if not name.startswith("_")]

__getattr__ = _explained(__name__, "contrib.layers")
