from .checkpoints import Checkpoints as Checkpoints
from .open import open_checkpoints as open_checkpoints
from .sqlite import SqliteCheckpoints as SqliteCheckpoints
