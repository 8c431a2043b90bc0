from .critique import critique_parser as critique_parser
from .loop import ReflectionLoop as ReflectionLoop
from .reflect import reflection_parser as reflection_parser
