# loses: who reads on another device gets a copy
def copied(use, home, at, numbers):
    if home == at:
        return 0
    if use == "between":
        return "refused"
    return {"sum": 4, "rows": 8}.get(use, 4 * numbers)
