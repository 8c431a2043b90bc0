from .create import PlanActGraph as PlanActGraph
from .create import create_plan_act_graph as create_plan_act_graph
