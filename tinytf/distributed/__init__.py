"""Servers and sessions across processes, in TensorFlow's own protocol.

From what stands on the rest down to what the rest stands on; each imports only what is below it:

launcher/       a script, started once for each task; who dies is started again
local_cluster/  the processes of a small cluster on this machine
console/        cells of a notebook that run in these processes
server/         `tf.train.Server`: a master and a worker behind a port, and what can be seen of them
client/         what `tf.Session("grpc://...")` does: a session on the master of a server
master/         a client's session on a server: placed, cut into parts by task, run by all of them
worker/         what every task does: it runs parts, and hands tensors to other tasks
tasks/          what these two share: the local runtime, the other tasks, what one asks of the other
inspection      looking into a server: `look`
wire/           messages, bytes, connections, errors, and faults on purpose; `transport` says what a
                connection is, `grpc_server` and `grpc_client` are the only modules that import grpc
cluster/        who is in a cluster: `tf.train.ClusterSpec`, names, addresses, ports
limits, tls     what a server takes on, and from whom: `Limits`, `Credentials`

Master and worker do not import each other. Importing this package, or `client.targets` (which makes
"grpc://" known to sessions), imports no grpc.
"""
