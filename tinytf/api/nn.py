"""`tf.nn`: what neural networks are made of."""

from tinytf.api.names import explained as _explained
from tinytf.ops.nn.relu import relu, relu6
from tinytf.ops.nn.sigmoid import sigmoid
from tinytf.ops.nn.softplus import softplus
from tinytf.ops.nn.tanh import tanh
from tinytf.ops.nn.cross_entropy import sigmoid_cross_entropy_with_logits
from tinytf.ops.nn.cross_entropy import softmax_cross_entropy_with_logits
from tinytf.ops.nn.cross_entropy import softmax_cross_entropy_with_logits_v2
from tinytf.ops.nn.cross_entropy import sparse_softmax_cross_entropy_with_logits
from tinytf.ops.linalg.norms import l2_normalize
from tinytf.ops.nn.bias_add import bias_add, relu_layer, xw_plus_b
from tinytf.ops.nn.dropout import dropout
from tinytf.ops.nn.l2_loss import l2_loss
from tinytf.ops.nn.softmax import log_softmax, softmax
from tinytf.ops.array.top_k import top_k
from tinytf.ops.array.space_to_batch import depth_to_space, space_to_batch, space_to_depth
from tinytf.ops.nn.activations import crelu, elu, leaky_relu, selu, softsign, swish
from tinytf.ops.nn.batch_norm import fused_batch_norm
from tinytf.ops.nn.embedding import embedding_lookup
from tinytf.ops.nn.embedding_sparse import embedding_lookup_sparse, safe_embedding_lookup_sparse
from tinytf.ops.nn.in_top_k import in_top_k
from tinytf.ops.nn.local_response import lrn
from tinytf.ops.nn.losses import log_poisson_loss, weighted_cross_entropy_with_logits, zero_fraction
from tinytf.ops.nn.moments import batch_norm_with_global_normalization, batch_normalization, moments
from tinytf.ops.nn.moments import normalize_moments, sufficient_statistics, weighted_moments
from tinytf.ops.nn.activations import swish as silu
from tinytf.ops.nn.local_response import lrn as local_response_normalization
from tinytf.ops.nn.convolution import conv2d, conv2d_backprop_filter, conv2d_backprop_input
from tinytf.ops.nn.convolution import conv2d_transpose
from tinytf.ops.nn.convolution_1d import conv1d, conv1d_transpose
from tinytf.ops.nn.convolution_3d import conv3d, conv3d_backprop_filter, conv3d_transpose
from tinytf.ops.nn.convolution_3d import conv3d_backprop_filter as conv3d_backprop_filter_v2
from tinytf.ops.nn.depthwise import depthwise_conv2d, depthwise_conv2d_native, separable_conv2d
from tinytf.ops.nn.depthwise import depthwise_conv2d_native_backprop_filter
from tinytf.ops.nn.depthwise import depthwise_conv2d_native_backprop_input
from tinytf.ops.nn.depthwise import (
    depthwise_conv2d_native_backprop_filter as depthwise_conv2d_backprop_filter,
)
from tinytf.ops.nn.depthwise import (
    depthwise_conv2d_native_backprop_input as depthwise_conv2d_backprop_input,
)
from tinytf.ops.nn.atrous import atrous_conv2d, atrous_conv2d_transpose, conv_transpose
from tinytf.ops.nn.atrous import convolution, with_space_to_batch
from tinytf.ops.nn.dilation import dilation2d, erosion2d
from tinytf.ops.nn.pooling import avg_pool, max_pool, max_pool2d
from tinytf.ops.nn.pooling import avg_pool as avg_pool2d
from tinytf.ops.nn.pooling_argmax import max_pool_with_argmax
from tinytf.ops.nn.pooling_by_rank import avg_pool1d, avg_pool_v2, max_pool1d, max_pool_v2, pool
from tinytf.ops.nn.pooling_deep import avg_pool3d, max_pool3d
from tinytf.ops.nn.pooling_fractional import fractional_avg_pool, fractional_max_pool
from tinytf.ops.nn.candidate_sampling import compute_accidental_hits, log_uniform_candidate_sampler
from tinytf.ops.nn.candidate_sampling import uniform_candidate_sampler
from tinytf.ops.nn.unigram_sampling import all_candidate_sampler, fixed_unigram_candidate_sampler
from tinytf.ops.nn.unigram_sampling import learned_unigram_candidate_sampler
from tinytf.ops.nn.ctc_decoding import ctc_beam_search_decoder, ctc_beam_search_decoder_v2
from tinytf.ops.nn.ctc_decoding import ctc_greedy_decoder
from tinytf.ops.nn.ctc_labels import collapse_repeated, ctc_loss_v2, ctc_unique_labels
from tinytf.ops.nn.ctc_loss import ctc_loss
from tinytf.ops.nn.sampled_losses import nce_loss, sampled_softmax_loss

__all__ = ["avg_pool", "avg_pool2d", "batch_norm_with_global_normalization", "batch_normalization"]
__all__ += ["bias_add", "compute_accidental_hits", "conv2d", "conv2d_backprop_filter"]
__all__ += ["conv2d_backprop_input", "conv2d_transpose", "crelu", "depth_to_space", "dropout"]
__all__ += ["elu", "embedding_lookup", "embedding_lookup_sparse", "fused_batch_norm", "in_top_k"]
__all__ += ["l2_loss", "l2_normalize", "leaky_relu", "local_response_normalization"]
__all__ += ["log_poisson_loss", "log_softmax", "log_uniform_candidate_sampler", "lrn", "max_pool"]
__all__ += ["max_pool2d", "moments", "nce_loss", "normalize_moments", "relu", "relu6", "relu_layer"]
__all__ += ["safe_embedding_lookup_sparse", "sampled_softmax_loss", "selu", "sigmoid"]
__all__ += ["sigmoid_cross_entropy_with_logits", "silu", "softmax"]
__all__ += ["softmax_cross_entropy_with_logits", "softmax_cross_entropy_with_logits_v2", "softplus"]
__all__ += ["softsign", "space_to_batch", "space_to_depth"]
__all__ += ["sparse_softmax_cross_entropy_with_logits", "sufficient_statistics", "swish", "tanh"]
__all__ += ["top_k", "uniform_candidate_sampler", "weighted_cross_entropy_with_logits"]
__all__ += ["weighted_moments", "xw_plus_b", "zero_fraction"]
__all__ += ["atrous_conv2d", "conv1d", "conv1d_transpose", "convolution", "with_space_to_batch"]
__all__ += ["avg_pool1d", "avg_pool3d", "avg_pool_v2", "max_pool1d", "max_pool3d", "max_pool_v2"]
__all__ += ["max_pool_with_argmax", "pool"]
__all__ += ["fractional_avg_pool", "fractional_max_pool", "max_pool_with_argmax", "pool"]
__all__ += ["all_candidate_sampler", "fixed_unigram_candidate_sampler"]
__all__ += ["learned_unigram_candidate_sampler"]
__all__ += ["collapse_repeated", "ctc_beam_search_decoder", "ctc_beam_search_decoder_v2"]
__all__ += ["ctc_greedy_decoder", "ctc_loss", "ctc_loss_v2", "ctc_unique_labels"]
__all__ += ["atrous_conv2d_transpose", "conv_transpose", "dilation2d", "erosion2d"]
__all__ += ["conv3d", "conv3d_backprop_filter", "conv3d_backprop_filter_v2", "conv3d_transpose"]
__all__ += ["depthwise_conv2d", "depthwise_conv2d_native", "separable_conv2d"]
__all__ += ["depthwise_conv2d_backprop_filter", "depthwise_conv2d_native_backprop_filter"]
__all__ += ["depthwise_conv2d_backprop_input", "depthwise_conv2d_native_backprop_input"]

__getattr__ = _explained(__name__, "nn")
