"""nbgrader_config.py of a course: what `tinytf grade init` writes."""

from __future__ import annotations

from pathlib import Path

FILE = "nbgrader_config.py"
#: Asks a run of nbgrader for another sandbox than its settings: `run --confine`.
SANDBOX_VARIABLE = "TINYTF_GRADE_SANDBOX"
#: Empty, and not needed to hand out or to collect; but formgrader complains where it is missing.
EXCHANGE = "exchange"

TEXT = '''\
"""Settings of nbgrader for this course. `tinytf grade init` wrote them; change them as you like."""

import os
import warnings
from pathlib import Path

from nbgrader.converters import Autograde, GenerateAssignment
from sqlalchemy.exc import SAWarning

from tinytf.grading.course.preprocessors import (
    CheckAnswers,
    MakeFromExercises,
    MendSubmission,
    before_conversion,
)
from tinytf.grading.exercise import ENVIRONMENT_VARIABLE

warnings.simplefilter("ignore", SAWarning)  # nbgrader's own use of its database, many times over

HERE = Path(__file__).resolve().parent
os.environ[ENVIRONMENT_VARIABLE] = str(HERE / "exercises")

c = get_config()  # noqa: F821 - nbgrader offers it
c.CourseDirectory.root = str(HERE)
c.CourseDirectory.course_id = {course!r}
# Files go through folders; this one only keeps formgrader from complaining.
c.Exchange.root = str(HERE / "exchange")
c.FormgradeExtension.debug = False  # or it shows these settings, and warns that they are no JSON

# A release is made from exercises/, and takes along what learners may see of it.
release_steps = GenerateAssignment.preprocessors.default()
c.GenerateAssignment.preprocessors = [MakeFromExercises, *release_steps]
c.ClearSolutions.code_stub = {{"python": 'raise NotImplementedError("write this function")'}}

# Answers are checked one by one in processes of their own (docs/instructors.md says why), not by
# running the notebook that was handed in.
c.Autograde.pre_convert_hook = before_conversion
sanitize = Autograde.sanitize_preprocessors.default()
execute, *rest = Autograde.autograde_preprocessors.default()
c.Autograde.sanitize_preprocessors = [MendSubmission, *sanitize]
c.Autograde.autograde_preprocessors = [CheckAnswers, *rest]

# "always": without a sandbox nothing is graded. "never": for answers of people you know.
c.CheckAnswers.confine = "{confine}"
'''


def render(course: str, confine: str = "auto") -> str:
    """The text of the file."""
    return TEXT.format(course=course, confine=confine)


def confine(folder: Path) -> str:
    """What the settings of a course say of the sandbox: "auto", "always" or "never"."""
    from traitlets.config.loader import PyFileConfigLoader

    config = PyFileConfigLoader(FILE, str(folder)).load_config()
    return str(config.CheckAnswers.get("confine", "auto"))
