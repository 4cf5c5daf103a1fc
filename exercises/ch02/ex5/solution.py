def copied(use, home, at, numbers):
    if home == at:
        return 0
    if use == "between":  # beside v and beside w: in two places at once
        return "refused"
    if use == "sum":  # summed up where the variable is; one number crosses
        return 4
    # Who reads needs all of it, once. Who writes runs at home, and needs the new value there.
    return 4 * numbers
