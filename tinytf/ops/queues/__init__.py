"""Queues and their kin as operations, and the classes that people use.

queue_ops.py      the op types of queues
queue_base.py     `tf.QueueBase`: enqueue, dequeue, close
queue_classes.py  `tf.FIFOQueue`, `tf.RandomShuffleQueue`, `tf.PaddingFIFOQueue`, `tf.PriorityQueue`
old_queue_ops.py  op types of queues in graphs of old programs

accumulator_ops.py, accumulator_classes.py  `tf.ConditionalAccumulator`, and its sparse form
mutex_ops.py, critical_section.py           `tf.CriticalSection`
barrier_ops.py                              `Barrier`
staging_ops.py, staging_classes.py          `StagingArea`, `MapStagingArea`
"""
