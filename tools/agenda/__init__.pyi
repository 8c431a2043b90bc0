from .agenda import Agenda as Agenda
from .appointments import Appointment as Appointment
from .items import Todo as Todo
from .tools import schedule_tool as schedule_tool
from .tools import todo_tool as todo_tool
