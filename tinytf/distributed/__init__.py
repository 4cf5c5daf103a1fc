"""Servers and sessions across processes, in TensorFlow's own protocol.

Read in this order:

cluster_spec    who is in the cluster
client/         what `tf.Session("grpc://...")` does: a session on the master of a server
master/         a client's session on a server: placed, cut into parts by task, run by all of them
worker/         what every task does: it runs parts, and hands tensors to other tasks
server          `tf.train.Server`: a master and a worker behind a port; services: what they answer
peers           the other tasks, as one task sees them; calls: to several of them at once
wire/           messages, bytes, connections, errors, and faults on purpose; `grpc_server` and
                `grpc_client` are the only modules that import grpc
inspection      looking into a server; views: what there is to be seen; limits, tls: who may do what
local_cluster/  the processes of a small cluster on this machine
console/        cells of a notebook that run in these processes

Importing this package, or `targets` (which makes "grpc://" known to sessions), imports no grpc.
"""
