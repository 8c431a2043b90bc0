from .error_rate import ErrorRateMiddleware as ErrorRateMiddleware
from .guards import BudgetMiddleware as BudgetMiddleware
from .guards import DuplicateCallMiddleware as DuplicateCallMiddleware
from .guards import LoopMiddleware as LoopMiddleware
from .guidance import GuidanceMiddleware as GuidanceMiddleware
from .verify import VerifyMiddleware as VerifyMiddleware
