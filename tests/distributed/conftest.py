"""Sessions go over the network, by both transports."""

import pytest

from tests.waiting import LONG
from tinytf.distributed.client import remote_session
from tinytf.distributed.master import calls, cluster_step
from tinytf.distributed.wire import in_process
from tinytf.distributed.wire import transport as wire_transport

#: Modules about what travels between processes: they run by unix sockets, where these can be had,
#: and again by gRPC alone; but for tests in them that are marked `one_transport`.
ON_BOTH = {
    f"test_{name}"
    for name in (
        "bad_peers endless_steps failing_steps fault_lab forks growth in_process cluster "
        "killed_tasks many_calls own_clusters private_queues random_faults "
        "remote_session server shared_tables stuck_steps waiting_for_tasks"
    ).split()
}


def pytest_generate_tests(metafunc):
    if "transport" in metafunc.fixturenames and metafunc.module.__name__.split(".")[-1] in ON_BOTH:
        both = [pytest.param("auto", id="unix"), pytest.param("grpc", marks=pytest.mark.slow)]
        if metafunc.definition.get_closest_marker("one_transport"):
            both = both[:1]
        metafunc.parametrize("transport", both, indirect=True, scope="module")


@pytest.fixture(scope="module", autouse=True)
def transport(request):
    """How servers and clients of this process, and of its children, talk: "auto" or "grpc"."""
    chosen = getattr(request, "param", wire_transport.chosen(None))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(wire_transport.VARIABLE, chosen)
        yield chosen


@pytest.fixture(autouse=True)
def over_the_network(request, monkeypatch):
    """No way around gRPC, but for tests marked `in_process`."""
    if request.node.get_closest_marker("in_process") is None:
        monkeypatch.setattr(in_process, "find", lambda address: None)


@pytest.fixture
def patient(monkeypatch):
    """Past a deadline, everybody has the time to say what waits: who is busy is not silent."""
    monkeypatch.setattr(remote_session, "_GRACE_SECONDS", LONG)
    monkeypatch.setattr(cluster_step, "GRACE_SECONDS", LONG)
    monkeypatch.setattr(calls, "PATIENCE_SECONDS", LONG)
