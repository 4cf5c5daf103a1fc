"""`tf.estimator`: models that train, evaluate and predict, with a folder of their own.

estimator.py        `Estimator`
model_fn.py         `EstimatorSpec`, which a model's function returns; `ModeKeys`
run_config.py       `RunConfig`: how and, by TF_CONFIG, in which task of a cluster
input_results.py    what an input function returns
evaluating.py       one evaluation, and what it writes
inputs.py, feeding.py  input functions of arrays; the queue behind them
export/             what is needed to serve a model
"""

from tinytf.estimator import export, inputs
from tinytf.estimator.estimator import Estimator
from tinytf.estimator.model_fn import EstimatorSpec, ModeKeys
from tinytf.estimator.run_config import RunConfig

__all__ = ["Estimator", "EstimatorSpec", "ModeKeys", "RunConfig", "export", "inputs"]
