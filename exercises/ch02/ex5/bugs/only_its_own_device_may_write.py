# loses: who writes runs where the variable is
def copied(use, home, at, numbers):
    if home == at:
        return 0
    if use in ("between", "assign"):
        return "refused"
    return 4 if use == "sum" else 4 * numbers
