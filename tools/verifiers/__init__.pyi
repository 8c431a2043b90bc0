from .command import CommandVerifier as CommandVerifier
from .human import HumanVerifier as HumanVerifier
from .json_schema import JSONSchemaVerifier as JSONSchemaVerifier
from .service import HTTPVerifier as HTTPVerifier
from .tool import ToolVerifier as ToolVerifier
