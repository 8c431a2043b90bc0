"""JSON in loose replies: how it is found, mended, held to a type, and put together from several replies."""
