"""The wire: messages, bytes, connections, errors and faults. Only `grpc_*` know gRPC."""
