"""`tensorflow.python.client`: the paths by which programs for TensorFlow find things of ours."""

import pytest

from tinytf.devices import messages
from tinytf.python.client import device_lib, timeline
from tinytf.tracing import chrome_trace


def test_the_paths_lead_to_the_things_themselves():
    assert device_lib.list_local_devices is messages.list_local_devices
    for name in timeline.__all__:
        assert getattr(timeline, name) is getattr(chrome_trace, name)


def test_what_is_missing_beside_them():
    with pytest.raises(ImportError, match="cannot import name 'tomato'"):
        from tinytf.python.client import tomato  # noqa: F401
