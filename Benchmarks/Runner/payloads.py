"""The bodies that servers and clients send. Made once per run; the JSON is the same on every machine."""

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

TINY = b"Hello, World!"
RECORD_COUNT = 435
LARGE_BYTES = 256_000_000
LARGE_BYTES_QUICK = 64_000_000
PIECE_BYTES = 16 << 20  # more than a cache in memory stores, and less than one on disk does
FIRST_NAMES = ["Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald", "Margaret", "Dennis", "Frances", "Niklaus"]
LAST_NAMES = ["Lovelace", "Hopper", "Turing", "Dijkstra", "Liskov", "Knuth", "Hamilton", "Ritchie", "Allen", "Wirth"]
CITIES = ["Austin", "Zürich", "Kyoto", "Nairobi", "Lima", "Oslo", "Perth"]


# The JSON documents that are parsed without network: suffix of the workload, file, number of
# elements.
DOCUMENTS = {
    "": ("records.json", RECORD_COUNT),
    "-texts": ("texts.json", 400),
    "-structure": ("structure.json", 900),
    "-doubles": ("doubles.json", 40),
}


@dataclass
class Payloads:
    """The folder with the files, and the size of the large one."""

    folder: Path
    large_bytes: int

    @property
    def large(self) -> Path:
        return self.folder / "large.bin"

    @property
    def download_target(self) -> Path:
        return self.folder / "downloaded.bin"


def records() -> bytes:
    """About 100 KB of JSON: a flat array of flat objects."""
    rows = []
    for index in range(RECORD_COUNT):
        first, last = FIRST_NAMES[index % 10], LAST_NAMES[(index // 10) % 10]
        scrambled = (index * 2654435761) % 2**32
        rows.append({
            "id": index,
            "guid": f"{scrambled:08x}-{index:04x}-4{index % 4096:03x}-a{scrambled % 4096:03x}-{scrambled * 4093:012x}"[:36],
            "name": f"{first} {last}",
            "email": f"{first.lower()}.{last.lower()}.{index}@example.com",
            "city": CITIES[index % len(CITIES)],
            "zip": f"{10000 + scrambled % 80000}-{index:04}",
            "balance": scrambled % 1_000_000 / 100,
            "age": 18 + scrambled % 70,
            "active": scrambled % 3 != 0,
            "registered": f"20{10 + index % 15}-{1 + index % 12:02}-{1 + scrambled % 28:02}T{index % 24:02}:30:00Z",
        })
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode()


def packed(value) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def scrambled(index: int, bits: int = 32) -> int:
    """A number that looks random and is the same on every machine."""
    return ((index + 1) * 0x9E3779B97F4A7C15 % 2**64) >> (64 - bits)


WORDS = ["花が", "咲いた", "日本語の", "テキスト", "を読む", "bluebonnet", "\u00e9t\u00e9", "новости", "한국어", "😀", "say", "the"]


def texts() -> bytes:
    """About 550 KB like the response of a social network: text beyond ASCII, and escapes of every kind."""
    statuses = []
    for index in range(DOCUMENTS["-texts"][1]):
        words = " ".join(WORDS[scrambled(index * 31 + place, 16) % len(WORDS)] for place in range(14))
        statuses.append({
            "id": 505874924095815000 + scrambled(index), "createdAt": "Sun Aug 31 00:29:15 +0000 2014",
            "text": f"@user{index} \"{words}\"\n\n{words}\thttp://t.co/{scrambled(index):x}",
            "source": "<a href=\"http://example.com/download/client\" rel=\"nofollow\">Example for \\ Desktop</a>",
            "truncated": index % 7 == 0, "replyTo": scrambled(index, 40) if index % 3 == 0 else None,
            "user": {
                "id": 1186275104 + index, "name": words[:20], "screenName": f"user_{scrambled(index):x}", "location": "東京都",
                "description": f"{words}\r\n「{words}」", "url": None if index % 4 else "http://example.com/\"q\"",
                "followers": scrambled(index, 12), "verified": index % 50 == 0,
            },
            "entities": {
                "hashtags": [{"text": WORDS[place], "indices": [place * 10, place * 10 + 5]} for place in range(index % 4)],
                "urls": [f"http://t.co/{scrambled(index + place):x}" for place in range(index % 3)],
            },
            "retweets": scrambled(index, 8), "favourites": scrambled(index, 6), "language": "ja" if index % 5 else "en",
        })
    # Half of it has escapes instead of the characters, as many servers write them.
    whole = packed({"statuses": statuses[::2]})[:-2] + b","
    return whole + json.dumps(statuses[1::2], separators=(",", ":")).encode()[1:] + b"}"


def structure() -> bytes:
    """About 1.4 MB like a catalogue of events: small objects in objects, short keys and numbers."""
    performances = [{
        "id": 339887544 + index, "eventId": 138586341 + index // 4, "start": 1372701600000 + index * 86400000, "name": None,
        "prices": [
            {"amount": 90250 - place * 5000, "audienceSubCategoryId": 337100890, "seatCategoryId": 338937295 + place}
            for place in range(2 + index % 4)
        ],
        "seatCategories": [
            {"seatCategoryId": 338937295 + place,
             "areas": [{"areaId": 205705993 + area, "blockIds": [area] if area % 3 == 0 else []} for area in range(8)]}
            for place in range(2 + index % 4)
        ],
    } for index in range(DOCUMENTS["-structure"][1])]
    events = {
        str(138586341 + index): {
            "id": 138586341 + index, "name": f"Event {index}", "subjectCode": None if index % 2 else "x",
            "subTopicIds": [337184269, 337184283], "topicIds": [324846099, 107888604],
        }
        for index in range(184)
    }
    return packed({
        "performances": performances, "events": events,
        "topicNames": {str(107888604 + index): f"Topic {index}" for index in range(50)},
    })


def doubles() -> bytes:
    """About 2 MB like a map: pairs of doubles with all their digits."""
    features = []
    for index in range(DOCUMENTS["-doubles"][1]):
        ring = [
            [-65 - scrambled(index * 3001 + place, 53) / 2**49, 43 + scrambled(index * 7001 + place, 53) / 2**50]
            for place in range(1400)
        ]
        features.append({
            "type": "Feature", "properties": {"name": f"Region {index}"},
            "geometry": {"type": "Polygon", "coordinates": [ring[:700], ring[700:]]},
        })
    return packed({"features": features, "type": "FeatureCollection"})


def create(folder: Path, large_bytes: int) -> Payloads:
    """Writes the files."""
    (folder / "records.json").write_bytes(records())
    (folder / "texts.json").write_bytes(texts())
    (folder / "structure.json").write_bytes(structure())
    (folder / "doubles.json").write_bytes(doubles())
    block = os.urandom(1 << 20)
    with open(folder / "large.bin", "wb") as file:
        left = large_bytes
        while left > 0:
            left -= file.write(block[: min(left, len(block))])
    (folder / "piece.bin").write_bytes(os.urandom(PIECE_BYTES))
    return Payloads(folder, large_bytes)


def temporary_folder() -> tempfile.TemporaryDirectory:
    """A folder in memory where there is room for it, so that no disk is measured; else where temporary files go."""
    memory = Path("/dev/shm")
    if memory.is_dir() and os.access(memory, os.W_OK):
        status = os.statvfs(memory)
        if status.f_bavail * status.f_frsize > 4 * LARGE_BYTES:
            return tempfile.TemporaryDirectory(prefix="bluebonnet-bench-", dir=memory)
    return tempfile.TemporaryDirectory(prefix="bluebonnet-bench-")
