"""`tf.estimator.export`: what is needed to serve a model.

outputs.py      what it gives
"""

from tinytf.estimator.export.outputs import ExportOutput, PredictOutput

__all__ = ["ExportOutput", "PredictOutput"]
