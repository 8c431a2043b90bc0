from .examples import PlanExample as PlanExample
from .examples import ToolExample as ToolExample
from .files import save_file as save_file
from .python_tests import PythonTests as PythonTests
from .solver import solver_tool as solver_tool
from .verdict import FormattedVerifier as FormattedVerifier
from .verdict import Verdict as Verdict
from .verdict import Verifier as Verifier
