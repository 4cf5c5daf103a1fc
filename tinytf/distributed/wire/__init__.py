"""The wire: messages, bytes, connections, errors and faults. Only `grpc_transport` knows gRPC."""
