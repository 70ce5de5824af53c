"""The benchmark client for Pillow: the workload image-thumbnail.

    image_pillow.py make FILE      writes the photo of the workload
"""

import io
import sys

import local_run
from PIL import Image

SIZE = (4000, 3000)
FITS = (320, 240)


def once(document: bytes) -> int:
    image = Image.open(io.BytesIO(document))
    image.draft("RGB", FITS)
    image.thumbnail(FITS)
    return image.width * image.height


def make(path: str):
    """A photo by its size and its entropy: colors that change slowly, with the noise of a sensor."""
    bands = [Image.linear_gradient("L").rotate(90 * turn).resize(SIZE) for turn in range(3)]
    photo = Image.merge("RGB", bands)
    noise = Image.merge("RGB", [Image.effect_noise(SIZE, 40) for _ in range(3)])
    Image.blend(photo, noise, 0.3).save(path, "JPEG", quality=85)


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        make(sys.argv[2])
    else:
        sys.exit(local_run.main("pillow", once))
