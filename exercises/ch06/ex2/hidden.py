"""Hidden checks of ch06.ex2."""

from exercise_checks import ends_well

from tinytf.grading import point


@point("other tools, in other orders", 2)
def other_tools(answer):
    names = ("axe", "file", "nail", "rasp", "saw")
    ends_well(answer, (["saw", "axe"], ["axe", "saw"], ["rasp", "nail", "file"]), names)
    ends_well(answer, (["nail", "file"], ["file", "rasp"], ["rasp", "nail"]), names)


@point("many jobs with the same tools", 1)
def many_jobs(answer):
    ends_well(answer, (["saw", "brush"], ["brush", "saw"], ["saw"], ["brush", "saw"]))
