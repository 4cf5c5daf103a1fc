import tinytf as tf


def build_better_restaurant(orders, room, cook, serve):
    """Return a dictionary: name of a thread -> what it does with a session.

    orders: the numbers of the orders; len(orders) is how many there are
    room: how many elements fit into the line
    cook: cook(number) says whether it worked
    serve: serve(number) is to be called for each dish
    """
    raise NotImplementedError("write this function")
