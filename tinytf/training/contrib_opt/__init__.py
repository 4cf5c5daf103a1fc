"""`tf.contrib.opt`: more optimizers, and optimizers around another one.

adam_kin.py        `NadamOptimizer`, `LazyAdamOptimizer`, `AdaMaxOptimizer`
sign.py            `AddSignOptimizer`, `PowerSignOptimizer`
weight_decay.py    `AdamWOptimizer`, `MomentumWOptimizer`, and others with weight decay
wrapper.py         what optimizers around another one share
clipping.py        `VariableClippingOptimizer`, `clip_gradients_by_global_norm`
drop_stale.py      `DropStaleGradientOptimizer`
moving_average.py  `MovingAverageOptimizer`
averages.py        `ModelAverageOptimizer`, `ElasticAverageOptimizer`: copies on workers
"""
