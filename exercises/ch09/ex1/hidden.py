"""Hidden checks of ch09.ex1."""

from exercise_checks import a_cluster, compare, table

from tinytf.grading import point


@point("more servers than settings, and more folds", 1)
def three_servers(answer):
    values = {"p": [1, 1, 1, 1, 9], "q": [4, 4, 1, 1, 1], "r": [3, 3, 3, 3, 3]}
    with a_cluster(4) as targets:
        got = answer(targets, table(values), list("qrp"), 5, 2)
    compare("r has 3 in the mean, p 2.6, q 2.2", ["r", "p", "q"], got)


@point("settings of any kind, some of them equal", 2)
def dictionaries(answer):
    values = {0.1: [1.0, 1.0], 0.2: [3.0, 3.0], 0.3: [2.0, 2.0]}

    def build(setting, fold):
        return table(values)(setting["rate"], fold)

    settings = [{"rate": rate} for rate in (0.1, 0.2, 0.2, 0.3)]
    with a_cluster(2) as targets:
        got = answer(targets, build, settings, 2, 1)
    compare("rate 0.2 is the best, and there twice", [settings[1], settings[2], settings[3]], got)
