"""The benchmark client for Pillow, with the command line of `BenchmarkOptions`: the workload image-thumbnail.

    image_pillow.py make FILE      writes the photo of the workload
"""

import argparse
import io
import json
import resource
import sys
import time

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


def peak_bytes() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


def main() -> int:
    if sys.argv[1:2] == ["make"]:
        make(sys.argv[2])
        return 0
    parser = argparse.ArgumentParser()
    parser.add_argument("workload")
    parser.add_argument("--file", required=True)
    for name in ("--requests", "--warm-up", "--expect"):
        parser.add_argument(name, type=int, default=1)
    options = parser.parse_args()
    with open(options.file, "rb") as file:
        document = file.read()
    for _ in range(options.warm_up):
        once(document)
    errors = 0
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    for _ in range(options.requests):
        errors += once(document) != options.expect
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({
        "client": "pillow", "workload": options.workload, "count": options.requests, "errors": errors,
        "wallSeconds": wall, "userSeconds": after.ru_utime - before.ru_utime,
        "systemSeconds": after.ru_stime - before.ru_stime, "contextSwitches": after.ru_nvcsw - before.ru_nvcsw,
        "peakBytes": peak_bytes(),
    }))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
