"""Parses forms with Python's urllib, and encodes the parsed pairs again.

Standard input: a JSON array of texts. Standard output: for each text, its pairs, and how urllib encodes these pairs with the
escaping of AFNetworking and with that of the URL Standard.
"""

import json
import sys
from urllib.parse import parse_qsl, quote, urlencode


def parsed(text):
    pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=text != "", errors="strict")
    return {
        "pairs": pairs,
        "standard": urlencode(pairs, safe="/?", quote_via=quote),
        "whatwg": urlencode(pairs, safe="*").replace("~", "%7E"),
    }


json.dump([parsed(text) for text in json.load(sys.stdin.buffer)], sys.stdout)
