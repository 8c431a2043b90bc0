from .create import ReflectionGraph as ReflectionGraph
from .create import create_reflection_graph as create_reflection_graph
from .create import reflection_modes as reflection_modes
from .create import register_reflection_mode as register_reflection_mode
from .pair import pair_graphs as pair_graphs
