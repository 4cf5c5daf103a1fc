import tinytf as tf


def configure(name, needs, card):
    """Return the tf.ConfigProto for the session of one of several programs.

    name:  which program
    needs: a dictionary: the name of each program, and the MiB that it needs
    card:  the MiB of the one GPU
    """
    raise NotImplementedError("write this function")
