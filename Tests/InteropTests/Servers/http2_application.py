"""An ASGI application for hypercorn: the files of a folder, and what an HTTP/2 client needs beside them."""

import gzip
import os
from pathlib import Path

FOLDER = Path(os.environ["FILES"])
PIECE = 1 << 16


async def application(scope, receive, send):
    if scope["type"] == "websocket":
        return await echo_messages(scope, receive, send)
    if scope["type"] != "http":
        return
    path, method = scope["path"], scope["method"]
    body = b""
    while True:
        event = await receive()
        body += event.get("body", b"")
        if not event.get("more_body"):
            break
    if path == "/echo":
        await respond(send, method, 200, body)
    elif path == "/redirect":
        await respond(send, method, 302, b"", (b"location", b"/tiny.txt"))
    elif path == "/trailers":
        await with_trailers(send, body)
    elif path.startswith("/gzip/"):
        file = FOLDER / path.removeprefix("/gzip/")
        await respond(send, method, 200, gzip.compress(file.read_bytes(), 1), (b"content-encoding", b"gzip"))
    elif (file := FOLDER / path.removeprefix("/")).is_file():
        await respond(send, method, 200, file.read_bytes())
    else:
        await respond(send, method, 404, b"nothing here\n")


async def echo_messages(scope, receive, send):
    """A WebSocket, which is told first by which version of HTTP it was opened."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.send", "text": f"HTTP/{scope['http_version']}"})
    while (event := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": event.get("text"), "bytes": event.get("bytes")})


async def respond(send, method, status, body, *fields):
    fields = [(b"content-length", str(len(body)).encode()), *fields]
    await send({"type": "http.response.start", "status": status, "headers": fields})
    if method == "HEAD":
        body = b""
    for start in range(0, len(body), PIECE):
        await send({"type": "http.response.body", "body": body[start:start + PIECE], "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def with_trailers(send, body):
    await send({"type": "http.response.start", "status": 200, "headers": [], "trailers": True})
    await send({"type": "http.response.body", "body": body})
    await send({"type": "http.response.trailers", "headers": [(b"x-checksum", b"abc")]})
