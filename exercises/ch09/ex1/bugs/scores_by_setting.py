# loses hidden: settings of any kind, some of them equal
import threading

import tinytf as tf


def best_three(targets, build, settings, folds, steps):
    scores = {}
    line = [(place, fold) for place in range(len(settings)) for fold in range(folds)]

    def work(target):
        while True:
            try:
                place, fold = line.pop()
            except IndexError:
                return
            room = f"trial.{place}.{fold}"
            with tf.Graph().as_default(), tf.container(room):
                step, score = build(settings[place], fold)
                with tf.Session(target) as sess:
                    sess.run(tf.global_variables_initializer())
                    for _ in range(steps):
                        sess.run(step)
                    scores.setdefault(str(settings[place]), []).append(float(sess.run(score)))
            tf.Session.reset(target, [room])  # ends no session but those of this thread's server

    threads = [threading.Thread(target=work, args=[target]) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    means = {setting: sum(found) / folds for setting, found in scores.items()}
    unique = {str(setting): setting for setting in settings}
    order = sorted(means, key=lambda setting: -means[setting])
    return [unique[setting] for setting in order[:3]]
