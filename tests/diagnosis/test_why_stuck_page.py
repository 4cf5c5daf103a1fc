"""docs/why_stuck.md shows a program and what it prints: it does."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "why_stuck.md").read_text()


@pytest.mark.slow
def test_the_program_of_the_page_prints_what_the_page_shows(tmp_path):
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    shown, *_ = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)  # the others: on clusters
    path = tmp_path / "hang.py"
    path.write_text(program)
    with subprocess.Popen(
        [sys.executable, "hang.py"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line.endswith("shows all threads.\n"):
                process.send_signal(signal.SIGINT)
    printed = "".join(lines)
    # The path, the number of seconds, and which of the two queues was made first differ.
    for pattern, same in (
        (r"\d\.\d seconds", "2.3 seconds"),
        ("'_[01]_", "'_1_"),
        (re.escape(str(tmp_path)) + "/", ""),
    ):
        printed = re.sub(pattern, same, printed)
    assert shown in printed
