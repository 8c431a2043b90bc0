from .assistant import Assistant as Assistant
