"""One parameter server and two workers, on two machines."""

import tensorflow as tf

spec = tf.train.ClusterSpec(
    {
        "worker": ["one.example.org:4000", "two.example.org:4000"],
        "ps": ["one.example.org:4001"],
    }
)
for job in sorted(spec.jobs):
    print(job, spec.num_tasks(job), spec.job_tasks(job))
