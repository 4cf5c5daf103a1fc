"""TensorFlow's messages under a package name of our own.

Messages, fields, field numbers and enum values are TensorFlow's, so serialised bytes and text
format are interchangeable with it. Only the package (`tinytf` instead of `tensorflow`) and the
file names differ, which lets both libraries live in one process. A field that is not declared
here survives parsing and serialising as an unknown field.

Import the module you need; this package imports none of them:

    from tinytf.protos import graph_pb2
    graph = graph_pb2.GraphDef.FromString(data)

=========================  =====================================================================
module                     holds
=========================  =====================================================================
tensor_pb2                 DataType (DT_FLOAT ...), TensorShapeProto, TensorProto,
                           ResourceHandleProto, NamedTensorProto, TensorSliceProto
node_def_pb2               AttrValue, NameAttrList, NodeDef, FullTypeDef
op_def_pb2                 OpDef, OpList; KernelDef, KernelList
graph_pb2                  GraphDef, VersionDef, FunctionDefLibrary, FunctionDef, GradientDef,
                           GraphDebugInfo
error_codes_pb2            Code (OK, CANCELLED ...)
device_attributes_pb2      DeviceAttributes, DeviceLocality
step_stats_pb2             StepStats, DeviceStepStats, NodeExecStats, CostGraphDef
cluster_pb2                ClusterDef, JobDef, ClusterDeviceFilters
config_pb2                 ConfigProto, GPUOptions, GraphOptions, OptimizerOptions, RewriterConfig,
                           RPCOptions, ThreadPoolOptionProto, RunOptions, RunMetadata,
                           CallableOptions, TensorConnection, DebugOptions
tensorflow_server_pb2      ServerDef
master_pb2, worker_pb2     the requests and responses of the two services; GrpcPayloadContainer
meta_graph_pb2             MetaGraphDef, SignatureDef, CollectionDef, SavedModel; VariableDef,
                           SaveSliceInfoDef, SaverDef, QueueRunnerDef, CondContextDef,
                           WhileContextDef
checkpoint_pb2             BundleHeaderProto, BundleEntryProto, SavedTensorSlices,
                           CheckpointState
summary_pb2                Summary, HistogramProto, Event, SessionLog
example_pb2                Example, SequenceExample, Feature
=========================  =====================================================================

After changing a `.proto` file run `scripts/protos` (`scripts/protos --check` tells whether the
generated modules are up to date).
"""
