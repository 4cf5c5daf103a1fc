# loses: what is colocated with it runs where the variable is, or not at all
def copied(use, home, at, numbers):
    if home == at:
        return 0
    return 4 if use == "sum" else 4 * numbers
