"""`tf.random`: random numbers and their seeds."""

from tinytf.api import random_experimental as experimental
from tinytf.api.names import explained as _explained
from tinytf.framework.random_seed import get_seed, set_random_seed
from tinytf.ops.nn.candidate_sampling import log_uniform_candidate_sampler
from tinytf.ops.nn.candidate_sampling import uniform_candidate_sampler
from tinytf.ops.nn.unigram_sampling import all_candidate_sampler, fixed_unigram_candidate_sampler
from tinytf.ops.nn.unigram_sampling import learned_unigram_candidate_sampler
from tinytf.ops.random.basic import random_normal as normal
from tinytf.ops.random.basic import random_uniform as uniform
from tinytf.ops.random.basic import truncated_normal
from tinytf.ops.random.choices import categorical, multinomial
from tinytf.ops.random.choices import random_shuffle as shuffle
from tinytf.ops.random.gamma import random_gamma as gamma
from tinytf.ops.random.gamma import random_poisson as poisson
from tinytf.ops.random.stateless_functions import stateless_categorical, stateless_multinomial
from tinytf.ops.random.stateless_functions import stateless_shuffle, stateless_truncated_normal
from tinytf.ops.random.stateless_functions import stateless_fold_in as fold_in
from tinytf.ops.random.stateless_functions import stateless_random_normal as stateless_normal
from tinytf.ops.random.stateless_functions import stateless_random_uniform as stateless_uniform
from tinytf.ops.random.stateless_functions import stateless_split as split
from tinytf.ops.random.stateless import Algorithm

__all__ = ["Algorithm", "categorical", "experimental", "fold_in", "gamma", "get_seed"]
__all__ += ["log_uniform_candidate_sampler", "multinomial", "normal", "poisson", "set_random_seed"]
__all__ += ["shuffle", "split", "stateless_categorical", "stateless_multinomial"]
__all__ += ["stateless_normal", "stateless_truncated_normal", "stateless_uniform"]
__all__ += ["truncated_normal", "uniform", "uniform_candidate_sampler"]
__all__ += ["all_candidate_sampler", "fixed_unigram_candidate_sampler"]
__all__ += ["learned_unigram_candidate_sampler"]

__getattr__ = _explained(__name__, "random")
