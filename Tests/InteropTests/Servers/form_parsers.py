"""Several multipart parsers: POST a form to /<parser>, and the response is a JSON list of the parts that it read.

A WSGI application. The parsers: multipart, python-multipart, werkzeug, and go where FORM_PARSER_GO names a program that was
built from form_parser.go. The response to a POST to /discard is the number of bytes received.
"""

import hashlib
import json
import os
import subprocess

import multipart
import python_multipart
from werkzeug.http import parse_options_header
from werkzeug.sansio.multipart import Data, Epilogue, Field, File, MultipartDecoder, NeedData, Preamble

BLOCK = 1 << 16


class Part:
    def __init__(self, name, filename, content_type):
        self.about = {"name": name, "filename": filename, "type": content_type}
        self.size = 0
        self.hash = hashlib.sha256()

    def add(self, data):
        self.size += len(data)
        self.hash.update(data)

    def result(self):
        return {**self.about, "size": self.size, "sha256": self.hash.hexdigest()}


def blocks(stream):
    while block := stream.read(BLOCK):
        yield block


def by_multipart(content_type, stream):
    _, options = multipart.parse_options_header(content_type)
    parts = []
    with multipart.PushMultipartParser(options["boundary"], strict=True) as parser:
        for event in parser.parse_blocking(stream.read):
            if isinstance(event, multipart.MultipartSegment):
                parts.append(Part(event.name, event.filename, event.header("Content-Type")))
            elif event:
                parts[-1].add(event)
    return [part.result() for part in parts]


def by_python_multipart(content_type, stream):
    _, options = python_multipart.multipart.parse_options_header(content_type)
    parts = []
    header = [b"", b""]
    headers = {}

    def text(value):
        return None if value is None else value.decode("latin-1").encode("latin-1").decode("utf-8")

    def on_header_field(data, start, end):
        header[0] += data[start:end]

    def on_header_value(data, start, end):
        header[1] += data[start:end]

    def on_header_end():
        headers[header[0].lower()] = header[1]
        header[:] = b"", b""

    def on_headers_finished():
        _, disposition = python_multipart.multipart.parse_options_header(headers[b"content-disposition"])
        kind = headers.get(b"content-type")
        parts.append(Part(text(disposition.get(b"name")), text(disposition.get(b"filename")), text(kind)))
        headers.clear()

    parser = python_multipart.MultipartParser(
        options[b"boundary"],
        {
            "on_header_field": on_header_field,
            "on_header_value": on_header_value,
            "on_header_end": on_header_end,
            "on_headers_finished": on_headers_finished,
            "on_part_data": lambda data, start, end: parts[-1].add(data[start:end]),
        },
    )
    for block in blocks(stream):
        parser.write(block)
    parser.finalize()
    return [part.result() for part in parts]


def by_werkzeug(content_type, stream):
    _, options = parse_options_header(content_type)
    decoder = MultipartDecoder(options["boundary"].encode("ascii"), max_form_memory_size=None, max_parts=None)
    parts = []
    source = blocks(stream)
    while True:
        event = decoder.next_event()
        if isinstance(event, (Field, File)):
            filename = event.filename if isinstance(event, File) else None
            parts.append(Part(event.name, filename, event.headers.get("Content-Type")))
        elif isinstance(event, Data):
            parts[-1].add(event.data)
        elif isinstance(event, NeedData):
            decoder.receive_data(next(source, None))
        elif isinstance(event, Epilogue):
            return [part.result() for part in parts]
        else:
            assert isinstance(event, Preamble)


def by_go(content_type, stream):
    body = stream.read()
    done = subprocess.run(
        [os.environ["FORM_PARSER_GO"], content_type], input=body, capture_output=True, check=True, timeout=60
    )
    return json.loads(done.stdout)


def discard(content_type, stream):
    return sum(len(block) for block in blocks(stream))


PARSERS = {
    "/multipart": by_multipart,
    "/python-multipart": by_python_multipart,
    "/werkzeug": by_werkzeug,
    "/go": by_go,
    "/discard": discard,
}


def app(environ, start_response):
    parse = PARSERS.get(environ["PATH_INFO"])
    if parse is None or (parse is by_go and not os.environ.get("FORM_PARSER_GO")):
        start_response("404 Not Found", [("Content-Type", "text/plain")])
        return [b""]
    try:
        status, result = "200 OK", parse(environ.get("CONTENT_TYPE", ""), environ["wsgi.input"])
    except Exception as error:  # A failed test shows the error of the parser.
        status, result = "400 Bad Request", f"{type(error).__name__}: {error}"
    start_response(status, [("Content-Type", "application/json")])
    return [json.dumps(result).encode()]
