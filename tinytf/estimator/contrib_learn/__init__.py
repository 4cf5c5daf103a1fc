"""`tf.contrib.learn`: the estimators of before `tf.estimator`, with fit, evaluate and predict.

base.py         what they share; `SKCompat`, which returns arrays
feeding.py      batches of arrays, and their columns
metric_spec.py  `MetricSpec`
model_fn.py     `Estimator`, `ModelFnOps`
canned.py       deep and linear models, made of tf.estimator's
run_config.py   `RunConfig`
"""
