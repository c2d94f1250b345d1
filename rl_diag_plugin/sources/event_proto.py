"""The part of TensorBoard's event messages that holds scalars, built at run time in a pool of its own.

Field numbers: tensorboard/compat/proto/{event,summary,tensor,tensor_shape}.proto. Strings are declared as bytes, which
are the same on the wire: a tag that is no UTF-8 must not cost the record.
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_F = descriptor_pb2.FieldDescriptorProto
_PACKAGE = "rl_diag.events"

# message → (name, number, type, repeated, in the oneof)
_MESSAGES: dict[str, tuple[tuple[str, int, int | str, bool, bool], ...]] = {
    "Event": (
        ("wall_time", 1, _F.TYPE_DOUBLE, False, False),
        ("step", 2, _F.TYPE_INT64, False, False),
        ("file_version", 3, _F.TYPE_BYTES, False, False),
        ("summary", 5, "Summary", False, False),
    ),
    "Summary": (("value", 1, "Value", True, False),),
    "Value": (
        ("tag", 1, _F.TYPE_BYTES, False, False),
        ("simple_value", 2, _F.TYPE_FLOAT, False, True),
        ("image", 4, _F.TYPE_BYTES, False, True),
        ("histo", 5, _F.TYPE_BYTES, False, True),
        ("audio", 6, _F.TYPE_BYTES, False, True),
        ("tensor", 8, "Tensor", False, True),
        ("metadata", 9, "Metadata", False, False),
    ),
    "Metadata": (("plugin_data", 1, "PluginData", False, False),),
    "PluginData": (("plugin_name", 1, _F.TYPE_BYTES, False, False),),
    "Tensor": (
        ("dtype", 1, _F.TYPE_INT32, False, False),
        ("tensor_shape", 2, "Shape", False, False),
        ("tensor_content", 4, _F.TYPE_BYTES, False, False),
        ("float_val", 5, _F.TYPE_FLOAT, True, False),
        ("double_val", 6, _F.TYPE_DOUBLE, True, False),
        ("int_val", 7, _F.TYPE_INT32, True, False),
        ("int64_val", 10, _F.TYPE_INT64, True, False),
        ("bool_val", 11, _F.TYPE_BOOL, True, False),
        ("half_val", 13, _F.TYPE_INT32, True, False),
        ("uint32_val", 16, _F.TYPE_UINT32, True, False),
        ("uint64_val", 17, _F.TYPE_UINT64, True, False),
    ),
    "Shape": (("dim", 2, "Dim", True, False), ("unknown_rank", 3, _F.TYPE_BOOL, False, False)),
    "Dim": (("size", 1, _F.TYPE_INT64, False, False),),
}


def _file() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(name="rl_diag/events.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        if any(field[4] for field in fields):
            message.oneof_decl.add(name="kind")
        for field_name, number, kind, repeated, alternative in fields:
            field = message.field.add(name=field_name, number=number, label=_F.LABEL_REPEATED if repeated else _F.LABEL_OPTIONAL)
            if isinstance(kind, str):
                field.type, field.type_name = _F.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"
            else:
                field.type = kind  # type: ignore[assignment]
            if alternative:
                field.oneof_index = 0
    return file


def _event_class() -> Any:
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(_file().SerializeToString())
    descriptor = pool.FindMessageTypeByName(f"{_PACKAGE}.Event")
    factory: Any = message_factory
    if hasattr(factory, "GetMessageClass"):
        return factory.GetMessageClass(descriptor)
    return factory.MessageFactory(pool).GetPrototype(descriptor)  # protobuf before 4.22


Event: Any = _event_class()
