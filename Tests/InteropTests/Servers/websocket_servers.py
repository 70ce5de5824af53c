"""WebSockets that echo, by two libraries: `websocket_servers.py CERTIFICATE KEY`.

Prints the ports: `websockets`, aiohttp, and both over TLS.
"""

import asyncio
import contextlib
import ssl
import sys

import aiohttp
from aiohttp import web
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosedError

LIMIT = 64 << 20

# Frames that break RFC 6455, past the library, by the path.
BROKEN = {
    "/bad-utf-8": bytes([0x81, 2, 0xC3, 0x28]),
    "/masked": bytes([0x81, 0x82, 1, 2, 3, 4, ord("h") ^ 1, ord("i") ^ 2]),
    "/oversized": bytes([0x82, 127]) + (1 << 40).to_bytes(8, "big"),
    "/oversized-ping": bytes([0x89, 126, 0, 126]) + bytes(126),
    "/reserved-bit": bytes([0xA1, 0]),
    "/reserved-opcode": bytes([0x83, 0]),
    "/bad-deflate": bytes([0xC1, 2, 0xFF, 0xFF]),
}
# The code of the client's Close frame, by the path with its query.
codes: dict[str, asyncio.Future] = {}


def code(path):
    return codes.setdefault(path, asyncio.get_running_loop().create_future())


async def echo_by_websockets(connection):
    """Echoes. A path decides how: fragments of three, a close with an error, an abrupt end."""
    path = connection.request.path
    if path.startswith("/code/"):
        return await connection.send(str(await code(path.removeprefix("/code"))))
    if frame := BROKEN.get(path.partition("?")[0]):
        connection.transport.write(frame)
    with contextlib.suppress(ConnectionClosedError):
        async for message in connection:
            match path:
                case "/fragments":
                    third = max(1, len(message) // 3)
                    await connection.send([message[:third], message[third:2 * third], message[2 * third:]])
                case "/close":
                    await connection.close(4321, "as you wish")
                case "/cut":
                    connection.transport.abort()
                case _:
                    await connection.send(message)
    if "?" in path:
        code(path).set_result(connection.close_code)


async def echo_by_aiohttp(request):
    response = web.WebSocketResponse(protocols=["echo.v1"], max_msg_size=LIMIT)
    await response.prepare(request)
    if request.path.startswith("/code/"):
        await response.send_str(str(await code(request.path_qs.removeprefix("/code"))))
        return response
    if frame := BROKEN.get(request.path):
        request.transport.write(frame)
    async for message in response:
        if message.type == aiohttp.WSMsgType.TEXT:
            await response.send_str(message.data)
        elif message.type == aiohttp.WSMsgType.BINARY:
            await response.send_bytes(message.data)
    if request.query_string:
        code(request.path_qs).set_result(response.close_code)
    return response


async def main(certificate: str, key: str):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    # The list alone would refuse clients without a subprotocol.
    chosen = lambda _, offered: "echo.v1" if "echo.v1" in offered else None
    options = {"max_size": LIMIT, "subprotocols": ["echo.v1"], "select_subprotocol": chosen}
    plain = await serve(echo_by_websockets, "127.0.0.1", 0, **options)
    secure = await serve(echo_by_websockets, "127.0.0.1", 0, ssl=context, **options)
    application = web.Application()
    application.router.add_get("/{path:.*}", echo_by_aiohttp)
    runner = web.AppRunner(application)
    await runner.setup()
    for tls in (None, context):
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
    ports = [plain.sockets[0].getsockname()[1], runner.addresses[0][1]]
    ports += [secure.sockets[0].getsockname()[1], runner.addresses[1][1]]
    print(f"Listening at: {' '.join(map(str, ports))} ", flush=True)
    await asyncio.Event().wait()


asyncio.run(main(sys.argv[1], sys.argv[2]))
