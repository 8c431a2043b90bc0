from .executor import ToolExecutor as ToolExecutor
from .executor import ToolResult as ToolResult
from .idempotency import idempotency_key as idempotency_key
