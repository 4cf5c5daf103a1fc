import threading

import tinytf as tf


def best_three(targets, build, settings, folds, steps):
    """Try all settings by cross-validation, and return the best three.

    targets: what tf.Session needs to reach each of the servers
    build: build(setting, fold) builds a trial's network; returns (step, score)
    settings: a list of settings, whatever they are
    folds: how many trials each setting has, with fold 0, 1, ...
    steps: how often each trial runs its step
    return: a list of three settings, the best first
    """
    raise NotImplementedError("write this function")
