"""Clients of a WebSocket that echoes, by `websockets`: `websocket_clients.py URL [AUTHORITY]`.

Prints the ways to compress that worked, and then the fault that was told, one a line.
"""

import asyncio
import ssl
import sys

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosedError
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory as Deflate

MESSAGES = [
    "", "hello", "κόσμε " * 1000, b"", bytes(i * 2_654_435_761 >> 13 & 0xFF for i in range(200_000)),
    "x" * 1_000_000, "hello",
]
WAYS = {
    "none": None,
    "default": [Deflate()],
    "no context": [Deflate(server_no_context_takeover=True, client_no_context_takeover=True)],
    "small window": [Deflate(server_max_window_bits=9, client_max_window_bits=True)],
}


async def echo(url: str, context: ssl.SSLContext | None, extensions: list | None):
    async with connect(
        url, ssl=context, compression=None, extensions=extensions, max_size=64 << 20, proxy=None,
        subprotocols=["echo.v2", "echo.v1"],
    ) as client:
        assert client.subprotocol == "echo.v2"
        assert len(client.protocol.extensions) == len(extensions or [])
        for message in MESSAGES:
            await client.send(message)
            assert await client.recv() == message
        await client.send(["frag", "men", "", "ted"])
        assert await client.recv() == "fragmented"
        await (await client.ping(b"there?"))

        # Many at once: nobody waits for an echo before the next one.
        async def send_all():
            for number in range(10_000):
                await client.send(f"message {number}")

        sender = asyncio.create_task(send_all())
        for number in range(10_000):
            assert await client.recv() == f"message {number}"
        await sender
        await client.close(4000, "bye")
        assert (client.close_code, client.close_reason) == (4000, "bye")


async def send_wrong_frame(url: str, context: ssl.SSLContext | None):
    """A frame with a reserved opcode is told as a fault of the protocol."""
    async with connect(url, ssl=context, proxy=None) as client:
        client.transport.write(bytes([0x83, 0x80, 0, 0, 0, 0]))
        try:
            await client.recv()
        except ConnectionClosedError as error:
            assert error.rcvd.code == 1002, error
        else:
            raise AssertionError("a message came")


async def main(url: str, authority: str | None):
    context = ssl.create_default_context(cafile=authority) if authority else None
    for name, extensions in WAYS.items():
        await asyncio.wait_for(echo(url, context, extensions), 60)
        print(name, flush=True)
    await asyncio.wait_for(send_wrong_frame(url, context), 60)
    print("wrong frame", flush=True)


asyncio.run(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None))
