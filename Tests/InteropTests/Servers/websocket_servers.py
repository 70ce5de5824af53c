"""WebSockets that echo, by two libraries: `websocket_servers.py CERTIFICATE KEY`.

Prints the ports: `websockets`, the same over TLS, and aiohttp.
"""

import asyncio
import ssl
import sys

import aiohttp
from aiohttp import web
from websockets.asyncio.server import serve

LIMIT = 64 << 20


async def echo_by_websockets(connection):
    """Echoes. A path decides how: fragments of three, a close with an error, an abrupt end."""
    path = connection.request.path
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


async def echo_by_aiohttp(request):
    response = web.WebSocketResponse(protocols=["echo.v1"], max_msg_size=LIMIT)
    await response.prepare(request)
    async for message in response:
        if message.type == aiohttp.WSMsgType.TEXT:
            await response.send_str(message.data)
        elif message.type == aiohttp.WSMsgType.BINARY:
            await response.send_bytes(message.data)
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
    application.router.add_get("/", echo_by_aiohttp)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    ports = [server.sockets[0].getsockname()[1] for server in (plain, secure)] + [runner.addresses[0][1]]
    print(f"Listening at: {' '.join(map(str, ports))} ", flush=True)
    await asyncio.Event().wait()


asyncio.run(main(sys.argv[1], sys.argv[2]))
