from .guards import BudgetGuard as BudgetGuard
from .guards import DuplicateCallGuard as DuplicateCallGuard
from .guards import ErrorRateGuard as ErrorRateGuard
from .guards import LoopGuard as LoopGuard
