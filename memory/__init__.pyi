from .failure_memory import FailureMemory as FailureMemory
from .failure_memory import open_failure_memory as open_failure_memory
from .lessons import Lesson as Lesson
from .lessons import Memory as Memory
