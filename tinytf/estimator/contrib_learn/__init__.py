"""`tf.contrib.learn`: the estimators of before `tf.estimator`, with fit, evaluate and predict.

base.py         what they share; `SKCompat`, which returns arrays
feeding.py      batches of arrays
model_fn.py     `Estimator`, `ModelFnOps`, `MetricSpec`
canned.py       deep and linear models, made of tf.estimator's
run_config.py   `RunConfig`
monitors.py     `ValidationMonitor`
experiment.py   `Experiment`; learn_runner.py runs one
"""
