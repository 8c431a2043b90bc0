from .limits import CheckFailure as CheckFailure
from .limits import SandboxLimits as SandboxLimits
from .limits import SandboxVerdict as SandboxVerdict
from .running import arun as arun
from .running import arun_project as arun_project
from .running import run as run
from .running import run_project as run_project
