"""Session hooks that save: checkpoints, counts, summaries, traces; when, and what they write."""

from tests.behaviour.asking import question, says
from tests.behaviour.questions._training import (
    clock_of,
    counting,
    events,
    files,
    folder,
    log_of,
    train,
    without_step,
)

# Checkpoints --------------------------------------------------------------------------------------


def listener_of(tf, calls, name="", stops_at=None):
    class Noting(tf.train.CheckpointSaverListener):
        def begin(self):
            calls.append(name + "begin")

        def before_save(self, session, global_step_value):
            calls.append((name + "before", int(global_step_value)))

        def after_save(self, session, global_step_value):
            calls.append((name + "after", int(global_step_value)))
            return stops_at is not None and global_step_value >= stops_at

        def end(self, session, global_step_value):
            calls.append((name + "end", int(global_step_value)))

    return Noting()


@question
def checkpoints(tf):
    def saved(by=1, runs=10, listeners=0, **settings):
        with tf.Graph().as_default():
            _, train_op = counting(tf, by)
            path, calls = folder(), []
            saver = tf.train.Saver(max_to_keep=0)
            given = [listener_of(tf, calls, f"{n} ") for n in range(listeners)]
            hook = tf.train.CheckpointSaverHook(path, saver=saver, listeners=given, **settings)
            ran = train(tf, [hook], train_op, runs)
            names = [name for name in files(path) if not name.endswith(("-00001", ".meta"))]
            return ran, names, calls, events(tf, path)

    with log_of(tf) as lines:
        logged = saved(save_steps=3, runs=4, listeners=1)
    return {
        "every 3": saved(save_steps=3),
        "by twos": saved(save_steps=3, by=2),
        "by sevens": saved(save_steps=10, by=7, runs=6),
        "every 5, ends with one": saved(save_steps=5),
        "no run": saved(save_steps=5, runs=0),
        "other names": saved(save_steps=5, runs=1, checkpoint_basename="net")[1],
        "without the graph": saved(save_steps=5, runs=1, save_graph_def=False)[1:],
        "two listeners": saved(save_steps=3, runs=4, listeners=2)[2],
        "its log": lines,
        "what was logged": logged,
    }


@question
def files_of_checkpoints(tf):
    _, train_op = counting(tf)
    path = folder()
    hook = tf.train.CheckpointSaverHook(path, save_steps=2, saver=tf.train.Saver())
    ran = train(tf, [hook], train_op, 3)
    state = tf.train.get_checkpoint_state(path)
    graph_def = tf.GraphDef()
    import google.protobuf.text_format as text_format

    with open(path + "/graph.pbtxt") as file:
        text_format.Parse(file.read(), graph_def)
    return {
        "ran": ran,
        "files": files(path),
        "latest": state.model_checkpoint_path.replace(path, ""),
        "all": [name.replace(path, "") for name in state.all_model_checkpoint_paths],
        "the graph has": [n.name for n in graph_def.node if n.name.startswith(("global", "save"))],
        "shapes": "_output_shapes" in graph_def.node[0].attr,
    }


@question
def checkpoints_by_seconds(tf):
    step, train_op = counting(tf)
    path, calls = folder(), []
    with clock_of(tf) as clock:
        hook = tf.train.CheckpointSaverHook(
            path, save_secs=10, saver=tf.train.Saver(), listeners=[listener_of(tf, calls)]
        )
        with tf.train.SingularMonitoredSession(hooks=[hook]) as sess:
            for _ in range(9):
                clock.pass_by(4)
                sess.run(train_op)
            clock.pass_by(100)
            for _ in range(3):  # nothing new to save
                sess.run(step)
    return {"calls": calls}


@question
def a_listener_stops(tf):
    _, train_op = counting(tf)
    calls = []
    listeners = [listener_of(tf, calls, "1 ", stops_at=4), listener_of(tf, calls, "2 ")]
    with log_of(tf) as lines:
        hook = tf.train.CheckpointSaverHook(
            folder(), save_steps=2, saver=tf.train.Saver(), listeners=listeners
        )
        ran = train(tf, [hook], train_op)
    asked = [line[:66] for line in lines if "requested" in line]
    with tf.Graph().as_default():
        _, train_op = counting(tf)
        at_once = [listener_of(tf, [], stops_at=0)]
        hook = tf.train.CheckpointSaverHook(
            folder(), save_steps=2, saver=tf.train.Saver(), listeners=at_once
        )
        of_first = train(tf, [hook], train_op)
    return {"ran": ran, "calls": calls, "says": asked, "at the first one": of_first}


@question
def savers_of_checkpoints(tf):
    hook = tf.train.CheckpointSaverHook
    counting(tf)
    saver, none = tf.train.Saver(), "No items in collection savers"

    def trained(in_collection=0, **settings):
        with tf.Graph().as_default():
            _, train_op = counting(tf)
            for _ in range(in_collection):
                tf.add_to_collection(tf.GraphKeys.SAVERS, tf.train.Saver())
            path, scaffold = folder(), tf.train.Scaffold()
            if not in_collection:
                settings["scaffold"] = scaffold
            train(tf, [hook(path, save_steps=5, **settings)], train_op, 2, scaffold=scaffold)
        return [name for name in files(path) if name.endswith(".index")]

    def by_itself(count):
        with tf.Graph().as_default():
            counting(tf)
            for _ in range(count):
                tf.add_to_collection(tf.GraphKeys.SAVERS, tf.train.Saver())
            alone = hook(folder(), save_steps=5)
            alone.begin()
            with tf.Session() as sess:
                alone.after_create_session(sess, None)

    return {
        "the scaffold's": trained(),
        "in the collection": trained(in_collection=1),
        "none": says(none, by_itself, 0),
        "two": says("More than one item in collection savers", by_itself, 2),
        "both": says(
            "You cannot provide both saver and scaffold.",
            hook,
            "f",
            save_steps=1,
            saver=saver,
            scaffold=tf.train.Scaffold(),
        ),
        "no time": says("Either every_secs or every_steps", hook, "f"),
        "both times": says("Can not provide both every_secs and every_steps", hook, "f", 1, 1),
        "no global step": without_step(tf, hook(folder(), save_steps=1)),
    }


# Counting -----------------------------------------------------------------------------------------


@question
def counting_steps(tf):
    def counted(by=1, runs=12, seconds=0.5, kind=None, **settings):
        with tf.Graph().as_default(), clock_of(tf) as clock, log_of(tf) as lines:
            _, train_op = counting(tf, by)
            path = folder()
            hook = tf.train.StepCounterHook(output_dir=path, **settings)
            with tf.train.SingularMonitoredSession(hooks=[hook]) as sess:
                for _ in range(runs):
                    clock.pass_by(seconds)
                    sess.run(kind or train_op)
            return lines, [each for each in events(tf, path) if each[0] == "summary"]

    hook, one = tf.train.StepCounterHook, "exactly one of every_n_steps and every_n_secs"
    with tf.Graph().as_default():
        tf.add_to_collection(
            "global_step", tf.get_variable("counter", [], tf.int64, trainable=False)
        )
        other = tf.train.StepCounterHook(output_dir=folder())
        other.begin()
    return {
        "every 5": counted(every_n_steps=5),
        "by threes": counted(by=3, every_n_steps=5),
        "by eights": counted(by=8, every_n_steps=5, runs=4),
        "every 2 seconds": counted(every_n_steps=None, every_n_secs=2),
        "by default": counted(runs=205),
        "neither": says(one, hook, None),
        "both": says(one, hook, every_n_secs=1),
        "no global step": without_step(tf, hook()),
    }


@question
def a_step_that_stands_still(tf):
    step = tf.train.get_or_create_global_step()
    with log_of(tf) as lines:
        train(tf, [tf.train.StepCounterHook(every_n_steps=1)], step, runs=9)
    start = "WARNING It seems that global step (tf.train.get_global_step) has not been increased"
    return {"warnings": sum(line.startswith(start) for line in lines)}


# Summaries, traces --------------------------------------------------------------------------------


@question
def summaries(tf):
    def saved(by=1, runs=7, count=1, seconds=1.0, as_scaffold=False, **settings):
        with tf.Graph().as_default(), clock_of(tf) as clock:
            _, train_op = counting(tf, by)
            made = [tf.summary.scalar(f"loss_{n}", 0.5 + n) for n in range(count)]
            path, given = folder(), made[0] if count == 1 else made
            scaffold = None
            if as_scaffold:
                scaffold, given = tf.train.Scaffold(), None
                settings["scaffold"] = scaffold
            hook = tf.train.SummarySaverHook(output_dir=path, summary_op=given, **settings)
            with tf.train.SingularMonitoredSession(hooks=[hook], scaffold=scaffold) as sess:
                for _ in range(runs):
                    clock.pass_by(seconds)
                    sess.run(train_op)
            return [each for each in events(tf, path) if "graph" not in str(each[0])]

    hook, one = tf.train.SummarySaverHook, "Exactly one of scaffold or summary_op"
    summary = tf.summary.scalar("a", 1.0)
    return {
        "every 3": saved(save_steps=3),
        "every one": saved(save_steps=1, runs=3),
        "by fours": saved(save_steps=6, by=4),
        "every 3 seconds": saved(save_secs=3),
        "two": saved(save_steps=3, count=2),
        "a scaffold's": saved(save_steps=3, as_scaffold=True),
        "a scaffold without": saved(save_steps=3, as_scaffold=True, count=0),
        "no run": saved(save_steps=3, runs=0),
        "no summary": says(one, hook, save_steps=1),
        "both": says(one, hook, 1, scaffold=tf.train.Scaffold(), summary_op=summary),
        "no time": says("Either every_secs or every_steps", hook, summary_op=summary),
        "both times": says("Can not provide both every_secs", hook, 1, 1, summary_op=summary),
        "no global step": without_step(tf, hook(1, output_dir=folder(), summary_op=summary)),
    }


@question
def writers_of_summaries(tf):
    _, train_op = counting(tf)
    summary = tf.summary.scalar("loss", 0.5)
    path = folder()
    writer = tf.summary.FileWriter(path)
    hook = tf.train.SummarySaverHook(2, summary_writer=writer, summary_op=summary)
    count = tf.train.StepCounterHook(every_n_steps=100, summary_writer=writer)
    train(tf, [hook, count], train_op, 3)
    return {"flushed": [each for each in events(tf, path) if "graph" not in str(each[0])]}


@question
def traces(tf):
    def traced(by=1, runs=12, seconds=1.0, **settings):
        with tf.Graph().as_default(), clock_of(tf) as clock, log_of(tf) as lines:
            _, train_op = counting(tf, by)
            path = folder()
            hook = tf.train.ProfilerHook(output_dir=path, **settings)
            with tf.train.SingularMonitoredSession(hooks=[hook]) as sess:
                for _ in range(runs):
                    clock.pass_by(seconds)
                    sess.run(train_op)
            told = [each for each in events(tf, path) if each[0] == "tagged_run_metadata"]
            return files(path), told, lines

    hook = tf.train.ProfilerHook
    return {
        "every 5": traced(save_steps=5),
        "by threes": traced(save_steps=5, by=3),
        "every 4 seconds": traced(save_secs=4),
        "never": traced(save_steps=100),
        "no time": says("Either every_secs or every_steps", hook, output_dir=folder()),
        "both times": says("Can not provide both every_secs", hook, 1, 1, folder()),
        "no global step": without_step(tf, hook(1, output_dir=folder())),
    }


@question
def after_a_recovery(tf):
    """A session that is lost, once, in the fourth run: what each hook does in the next one."""
    _, train_op = counting(tf)
    loss = tf.constant(0.5)
    tf.summary.scalar("loss", loss)
    path, calls = folder(), []

    class Losing(tf.train.SessionRunHook):
        runs = 0

        def begin(self):
            calls.append("begin")

        def after_create_session(self, session, coord):
            calls.append("created")

        def before_run(self, run_context):
            self.runs += 1
            if self.runs == 4:
                raise tf.errors.AbortedError(None, None, "a task is gone")

        def after_run(self, run_context, run_values):
            calls.append("run")

        def end(self, session):
            calls.append("end")

    with log_of(tf) as lines:
        hooks = [
            Losing(),
            tf.train.StopAtStepHook(num_steps=6),
            tf.train.LoggingTensorHook({"loss": loss}, every_n_iter=2),
        ]
        save = tf.train.CheckpointSaverHook(
            path, save_steps=2, saver=tf.train.Saver(), listeners=[listener_of(tf, calls)]
        )
        summary = tf.train.SummarySaverHook(2, output_dir=path, summary_op=tf.summary.merge_all())
        creator = tf.train.ChiefSessionCreator(checkpoint_dir=path)
        with tf.train.MonitoredSession(creator, [*hooks, save, summary]) as sess:
            while not sess.should_stop():
                calls.append(int(sess.run(train_op)))
    return {
        "calls": calls,
        "events": [each for each in events(tf, path) if "graph" not in str(each[0])],
        "graphs": sum("graph" in str(each[0]) for each in events(tf, path)),
        "the log of tensors": sum("INFO loss = " in line for line in lines),
    }
