def build_sum(names, load):
    """Return the sum of the largest values of all tables.

    names: of the tables
    load: load(name) builds the operation that loads a table, and returns the tensor
    """
    raise NotImplementedError
