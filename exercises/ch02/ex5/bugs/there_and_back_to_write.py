# loses: who writes runs where the variable is
def copied(use, home, at, numbers):
    if home == at:
        return 0
    if use == "between":
        return "refused"
    return {"sum": 4, "assign": 8 * numbers}.get(use, 4 * numbers)
