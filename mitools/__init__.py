"""The image, its tools, and the machine's numbers.

`from mitools import Image` gives the image library; it is loaded when first used.
"""

from typing import Any

__all__ = ["Image"]


def __getattr__(name: str) -> Any:
    if name == "Image":
        from mitools.image.model import Image

        return Image
    raise AttributeError(f"module 'mitools' has no attribute {name!r}")
