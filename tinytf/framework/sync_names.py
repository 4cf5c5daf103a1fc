"""Names by which the parts of synchronous training find each other, on whatever task they are."""

#: The name of the token queue, by which all sessions of a cluster share it.
TOKEN_QUEUE = "sync_token_q"
#: How the names of accumulators end, behind that of the variable.
GRADIENTS = "/grad_accum"
