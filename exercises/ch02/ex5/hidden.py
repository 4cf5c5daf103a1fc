"""Hidden checks of ch02.ex5."""

from exercise_checks import PROGRAMS, compare

from tinytf.grading import point


@point("variables of other sizes, on other devices", 2)
def other_cases(answer):
    places = [("/gpu:1", "/gpu:0", 30), ("/cpu:0", "/gpu:1", 2500), ("/gpu:1", "/cpu:0", 77)]
    compare(answer, *((use, *place) for place in places for use in PROGRAMS))


@point("both on the CPU, or both on GPU 1", 1)
def other_single_devices(answer):
    for place in ("/cpu:0", "/gpu:1"):
        compare(answer, *((use, place, place, 10) for use in PROGRAMS))
