"""Servers and clients that show each other certificates of a class."""

import os
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import tinytf as tf
from tests.distributed.waiting import Gate
from tinytf import cli
from tinytf.cli import certificates
from tinytf.distributed import tls
from tinytf.distributed.cluster import ports
from tinytf.distributed.tls import Credentials
from tinytf.distributed.wire import grpc_client, tls_errors

pytestmark = [pytest.mark.openssl, pytest.mark.slow]


@pytest.fixture(scope="module")
def school(tmp_path_factory):
    """The folders of two classes: `ours` with anna, a host and an overdue one; and `theirs`."""
    folder = tmp_path_factory.mktemp("school")
    assert certificates.run(str(folder / "ours"), ["a.example"], ["anna"]) == 0
    assert certificates.run(str(folder / "theirs"), [], ["eve"]) == 0
    overdue = certificates._Class(folder / "ours", -1)
    overdue._make_member(folder / "ours" / "overdue", [])
    return folder


@pytest.fixture
def ours(school):
    return lambda name: Credentials.from_folder(school / "ours" / name)


@pytest.fixture
def theirs(school):
    return Credentials.from_folder(school / "theirs" / "eve")


@pytest.fixture
def overdue(school, monkeypatch):
    """Credentials that were good enough when they were read."""
    with monkeypatch.context() as patch:
        patch.setattr(tls.time, "time", lambda: time.mktime((2026, 1, 1, 0, 0, 0, 0, 0, 0)))
        shown = tls._shake_hands(str(school / "ours" / "overdue"))
        begin = tls.ssl.cert_time_to_seconds(shown["notBefore"])
        patch.setattr(tls.time, "time", lambda: begin)
        # Its end is before its beginning: no time at all suits it.
        patch.setattr(tls.ssl, "cert_time_to_seconds", lambda text: begin)
        return Credentials.from_folder(school / "ours" / "overdue")


def serve(credentials, **options):
    return tf.train.Server({"a": ["localhost:0"]}, credentials=credentials, **options)


def compute(target, credentials=None):
    with tf.Graph().as_default(), tf.Session(target, credentials=credentials) as session:
        return session.run(tf.constant(3) + 5)


# Both ends -----------------------------------------------------


def test_a_session_of_the_class(ours):
    with serve(ours("a.example")) as server:
        assert compute(server.target, ours("anna")) == 8
        tf.Session.reset(server.target, credentials=ours("anna"))


def test_with_certificates_nothing_goes_by_a_socket_of_the_machine(ours):
    with serve(ours("a.example"), transport="auto") as server:
        assert server._transport.transports == ["grpc"]
        with (
            tf.Graph().as_default(),
            tf.Session(server.target, credentials=ours("anna")) as session,
        ):
            assert [session.run(tf.constant(3) + number) for number in range(3)] == [3, 4, 5]
            assert session._backend._transport.transport == "grpc"
            assert not session._backend._transport._asks


def test_a_folder_named_by_the_environment_serves_both_ends(school, monkeypatch):
    monkeypatch.setenv("TINYTF_TLS", str(school / "ours" / "anna"))
    with tf.train.Server.create_local_server() as server:
        assert compute(server.target) == 8
        monkeypatch.delenv("TINYTF_TLS")
        with pytest.raises(tf.errors.UnauthenticatedError, match="certificate of its class only"):
            compute(server.target)


def test_tasks_talk_to_each_other_with_the_same_credentials(ours, tmp_path):
    with serve(ours("anna")) as first:
        address = first.target.removeprefix("grpc://")
        cluster = {"ps": [address], "worker": ["localhost:0"]}
        ps_cluster = {"ps": ["localhost:0"], "worker": ["localhost:1"]}
        first.stop()
        with (
            tf.train.Server({**ps_cluster, "ps": [address]}, "ps", 0, credentials=ours("anna")),
            tf.train.Server(cluster, "worker", 0, credentials=ours("a.example")) as worker,
            tf.Graph().as_default(),
        ):
            with tf.device("/job:ps"):
                value = tf.constant(4)
            with tf.device("/job:worker"):
                double = value + value
            with tf.Session(worker.target, credentials=ours("anna")) as session:
                assert session.run(double) == 8


def test_arguments_that_are_none(ours):
    with pytest.raises(TypeError, match=r"must be a tinytf.distributed.tls.Credentials, got str"):
        serve("certs/anna")
    with pytest.raises(tf.errors.InvalidArgumentError, match="has no target"):
        tf.Session(credentials=ours("anna"))


# Who is refused, and what is said ------------------------------


def refused(server, credentials, *words):
    with pytest.raises(tf.errors.UnauthenticatedError) as caught:
        compute(server.target, credentials)
    for word in (server.target, *words):
        assert word in caught.value.message


def test_a_client_without_a_certificate(ours):
    with serve(ours("anna")) as server:
        refused(server, None, "certificate of its class only", "TINYTF_TLS")


def test_a_client_of_another_class(ours, theirs, capfd):
    with serve(ours("anna")) as server:
        refused(server, theirs, "its certificate is of another class", theirs.folder)


def test_a_client_who_trusts_us_and_whom_we_do_not_trust(ours, theirs, school, tmp_path, capfd):
    mixed = tmp_path / "mixed"
    mixed.mkdir()
    for name, source in (
        ("ca.pem", "ours/anna"),
        ("certificate.pem", "theirs/eve"),
        ("key.pem", "theirs/eve"),
    ):
        (mixed / name).write_bytes((school / source / name).read_bytes())
        (mixed / name).chmod(0o600)
    with pytest.raises(tf.errors.UnauthenticatedError, match="they are of two classes"):
        Credentials.from_folder(mixed)
    eve = Credentials(
        str(mixed), ours("anna").authority, theirs.certificate, theirs.key, theirs.names, 0.0
    )
    with serve(ours("anna")) as server:
        refused(server, eve, "it refuses the certificate in", eve.folder)


def test_a_client_whose_certificate_has_expired(ours, overdue, capfd):
    with serve(ours("anna")) as server:
        refused(server, overdue, "it refuses the certificate in", "expired or")


def test_a_server_whose_certificate_has_expired(ours, overdue, capfd):
    with serve(overdue) as server:
        refused(server, ours("anna"), "has expired", "tinytf certificates --renew")


def test_a_server_under_a_name_that_its_certificate_has_not(ours, school, monkeypatch, capfd):
    monkeypatch.setattr(certificates, "_OWN_MACHINE", ("elsewhere.example",))
    if not (school / "ours" / "far").exists():
        certificates.run(str(school / "ours"), [], ["far"])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"is for elsewhere.example, not for"):
        serve(ours("far"))
    monkeypatch.setattr(Credentials, "check_host", lambda self, host: None)
    with serve(ours("far")) as server:
        refused(server, ours("anna"), "is not for the name 'localhost'", "--host localhost")


def test_a_server_that_speaks_plainly(ours, capfd):
    with serve(None) as server:
        refused(server, ours("anna"), "it speaks without TLS", "--tls FOLDER")


def test_a_client_that_waits_for_a_server_finds_out_when_it_comes(ours, monkeypatch, capsys):
    monkeypatch.setattr(grpc_client, "QUIET_SECONDS", 0.05)
    monkeypatch.setattr(grpc_client, "SECONDS_TO_CONNECT", 0.02)
    monkeypatch.setattr(grpc_client, "SECONDS_TO_LOOK_AGAIN", 0.05)
    looked, look = threading.Semaphore(0), tls_errors.looked_into
    monkeypatch.setattr(tls_errors, "looked_into", lambda *where: looked.release() or look(*where))
    with ports.reserve() as kept, ThreadPoolExecutor(1) as pool:
        address = f"localhost:{kept.getsockname()[1]}"
        waiting = pool.submit(compute, f"grpc://{address}")
        for _ in range(4):  # it has been said, and is looked for again
            assert looked.acquire(timeout=30)
        with tf.train.Server({"a": [address]}, credentials=ours("anna")):
            with pytest.raises(tf.errors.UnauthenticatedError, match="its class only"):
                waiting.result(30)


def session_beside(stranger, credentials):
    """Open a session on a task of a cluster with a stranger, and run a step."""
    cluster = {"ps": [stranger.target.removeprefix("grpc://")], "worker": ["localhost:0"]}
    with (
        tf.train.Server(cluster, "worker", 0, credentials=credentials) as worker,
        tf.Graph().as_default(),
        tf.Session(worker.target, credentials=credentials) as session,
    ):
        session.run(tf.constant(1))


def test_a_task_of_another_class_in_the_cluster(ours, theirs, capfd):
    with (
        serve(theirs) as stranger,
        pytest.raises(tf.errors.UnauthenticatedError, match="of another class") as caught,
    ):
        session_beside(stranger, ours("anna"))
    assert "/job:ps/replica:0/task:0" in caught.value.message
    assert stranger.target in caught.value.message


def test_a_task_without_certificates_beside_one_with_them(ours, capfd):
    with (
        serve(ours("anna")) as stranger,
        pytest.raises(tf.errors.UnauthenticatedError, match="certificate of its class only"),
    ):
        session_beside(stranger, None)


def test_those_who_are_refused_disturb_nobody(ours, theirs, capfd):
    with serve(ours("anna")) as server, Gate() as gate, tf.Graph().as_default():
        with tf.Session(server.target, credentials=ours("anna")) as session:
            wait = gate.card(tf.constant(2.0))
            with ThreadPoolExecutor(1) as pool:
                waiting = pool.submit(session.run, wait)
                gate.reached.wait()
                refused(server, theirs)
                refused(server, None)
                gate.open()
                assert waiting.result() == 2.0


# Folders -------------------------------------------------------


def copy(source, target):
    target.mkdir()
    for file in source.iterdir():
        (target / file.name).write_bytes(file.read_bytes())
        (target / file.name).chmod(0o600)
    return target


def test_folders_that_are_no_credentials(school, tmp_path):
    anna = copy(school / "ours" / "anna", tmp_path / "anna")
    with pytest.raises(
        tf.errors.NotFoundError, match=r"ca\.pem; No such file.*tinytf certificates"
    ):
        Credentials.from_folder(tmp_path)
    (anna / "key.pem").chmod(0o644)
    with pytest.raises(tf.errors.UnauthenticatedError, match="chmod 600"):
        Credentials.from_folder(anna)
    (anna / "key.pem").chmod(0o600)
    (anna / "key.pem").write_bytes((school / "ours" / "a.example" / "key.pem").read_bytes())
    with pytest.raises(tf.errors.UnauthenticatedError, match="does not belong to certificate"):
        Credentials.from_folder(anna)
    (anna / "certificate.pem").write_text("nonsense")
    with pytest.raises(tf.errors.UnauthenticatedError, match="damaged or not in the PEM format"):
        Credentials.from_folder(anna)


def test_a_certificate_that_has_expired_is_not_used(school):
    with pytest.raises(
        tf.errors.UnauthenticatedError, match=r"is valid from .* now it is .*--renew"
    ):
        Credentials.from_folder(school / "ours" / "overdue")


def test_the_environment_names_a_wrong_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("TINYTF_TLS", str(tmp_path / "nobody"))
    with pytest.raises(tf.errors.NotFoundError, match="environment variable TINYTF_TLS names"):
        tf.train.Server.create_local_server()


def test_what_is_shown_of_credentials_keeps_the_key_secret(ours):
    anna = ours("anna")
    assert "PRIVATE" not in repr(anna)
    assert set(anna.names) == {"localhost", "127.0.0.1", "::1"}
    assert ours("a.example").names[0] == "a.example"
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"not for 'b.example'"):
        ours("a.example").check_host("b.example")
    ours("a.example").check_host("[::1]")
    ours("a.example").check_host("A.Example")


# The command ---------------------------------------------------


def command(*words):
    return cli.main(["certificates", *words])


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_command_makes_what_is_missing_and_keeps_the_rest(here, capsys):
    assert command("--host", "b.example,10.0.0.5", "--student", "anna") == 0
    before = {path: path.read_bytes() for path in here.glob("certs/*/*.pem")}
    assert len(before) == 2 + 3 + 3
    assert command("--student", "anna", "--student", "ben", "--days", "20") == 0
    said = capsys.readouterr().out
    assert "stays as it is" in said
    assert "ben" in said
    assert {path: path.read_bytes() for path in before} == before
    assert Credentials.from_folder("certs/b.example").names[:2] == ("b.example", "10.0.0.5")
    left = (Credentials.from_folder("certs/ben").expires - time.time()) / 86400
    assert 19 < left <= 20
    assert not list(here.glob("certs/.*"))


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_nobody_else_reads_keys(here):
    before = os.umask(0)
    try:
        assert command("--student", "anna") == 0
    finally:
        os.umask(before)
    for path in (Path("certs/anna"), Path("certs/authority")):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
        (key,) = path.glob("*key.pem")
        assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_renewing_keeps_key_and_names(here):
    assert command("--host", "b.example", "--student", "anna", "--days", "2") == 0
    keys = [Path(f"certs/{name}/key.pem").read_bytes() for name in ("anna", "b.example")]
    authority = Path("certs/authority/ca.pem").read_bytes()
    assert command("--renew", "--days", "30") == 0
    assert [Path(f"certs/{n}/key.pem").read_bytes() for n in ("anna", "b.example")] == keys
    assert Path("certs/authority/ca.pem").read_bytes() == authority
    renewed = Credentials.from_folder("certs/b.example")
    assert renewed.names[0] == "b.example"
    assert renewed.expires > time.time() + 29 * 86400


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Name somebody"),
        (("--renew",), "Name somebody"),
        (("--renew", "--student", "anna"), "nothing to renew"),
        (("--student", "../anna"), "cannot be the name"),
        (("--student", "a/b"), "cannot be the name"),
        (("--student", "a\nbasicConstraints=CA:TRUE"), "cannot be the name"),
        (("--host", "a.example,DNS:b"), "cannot be the name"),
        (("--student", "authority"), "class's own key"),
        (("--student", "anna", "--student", "anna"), "named twice"),
        (("--student", "anna", "--days", "0"), "--days must be from 1"),
        (("--student", "anna", "--days", "9999"), "--days must be from 1"),
    ],
)
def test_commands_that_are_refused_change_nothing(here, capsys, words, said):
    assert command(*words) == 2
    assert said in capsys.readouterr().err
    assert not [path for path in here.rglob("*") if path.is_file()]


def test_without_openssl(here, capsys, monkeypatch):
    monkeypatch.setenv("PATH", str(here))
    assert command("--student", "anna") == 2
    assert "The program openssl is needed" in capsys.readouterr().err
    assert not [path for path in here.rglob("*") if path.is_file()]


def test_serving_from_the_command_line_with_a_wrong_folder(here, capsys):
    assert cli.main(["serve", "--tls", "nobody"]) == 2
    assert "ca.pem; No such file" in capsys.readouterr().err
    assert cli.main(["serve", "--limit", "students=3"]) == 2
    assert "there are message_bytes, calls, sessions" in capsys.readouterr().err
    assert cli.main(["serve", "--file-root", "nowhere"]) == 2
    assert "there is no folder nowhere" in capsys.readouterr().err
