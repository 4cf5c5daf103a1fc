"""A BLAS library whose threads can be switched, without one."""


class Library:
    """What threadpoolctl has for one library."""

    def __init__(self, threads):
        self.threads, self.changes = threads, 0

    def get_num_threads(self):
        return self.threads

    def set_num_threads(self, threads):
        self.threads, self.changes = threads, self.changes + 1
