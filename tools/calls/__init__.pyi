from .executor import ToolExecutor as ToolExecutor
from .idempotency import idempotency_key as idempotency_key
from .results import ToolResult as ToolResult
