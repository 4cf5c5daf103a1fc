"""`tf.contrib.seq2seq`: from a sequence to a sequence of another length."""

from tinytf.api.names import explained as _explained
from tinytf.seq2seq.attention import AttentionMechanism, BahdanauAttention, LuongAttention
from tinytf.seq2seq.attention import hardmax
from tinytf.seq2seq.attention_wrapper import AttentionWrapper, AttentionWrapperState
from tinytf.seq2seq.basic import BasicDecoder, BasicDecoderOutput
from tinytf.seq2seq.decoding import Decoder, dynamic_decode
from tinytf.seq2seq.helpers import CustomHelper, GreedyEmbeddingHelper, Helper, InferenceHelper
from tinytf.seq2seq.helpers import SampleEmbeddingHelper, TrainingHelper
from tinytf.seq2seq.losses import sequence_loss

__all__ = ["AttentionMechanism", "AttentionWrapper", "AttentionWrapperState", "BahdanauAttention"]
__all__ += ["BasicDecoder", "BasicDecoderOutput", "CustomHelper", "Decoder"]
__all__ += ["GreedyEmbeddingHelper", "Helper", "InferenceHelper", "LuongAttention"]
__all__ += ["SampleEmbeddingHelper", "TrainingHelper", "dynamic_decode", "hardmax"]
__all__ += ["sequence_loss"]

__getattr__ = _explained(__name__, "contrib.seq2seq")
