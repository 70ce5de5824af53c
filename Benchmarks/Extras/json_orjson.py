"""The benchmark client for orjson: the JSON workloads without types."""

import sys

import local_run
import orjson


def once(document: bytes) -> int:
    value = orjson.loads(document)
    return len(value if isinstance(value, list) else next(its for its in value.values() if isinstance(its, list)))


if __name__ == "__main__":
    sys.exit(local_run.main("orjson", once))
