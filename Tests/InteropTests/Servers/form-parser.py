"""Parses forms, and writes what it has parsed again, with Python's urllib.

Standard input: a JSON array of texts. Standard output: for each, the pairs that are in it, and how urllib writes these
pairs with the escaping of AFNetworking and with that of the URL Standard.
"""

import json
import sys
from urllib.parse import parse_qsl, quote, urlencode


def answer(text):
    pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=text != "", errors="strict")
    return {
        "pairs": pairs,
        "standard": urlencode(pairs, safe="/?", quote_via=quote),
        "whatwg": urlencode(pairs, safe="*").replace("~", "%7E"),
    }


json.dump([answer(text) for text in json.load(sys.stdin.buffer)], sys.stdout)
