"""`tf.contrib.staging`: values put ready for the next step."""

from tinytf.api.names import explained as _explained
from tinytf.ops.queues.staging_classes import MapStagingArea, StagingArea

__all__ = ["MapStagingArea", "StagingArea"]

__getattr__ = _explained(__name__, "contrib.staging")
