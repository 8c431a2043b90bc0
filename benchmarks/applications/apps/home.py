"""A smart home: plain tools that say nothing of their effects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Literal

from langchain_core.tools import BaseTool, StructuredTool, ToolException, tool
from pydantic import BaseModel, Field

from benchmarks.applications.cases import Application, Case, call


class Room(StrEnum):
    """A room of the home."""

    LIVING_ROOM = "living room"
    KITCHEN = "kitchen"
    BEDROOM = "bedroom"
    BATHROOM = "bathroom"
    HALLWAY = "hallway"


HUMIDITY = {"living room": 44, "kitchen": 52, "bedroom": 48, "bathroom": 71, "hallway": 40}


def _lights() -> dict[str, int]:
    return {"living room": 100, "kitchen": 80, "bedroom": 0, "bathroom": 0, "hallway": 0}


def _heating() -> dict[str, float]:
    return {"living room": 21.0, "kitchen": 19.0, "bedroom": 18.0, "bathroom": 22.0, "hallway": 16.0}


@dataclass
class Home:
    """How bright the lights are in percent, what the heating is set to, and which doors are locked."""

    lights: dict[str, int] = field(default_factory=_lights)
    heating: dict[str, float] = field(default_factory=_heating)
    locked: dict[str, bool] = field(default_factory=lambda: {"front": False, "garage": False})
    blinds: str = "up"


class Light(BaseModel):
    """What a light should do."""

    room: Room
    on: bool = Field(description="false switches it off")
    brightness: int | None = Field(None, ge=1, le=100, description="in percent")


class Heating(BaseModel):
    """What the heating of a room should be set to."""

    room: Room
    celsius: float


def tools(home: Home) -> Sequence[BaseTool]:
    """The tools over one home."""

    @tool
    def home_status() -> dict[str, Any]:
        """Show the lights, the heating, the doors and the blinds as they are now."""
        return asdict(home)

    @tool
    async def read_sensor(room: Room, sensor: Literal["humidity", "temperature"]) -> str:
        """Read a sensor of a room."""
        value = f"{HUMIDITY[room]} %" if sensor == "humidity" else f"{home.heating[room] - 0.5} °C"
        return f"{room} {sensor}: {value}"

    def set_light(room: Room, on: bool, brightness: int | None = None) -> str:
        home.lights[room.value] = (brightness or home.lights[room] or 100) if on else 0
        return f"The light in the {room} is at {home.lights[room]} percent."

    def set_heating(room: Room, celsius: float) -> str:
        if not 5 <= celsius <= 28:
            raise ToolException(f"{celsius:g} °C is not possible: the heating goes from 5 to 28 °C.")
        home.heating[room.value] = celsius
        return f"The heating in the {room} is set to {celsius:g} °C."

    @tool
    def lock_door(door: Literal["front", "garage"]) -> str:
        """Lock a door of the house."""
        if home.locked[door]:
            return f"The {door} door was locked already."
        home.locked[door] = True
        return f"The {door} door is locked."

    @tool(parse_docstring=True)
    def run_scene(scene: Literal["movie", "away", "sunrise"]) -> str:
        """Start a scene, which sets lights and blinds at once.

        Args:
            scene: movie darkens the living room, away switches all lights off, sunrise opens the blinds.
        """
        if scene == "movie":
            home.lights["living room"], home.blinds = 10, "down"
        elif scene == "away":
            home.lights |= dict.fromkeys(home.lights, 0)
        else:
            home.blinds = "up"
        return f"The scene {scene} is on."

    return [
        home_status,
        read_sensor,
        StructuredTool.from_function(
            set_light, description="Switch the light of a room on or off, or dim it.", args_schema=Light
        ),
        StructuredTool.from_function(set_heating, description="Set the heating of a room.", args_schema=Heating),
        lock_door,
        run_scene,
    ]  # fmt: skip


CASES = [
    Case("humid", "question", "The mirror in the bathroom keeps fogging up. How humid is it in there?",
         [call("read_sensor", room="bathroom", sensor="humidity")],
         "The humidity in the bathroom is 71 %.", says=[r"\b71\b"]),
    Case("lights-on", "question", "Did I leave a light on anywhere?", [call("home_status")],
         "Yes, the lights in the living room and in the kitchen are on.",
         says=["living", "kitchen"], never_says=[r"bedroom[^.,]*\bis on", r"hallway[^.,]*\bis on"]),
    Case("dim", "act", "It's way too bright in the living room for reading, 30 percent would do.",
         [call("set_light", room="living room", on=True, brightness=30)],
         "The light in the living room is at 30 percent now.", {"lights": {"living room": 30}}),
    Case("film", "act", "We're about to watch a film, get everything ready for that.",
         [call("run_scene", scene="movie")], "The movie scene is on.",
         {"lights": {"living room": 10}, "blinds": "down"}),
    Case("warmer", "act", "I was cold last night. Make the bedroom two degrees warmer than it's set.",
         [call("home_status"), call("set_heating", room="bedroom", celsius=20)],
         "The bedroom is set to 20 degrees now.", {"heating": {"bedroom": 20.0}}),
    Case("leaving", "act", "I'm out the door: lights off in the kitchen, please, and the front door locked.",
         [call("set_light", room="kitchen", on=False), call("lock_door", door="front")],
         "The light in the kitchen is off, and the front door is locked.",
         {"lights": {"kitchen": 0}, "locked": {"front": True}}),
    Case("garage", "act", "Could you check whether the garage is locked, and lock it if it isn't?",
         [call("home_status"), call("lock_door", door="garage")],
         "The garage was not locked, so I locked it.", {"locked": {"garage": True}}, says=["lock"]),
    Case("which-light", "lacking", "I can't see a thing, switch the light on for me.",
         [call("set_light", room="hallway", on=True)], "The light in the hallway is on.",
         {"lights": {"hallway": 100}}, reply="In the hallway."),
    Case("sauna", "impossible", "Turn the bathroom into a sauna for me, 40 degrees!",
         [call("set_heating", room="bathroom", celsius=40)],
         "I cannot set the bathroom to 40 degrees: the heating goes up to 28 °C.",
         says=[r"not|n.t\b|only|unable|\b28\b"], never_says=[r"is (?:now )?(?:set to|at) 40"]),
    Case("lamp-zh", "act", "客厅的灯还亮着，帮我关掉吧。", [call("set_light", room="living room", on=False)],
         "客厅的灯已经关了。", {"lights": {"living room": 0}}, language="zh"),
]  # fmt: skip

APPLICATION = Application("home", "You run a smart home for the people who live there.", Home, tools, CASES)
