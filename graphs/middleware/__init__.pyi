from .guards import BudgetMiddleware as BudgetMiddleware
from .guards import DuplicateCallMiddleware as DuplicateCallMiddleware
from .guards import ErrorRateMiddleware as ErrorRateMiddleware
from .guards import LoopMiddleware as LoopMiddleware
