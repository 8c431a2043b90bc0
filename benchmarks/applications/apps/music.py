"""A music service and the playlists of one listener: plain functions that return dicts, and raise for unknown ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.tools import BaseTool, ToolException, tool

from benchmarks.applications.cases import Application, Case, Like, call

TRACKS = {
    "t101": ("Paper Boats", "Mira Sol", "folk"),
    "t102": ("Rainy Tuesday", "Mira Sol", "folk"),
    "t103": ("Northern Lights", "The Hollow Pines", "indie"),
    "t104": ("Gold Rush", "Juno Park", "pop"),
    "t105": ("Slow Morning", "Elias Trent", "jazz"),
    "t106": ("Kitchen Radio", "Elias Trent", "jazz"),
    "t107": ("Run the Bridge", "DJ Okapi", "electronic"),
    "t108": ("Neon Avenue", "DJ Okapi", "electronic"),
    "t109": ("Basil and Thyme", "The Copper Pans", "soul"),
    "t110": ("Quiet Hours", "Hana Ito", "ambient"),
    "t111": ("Dance Until Five", "Juno Park", "pop"),
}
FILLERS = {"by", "the", "song", "track", "from"}


def _playlists() -> dict[str, dict[str, Any]]:
    rows = [
        ("p1", "Sunday Cooking", False, ["t102", "t105", "t106", "t109", "t101"]),
        ("p2", "Running", False, ["t107", "t108"]),
        ("p3", "Focus", False, ["t110"]),
        ("p4", "Lena's Party", True, ["t111", "t104", "t108"]),
    ]
    return {
        number: {"name": name, "public": public, "tracks": {one: TRACKS[one][0] for one in tracks}}
        for number, name, public, tracks in rows
    }


@dataclass
class Music:
    """The playlists, whose tracks have no order, and the timer; 0 is no timer."""

    playlists: dict[str, dict[str, Any]] = field(default_factory=_playlists)
    sleep_timer: int = 0

    def playlist(self, number: str) -> dict[str, Any]:
        """A playlist that there is."""
        if number not in self.playlists:
            raise ToolException(f"Playlist {number!r} not found.")
        return self.playlists[number]


def _track(number: str) -> dict[str, str]:
    title, artist, genre = TRACKS[number]
    return {"track_id": number, "title": title, "artist": artist, "genre": genre}


def tools(music: Music) -> Sequence[BaseTool]:
    """The tools over one listener's account."""

    @tool
    def search_tracks(query: str) -> list[dict[str, str]]:
        """Search the catalog by title, artist or genre."""
        words = {*query.casefold().split()} - FILLERS
        return [_track(one) for one, told in TRACKS.items() if all(word in " ".join(told).casefold() for word in words)]

    @tool
    def get_my_playlists() -> list[dict[str, Any]]:
        """Get all playlists of the user with their ids and the number of tracks."""
        return [
            {"playlist_id": number, "name": one["name"], "public": one["public"], "track_count": len(one["tracks"])}
            for number, one in music.playlists.items()
        ]

    @tool
    async def get_playlist_tracks(playlist_id: str) -> list[dict[str, str]]:
        """Get the tracks of a playlist."""
        return [_track(one) for one in music.playlist(playlist_id)["tracks"]]

    @tool
    def create_playlist(name: str, public: bool = False) -> dict[str, Any]:
        """Create a new, empty playlist.

        Args:
            name: the name of the playlist
            public: whether others can see it
        """
        number = f"p{len(music.playlists) + 1}"
        music.playlists[number] = {"name": name, "public": public, "tracks": {}}
        return {"playlist_id": number, "name": name}

    @tool
    def add_track_to_playlist(playlist_id: str, track_id: str) -> dict[str, Any]:
        """Add a track to a playlist.

        Args:
            playlist_id: the id of the playlist
            track_id: the id of the track, from the search
        """
        playlist = music.playlist(playlist_id)
        if track_id not in TRACKS:
            raise ToolException(f"Track {track_id!r} not found.")
        playlist["tracks"][track_id] = TRACKS[track_id][0]
        return {"playlist": playlist["name"], "added": TRACKS[track_id][0]}

    @tool
    def remove_track_from_playlist(playlist_id: str, track_id: str) -> dict[str, Any]:
        """Remove a track from a playlist.

        Args:
            playlist_id: the id of the playlist
            track_id: the id of the track
        """
        playlist = music.playlist(playlist_id)
        if track_id not in playlist["tracks"]:
            raise ToolException(f"Track {track_id!r} is not in {playlist['name']}.")
        return {"playlist": playlist["name"], "removed": playlist["tracks"].pop(track_id)}

    @tool
    def set_sleep_timer(minutes: int) -> dict[str, int]:
        """Stop the music after some minutes. 0 turns the timer off."""
        if minutes < 0:
            raise ToolException("minutes must not be negative.")
        music.sleep_timer = minutes
        return {"stops_in_minutes": minutes}

    return [
        search_tracks,
        get_my_playlists,
        get_playlist_tracks,
        create_playlist,
        add_track_to_playlist,
        remove_track_from_playlist,
        set_sleep_timer,
    ]


CASES = [
    Case("count", "question", "How many songs are on my cooking playlist?", [call("get_my_playlists")],
         "There are 5 songs on Sunday Cooking.", says=[r"\b5\b|\bfive\b"]),
    Case("boats", "question", "Who sings Paper Boats?", [call("search_tracks", query="Paper Boats")],
         "Paper Boats is by Mira Sol.", says=["mira sol"]),
    Case("running", "act", "Add Northern Lights by The Hollow Pines to my running playlist.",
         [call("search_tracks", query="Northern Lights"), call("get_my_playlists"),
          call("add_track_to_playlist", playlist_id="p2", track_id="t103")],
         "Northern Lights is on your Running playlist now.",
         {"playlists": {"p2": {"tracks": {"t103": "Northern Lights"}}}}),
    Case("rainy", "act", "Please take Rainy Tuesday off the cooking playlist, I've heard it too often.",
         [call("get_my_playlists"), call("get_playlist_tracks", playlist_id="p1"),
          call("remove_track_from_playlist", playlist_id="p1", track_id="t102")],
         "Rainy Tuesday is off your Sunday Cooking playlist.",
         {"playlists": {"p1": {"tracks": {"t102": None}}}}),
    Case("trip", "act", "Make a new playlist called Road Trip and put Gold Rush on it.",
         [call("search_tracks", query="Gold Rush"), call("create_playlist", name="Road Trip"),
          call("add_track_to_playlist", playlist_id="p5", track_id="t104")],
         "Your new playlist Road Trip has Gold Rush on it.",
         {"playlists": {"p5": {"name": Like("^road trip$"), "public": False, "tracks": {"t104": "Gold Rush"}}}}),
    Case("morning", "lacking", "Can you add Slow Morning to my playlist?",
         [call("search_tracks", query="Slow Morning"), call("get_my_playlists"),
          call("add_track_to_playlist", playlist_id="p3", track_id="t105")],
         "Slow Morning is on your Focus playlist now.",
         {"playlists": {"p3": {"tracks": {"t105": "Slow Morning"}}}}, reply="To the Focus one, please."),
    Case("glass", "impossible", "Put Glass Mountain by the Night Owls on my party playlist.",
         [call("search_tracks", query="Glass Mountain")],
         "I could not find Glass Mountain by the Night Owls in the catalog.",
         says=[r"\bnot?\b|n.t\b|cannot|unable|nothing"],
         never_says=[r"glass mountain.{0,30} (?:(?:is|was) (?:now )?(?:on|added)|has been added)|^i (?:have )?added"]),
    Case("timer-de", "act", "Mach die Musik bitte in 45 Minuten aus.", [call("set_sleep_timer", minutes=45)],
         "Die Musik geht in 45 Minuten aus.", {"sleep_timer": 45}, language="de"),
]  # fmt: skip

APPLICATION = Application("music", "You help a listener of a music service with their playlists.", Music, tools, CASES)
