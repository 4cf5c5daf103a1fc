"""`tf.estimator`: models that train, evaluate and predict, with a folder of their own.

estimator.py        `Estimator`
model_fn.py         `EstimatorSpec`, which a model's function returns; `ModeKeys`
run_config.py       `RunConfig`: how and, by TF_CONFIG, in which task of a cluster
input_results.py    what an input function returns
evaluating.py       one evaluation, and what it writes
train_and_evaluate.py  both, alone or as a task of a cluster
exporter.py         what is exported after an evaluation
warm_starting.py    values of another model's checkpoint
extenders.py, parsing.py  `add_metrics`; what examples hold
inputs.py, feeding.py  input functions of arrays; the queue behind them
export/             what is needed to serve a model
"""

from tinytf.estimator import export, inputs
from tinytf.estimator.canned.baseline import (
    BaselineClassifier,
    BaselineEstimator,
    BaselineRegressor,
)
from tinytf.estimator.canned.combined import (
    DNNLinearCombinedClassifier,
    DNNLinearCombinedEstimator,
    DNNLinearCombinedRegressor,
)
from tinytf.estimator.canned.dnn import DNNClassifier, DNNEstimator, DNNRegressor
from tinytf.estimator.canned.linear import LinearClassifier, LinearEstimator, LinearRegressor
from tinytf.estimator.estimator import Estimator
from tinytf.estimator.exporter import BestExporter, Exporter, FinalExporter, LatestExporter
from tinytf.estimator.extenders import add_metrics
from tinytf.estimator.model_fn import EstimatorSpec, ModeKeys
from tinytf.estimator.parsing import classifier_parse_example_spec, regressor_parse_example_spec
from tinytf.estimator.run_config import RunConfig
from tinytf.estimator.train_and_evaluate import EvalSpec, TrainSpec, train_and_evaluate
from tinytf.estimator.warm_starting import VocabInfo, WarmStartSettings
from tinytf.training.hooks.checkpoint_saver import CheckpointSaverHook, CheckpointSaverListener
from tinytf.training.hooks.feed_fn import FeedFnHook
from tinytf.training.hooks.final_ops import FinalOpsHook
from tinytf.training.hooks.global_step_waiter import GlobalStepWaiterHook
from tinytf.training.hooks.logging_tensor import LoggingTensorHook
from tinytf.training.hooks.nan_tensor import NanLossDuringTrainingError, NanTensorHook
from tinytf.training.hooks.profiler import ProfilerHook
from tinytf.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from tinytf.training.hooks.step_counter import StepCounterHook
from tinytf.training.hooks.stop_at_step import StopAtStepHook
from tinytf.training.hooks.summary_saver import SummarySaverHook
from tinytf.training.hooks.timer import SecondOrStepTimer

__all__ = ["BaselineClassifier", "BaselineEstimator", "BaselineRegressor", "BestExporter"]
__all__ += ["CheckpointSaverHook", "CheckpointSaverListener", "DNNClassifier", "DNNEstimator"]
__all__ += ["DNNLinearCombinedClassifier", "DNNLinearCombinedEstimator"]
__all__ += ["DNNLinearCombinedRegressor", "DNNRegressor", "Estimator", "EstimatorSpec", "EvalSpec"]
__all__ += ["Exporter", "FeedFnHook", "FinalExporter", "FinalOpsHook", "GlobalStepWaiterHook"]
__all__ += ["LatestExporter", "LinearClassifier", "LinearEstimator", "LinearRegressor"]
__all__ += ["LoggingTensorHook", "ModeKeys", "NanLossDuringTrainingError", "NanTensorHook"]
__all__ += ["ProfilerHook", "RunConfig", "SecondOrStepTimer", "SessionRunArgs", "SessionRunContext"]
__all__ += ["SessionRunHook", "SessionRunValues", "StepCounterHook", "StopAtStepHook"]
__all__ += ["SummarySaverHook", "TrainSpec", "VocabInfo", "WarmStartSettings", "add_metrics"]
__all__ += ["classifier_parse_example_spec", "export", "inputs", "regressor_parse_example_spec"]
__all__ += ["train_and_evaluate"]
