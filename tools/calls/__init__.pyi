from .executor import ToolExecutor as ToolExecutor
from .idempotency import idempotency_key as idempotency_key
from .required import Missing as Missing
from .required import Told as Told
from .results import ToolResult as ToolResult
