"""Servers and sessions across processes, in TensorFlow's own protocol.

Read in this order:

cluster_spec    who is in the cluster
master          the decisions of one task's master: sessions, steps, resets (no threads, no sockets)
master_session  one client's session on it
server          `tf.train.Server`: a master behind a port
remote_session  the other end: what `tf.Session("grpc://...")` does
grpc_transport  the only module that imports grpc
local_cluster   the processes of a small cluster on this machine

Importing this package, or `targets` (which makes "grpc://" known to sessions), imports no grpc.
"""
