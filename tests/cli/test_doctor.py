"""What `tinytf doctor` says of the learner's points and of grading."""

import pytest

from tinytf.cli import doctor, machine
from tinytf.distributed.wire import transport, unix_paths
from tinytf.grading import sandbox


def found(name):
    """The line of that name."""
    (one,) = (finding for finding in doctor.examine() if finding.name == name)
    return one


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """What is slow to find out, and not looked at here."""
    for name in ("_first_program", "_cuda", "_chromium", "_tensorflow", "_namespaces"):
        monkeypatch.setattr(doctor, name, lambda: doctor.Finding("Tests", "left out", "left out"))


def test_it_names_the_file_of_points(tmp_path, monkeypatch):
    path = tmp_path / "state" / "progress.json"
    monkeypatch.setenv("TINYTF_PROGRESS", str(path))
    one = found("your points")
    assert one.section == "The course"
    assert one.present
    assert one.found.startswith("0 of ")
    assert one.found.endswith(f"kept in {path}")
    assert not path.exists()  # looking writes nothing


def test_how_tasks_of_clusters_talk(monkeypatch):
    if unix_paths.is_possible():
        monkeypatch.setenv(transport.VARIABLE, "auto")
        assert found("clusters").found.endswith(f"by unix sockets in {unix_paths.folder()}")
    monkeypatch.setenv(transport.VARIABLE, "grpc")
    assert found("clusters").found.endswith("by gRPC alone")
    monkeypatch.setenv(transport.VARIABLE, "post")
    one = found("clusters")
    assert not one.present
    assert "The environment variable TINYTF_TRANSPORT must be one of" in one.found


def test_points_that_are_not_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("TINYTF_PROGRESS", "off")
    assert found("your points").found == "not kept: TINYTF_PROGRESS is off"
    monkeypatch.setenv("TINYTF_PROGRESS", str(tmp_path))
    one = found("your points")
    assert not one.present
    assert f"{tmp_path} is no file" in one.found
    assert "TINYTF_PROGRESS" in one.remedy


def test_damaged_points_are_set_aside_and_it_says_so(tmp_path, monkeypatch):
    path = tmp_path / "progress.json"
    path.write_text("{")
    monkeypatch.setenv("TINYTF_PROGRESS", str(path))
    assert "was damaged" in found("your points").found
    assert (tmp_path / "progress.damaged-1.json").read_text() == "{"
    assert found("your points").found.startswith("0 of ")


def test_grading_has_nbgrader_and_a_sandbox(monkeypatch):
    monkeypatch.setattr(sandbox, "obstacle", lambda: None)
    monkeypatch.setattr(machine, "run_quietly", lambda *command: "bubblewrap 0.8.0")
    one = found("bubblewrap")
    assert (one.section, one.found, one.present) == ("Grading", "0.8.0, works", True)
    assert found("nbgrader").section == "Grading"


def test_a_sandbox_that_is_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    one = found("bubblewrap")
    assert (one.found, one.present, one.required) == ("not installed", False, False)
    assert one.remedy.startswith("sudo apt-get install bubblewrap")
    assert found("git").remedy.startswith("sudo apt-get install git")


def test_a_package_that_is_missing_has_the_command(monkeypatch):
    def version(name):
        raise doctor.PackageNotFoundError(name)

    monkeypatch.setattr(doctor, "version", version)
    one = found("nbgrader")
    assert (one.found, one.present) == ("not installed", False)
    assert one.remedy == "python3 start.py setup"


@pytest.mark.parametrize(
    ("settings", "remedy"),
    [
        (
            {"kernel/unprivileged_userns_clone": "0"},
            "sudo sysctl -w kernel.unprivileged_userns_clone=1",
        ),
        (
            {
                "kernel/unprivileged_userns_clone": "1",
                "kernel/apparmor_restrict_unprivileged_userns": "1",
            },
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        ({"user/max_user_namespaces": "0"}, "sudo sysctl -w user.max_user_namespaces=15000"),
        ({"user/max_user_namespaces": "15000"}, "in a container, start it with"),
    ],
)
def test_a_sandbox_that_does_not_work(tmp_path, monkeypatch, settings, remedy):
    for name, value in settings.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{value}\n")
    monkeypatch.setattr(machine, "_SETTINGS", tmp_path)
    monkeypatch.setattr(machine, "run_quietly", lambda *command: "bubblewrap 0.8.0")
    monkeypatch.setattr(sandbox, "obstacle", lambda: "bubblewrap does not work here (so it said)")
    one = found("bubblewrap")
    assert (one.found, one.present) == ("bubblewrap does not work here (so it said)", False)
    assert one.remedy.startswith(remedy)
