# loses: trials do not find each other's variables
import threading

import tinytf as tf


def best_three(targets, build, settings, folds, steps):
    scores = [[] for _ in settings]
    line = [(place, fold) for place in range(len(settings)) for fold in range(folds)]

    def work(target):
        while True:
            try:
                place, fold = line.pop()
            except IndexError:
                return
            room = f"trial.{place}.{fold}"
            with tf.Graph().as_default():
                step, score = build(settings[place], fold)
                with tf.Session(target) as sess:
                    sess.run(tf.global_variables_initializer())
                    for _ in range(steps):
                        sess.run(step)
                    scores[place].append(float(sess.run(score)))
            tf.Session.reset(target, [room])  # ends no session but those of this thread's server

    threads = [threading.Thread(target=work, args=[target]) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    means = [sum(found) / folds for found in scores]
    order = sorted(range(len(settings)), key=lambda place: -means[place])
    return [settings[place] for place in order[:3]]
