from .plan_act.create import PlanActGraph as PlanActGraph
from .plan_act.create import create_plan_act_graph as create_plan_act_graph
from .reflection.create import ReflectionGraph as ReflectionGraph
from .reflection.create import create_reflection_graph as create_reflection_graph
from .reflection.create import reflection_modes as reflection_modes
from .reflection.create import register_reflection_mode as register_reflection_mode
from .reflection.pair import pair_graphs as pair_graphs
