"""Ends a batch whose models all refuse their keys."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel

from ...errors import ModelSetupError
from ...models.named import unwrapped
from ...models.streams.answers import provider_said, status_of
from ...models.transport import is_refused_key

_IN_A_ROW = 3
"""Requests that a provider forbids before it is the key that it refuses, and not what they say."""


class KeyWatch:
    """Notes that no model has a key which its provider takes, so that a batch ends at its first tasks.

    One model that answers is enough to go on, as in a cascade. A provider may also forbid a single request, as over
    what it says: that costs one task.
    """

    def __init__(self, *models: BaseChatModel | str) -> None:
        # One that is a name is opened by workers. One with fallbacks may go on without its key.
        watched = [unwrapped(each, fallbacks=False) for each in models]
        self._keys = [_Key() for _ in watched]
        for model, key in zip(watched, self._keys, strict=True):
            if isinstance(model, BaseChatModel):
                callbacks = model.callbacks if isinstance(model.callbacks, list) else []
                model.callbacks = [*callbacks, key]

    def check(self) -> None:
        """End the batch if every key was refused.

        Raises:
            ModelSetupError: each of them was; it tells the first refusal.
        """
        refused = [key.refused for key in self._keys if key.refused]
        if refused and len(refused) == len(self._keys):
            raise ModelSetupError(f"the provider refused the key: {provider_said(refused[0])}") from refused[0]


class _Key(BaseCallbackHandler):
    """What a model's provider makes of its key.

    Attributes:
        refused: the error over it; None if the provider takes it, or has not been asked.
    """

    refused: BaseException | None = None

    def __init__(self) -> None:
        self._answered = False
        self._forbidden = 0

    def on_llm_end(self, response: Any, **_: Any) -> None:
        """Note that the provider takes the key."""
        self.refused, self._answered = None, True

    def on_llm_error(self, error: BaseException, **_: Any) -> None:
        """Keep a refusal of the key."""
        if not is_refused_key(error):
            return
        self._forbidden += 1
        if status_of(error) != 403 or (not self._answered and self._forbidden >= _IN_A_ROW):
            self.refused = error
