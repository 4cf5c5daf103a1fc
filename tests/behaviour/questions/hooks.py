"""Session hooks: when they act, what they log and write, and what they refuse."""

from tests.behaviour.asking import question, says
from tests.behaviour.questions._training import (
    added,
    clock_of,
    counting,
    folder,
    log_of,
    train,
    without_step,
)


def times(timer, steps, clock=None, seconds=1.0):
    """(step, what the timer says of it) for the steps at which it is time."""
    found = []
    for step in steps:
        if timer.should_trigger_for_step(step):
            found.append((step, timer.update_last_triggered_step(step)))
        if clock is not None:
            clock.pass_by(seconds)
    return found


@question
def timers(tf):
    steps = tf.train.SecondOrStepTimer(every_steps=3)
    unused = tf.train.SecondOrStepTimer(every_secs=3)
    both = "Can not provide both every_secs and every_steps."

    def every_3(steps):
        return times(tf.train.SecondOrStepTimer(every_steps=3), steps)

    with clock_of(tf) as clock:
        by_steps = times(steps, range(10)), every_3(range(100, 105)), every_3(range(0, 20, 5))
        backwards = every_3([7, 6, 5, 9, 10])
        seconds = tf.train.SecondOrStepTimer(every_secs=2.5)
        by_seconds = times(seconds, range(8), clock)
        same_step = [seconds.should_trigger_for_step(step) for step in (5, 6)]
        clock.pass_by(9)
        much_later = [seconds.should_trigger_for_step(step) for step in (6, 7)]
    answers = {
        "every 3": by_steps[0],
        "from 100": by_steps[1],
        "by fives": by_steps[2],
        "backwards": backwards,
        "every 2.5 seconds": by_seconds,
        "the same step": same_step,
        "much later": much_later,
        "the last": (steps.last_triggered_step(), unused.last_triggered_step()),
        "neither": says("Either every_secs or every_steps", tf.train.SecondOrStepTimer),
        "both": says(both[:46], tf.train.SecondOrStepTimer, 1, 1),
    }
    steps.reset()
    return {**answers, "reset": (steps.last_triggered_step(), steps.should_trigger_for_step(0))}


@question
def stopping(tf):
    stop = tf.train.StopAtStepHook

    def trained(by=1, start=0, **settings):
        with tf.Graph().as_default():
            step, train_op = counting(tf, by)
            hooks = [tf.train.StopAtStepHook(**settings)]
            init = tf.group(tf.global_variables_initializer(), name="init")
            with tf.control_dependencies([init]):
                begin = tf.assign(step, start)
            scaffold = tf.train.Scaffold(init_op=begin)
            return train(tf, hooks, train_op, scaffold=scaffold)

    return {
        "last_step": trained(last_step=5),
        "num_steps": trained(num_steps=5),
        "num_steps from 7": trained(num_steps=5, start=7),
        "last_step from 3": trained(last_step=5, start=3),
        "reached": trained(last_step=5, start=5),
        "passed": trained(last_step=5, start=9),
        "nothing to do": trained(num_steps=0),
        "by threes": trained(last_step=5, by=3),
        "num_steps by threes": trained(num_steps=7, by=3),
        "neither": says("One of num_steps or last_step must be specified.", stop),
        "both": says("Only one of num_steps or last_step can be specified", stop, 1, 1),
        "no global step": without_step(tf, stop(1)),
    }


@question
def what_is_added_to_the_graph(tf):
    def nodes(make, resource=False):
        with tf.Graph().as_default():
            tf.get_variable("global_step", [], tf.int64, use_resource=resource, trainable=False)
            tf.add_to_collection("global_step", tf.global_variables()[0])
            first = added(tf, make())
            return first, added(tf, make())

    loss = tf.constant(1.0)
    tf.train.get_or_create_global_step()
    return {
        "stop": nodes(lambda: tf.train.StopAtStepHook(5)),
        "of a resource": nodes(lambda: tf.train.StopAtStepHook(5), True),
        "wait": nodes(lambda: tf.train.GlobalStepWaiterHook(5)),
        "count": nodes(lambda: tf.train.StepCounterHook()),
        "profile": nodes(lambda: tf.train.ProfilerHook(5, output_dir=folder())),
        "log": added(tf, tf.train.LoggingTensorHook([loss], 1)),
        "nan": added(tf, tf.train.NanTensorHook(loss)),
        "summary": nodes(lambda: tf.train.SummarySaverHook(1, None, folder(), None, None, "s:0")),
        "a plain tensor": _of_a_tensor(tf),
    }


def _of_a_tensor(tf):
    with tf.Graph().as_default():
        tf.placeholder_with_default(tf.constant(3, tf.int64), [], name="global_step")
        return added(tf, tf.train.StopAtStepHook(5))


@question
def logging_tensors(tf):
    def logged(tensors, runs=5, seconds=0.3, **settings):
        with clock_of(tf) as clock, log_of(tf) as lines:
            hook = tf.train.LoggingTensorHook(tensors, **settings)
            with tf.train.SingularMonitoredSession(hooks=[hook]) as sess:
                for _ in range(runs):
                    clock.pass_by(seconds)
                    sess.run(train_op)
        return lines

    step, train_op = counting(tf)
    loss = tf.constant(1.5, name="loss")
    small = tf.constant([0.00001, 2.0], name="small")
    text = tf.constant("words", name="text")
    tf.split([1, 2, 3, 4], 2, name="several")
    made = tf.train.LoggingTensorHook
    unknown = "refers to a Tensor which does not exist"
    either = "either at_end and/or exactly one of every_n_iter and every_n_secs"
    with tf.Graph().as_default():
        elsewhere = tf.constant(2.0)
    return {
        "a list": logged([loss, small], every_n_iter=2),
        "a dict": logged({"z": loss, "a": loss, "n": text}, every_n_iter=4),
        "names": logged(["loss", "loss:0", "several:1"], every_n_iter=9),
        "a tuple": logged((loss,), every_n_iter=9),
        "a variable": len(logged({"w": step}, every_n_iter=2)),
        "twice": logged([loss, loss], every_n_iter=9),
        "every second": logged({"loss": loss}, every_n_secs=1, runs=12),
        "at the end": logged({"loss": loss}, at_end=True),
        "at the end, too": logged({"loss": loss}, at_end=True, every_n_iter=3),
        "no run": logged({"loss": loss}, at_end=True, runs=0),
        "formatted": logged({"l": loss}, every_n_iter=3, formatter=lambda v: f"<{v['l']}> 5%d"),
        "formatted, a list": logged(
            ["loss"], every_n_iter=3, formatter=lambda values: repr(list(values))
        ),
        "an operation": logged({"op": loss.op}, every_n_iter=9),
        "neither": says(either, made, [loss]),
        "both": says(either, made, [loss], 1, 1),
        "both, at the end": says(either, made, [loss], 1, 1, True),
        "0": says("invalid every_n_iter=0", made, [loss], 0),
        "-1": says("invalid every_n_iter=-1", made, [loss], -1),
        "of another graph": says(
            "should have graph attribute that is equal to current graph",
            made([elsewhere], 1).begin,
        ),
        "unknown": says(unknown, made(["los"], 1).begin),
        "unknown output": says(
            "refers to a Tensor which does not exist", made(["loss:1"], 1).begin
        ),
        "of several": says("is ambiguous", made(["several"], 1).begin),
        "a number": says("", made([3], 1).begin),
    }


@question
def losses_that_are_no_number(tf):
    def trained(values, **settings):
        with tf.Graph().as_default(), log_of(tf) as lines:
            loss = tf.placeholder(tf.float32, [])
            hook = tf.train.NanTensorHook(loss, **settings)
            ran = 0
            try:
                with tf.train.SingularMonitoredSession(hooks=[hook]) as sess:
                    for value in values:
                        if not sess.should_stop():
                            sess.run(loss, {loss: value})
                            ran += 1
            except tf.train.NanLossDuringTrainingError as error:
                return ran, lines, str(error)[:24], isinstance(error, RuntimeError)
            return ran, lines

    nan = float("nan")
    return {
        "raises": trained([1.0, nan, 1.0]),
        "stops": trained([1.0, nan, 1.0], fail_on_nan_loss=False),
        "infinite": trained([1.0, float("inf"), 1.0]),
        "none": trained([1.0, 2.0]),
        "by itself": str(tf.train.NanLossDuringTrainingError()),
    }


@question
def waiting(tf):
    def waited(goal, start=0):
        with tf.Graph().as_default(), log_of(tf) as lines:
            step, train_op = counting(tf)
            init = tf.assign(step, start)
            hook = tf.train.GlobalStepWaiterHook(goal)
            ran = train(tf, [hook], train_op, 3, scaffold=tf.train.Scaffold(init_op=init))
            return ran, lines

    return {
        "for nothing": waited(0),
        "less": waited(-3),
        "reached": waited(5, 5),
        "passed": waited(5, 9),
        "no global step": without_step(tf, tf.train.GlobalStepWaiterHook(0)),
    }


@question
def final_operations(tf):
    def ended(make, feeds=None, fail=False, runs=2):
        with tf.Graph().as_default(), log_of(tf) as lines:
            step, train_op = counting(tf)
            x = tf.placeholder_with_default(1.0, [], name="x")
            numbers = tf.data.Dataset.range(2)
            iterator = tf.data.make_one_shot_iterator(numbers)
            value = iterator.get_next()
            final = tf.train.FinalOpsHook(
                make(step, x, value), None if feeds is None else {x: feeds}
            )
            before, error = final.final_ops_values, None
            try:
                with tf.train.SingularMonitoredSession(hooks=[final]) as sess:
                    for _ in range(runs):
                        sess.run([train_op, value])
                    if fail:
                        raise KeyError("a reason")
            except Exception as raised:
                error = type(raised).__name__
            return before, final.final_ops_values, error, [line.split()[0] for line in lines]

    return {
        "one": ended(lambda step, x, value: step),
        "a list": ended(lambda step, x, value: [step, x]),
        "a dict": ended(lambda step, x, value: {"step": step, "x": (x,)}),
        "nothing": ended(lambda step, x, value: None),
        "fed": ended(lambda step, x, value: 2 * x, feeds=5.0),
        "after an error": ended(lambda step, x, value: step, fail=True),
        "the end of the input": ended(lambda step, x, value: value),
        "an input that goes on": ended(lambda step, x, value: value, runs=1),
        "an operation": ended(lambda step, x, value: x.op),
    }


@question
def feeding(tf):
    x = tf.placeholder(tf.float32, [], name="x")
    y = tf.placeholder_with_default(2.0, [], name="y")
    product, numbers = x * y, iter([1.0, 2.0, 3.0])
    hook = tf.train.FeedFnHook(lambda: {x: next(numbers)})
    with tf.train.SingularMonitoredSession(hooks=[hook]) as sess:
        values = [sess.run(product), sess.run(product, {y: 10.0})]
        conflict = says("Conflict(s)", sess.run, x, {x: 1.0})
    with tf.train.SingularMonitoredSession(hooks=[tf.train.FeedFnHook(lambda: None)]) as sess:
        nothing = sess.run(y)
    empty = tf.train.FeedFnHook(dict)
    with tf.train.SingularMonitoredSession(hooks=[empty]) as sess:
        return {
            "values": values,
            "both": conflict,
            "None": nothing,
            "empty": sess.run(y),
            "the function": empty.feed_fn is dict,
        }
