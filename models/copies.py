"""Copies of models with other fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from pydantic import BaseModel


def allowed(model: Any, field: str, value: Any) -> Any:
    """A value, or the highest that the model's class allows: a copy is not validated."""
    known = type(model).model_fields if isinstance(model, BaseModel) and isinstance(value, (int, float)) else {}
    limits = known[field].metadata if field in known else []
    return min([value, *(one.le for one in limits if getattr(one, "le", None) is not None)]) if limits else value


def copied(model: Any, fields: Mapping[str, Any]) -> Any:
    """A model with other fields; what it keeps to itself, such as a count of its calls, is that of the original."""
    copy = model.model_copy(update=fields)
    # By what LangChain keeps there a cache knows the model: of a copy it has to be made anew.
    vars(copy).pop("_serialized", None)
    # pydantic copies what it keeps in slots, its private attributes among it, and leaves out those of the class.
    _, slots = cast("tuple[Any, dict[str, Any]]", object.__getstate__(model))
    for name, kept in slots.items():
        if name not in ("__pydantic_fields_set__", "__pydantic_extra__"):
            object.__setattr__(copy, name, kept)
    return copy
