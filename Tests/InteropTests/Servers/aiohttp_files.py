"""aiohttp with the files of a folder: `aiohttp_files.py FOLDER`. Prints its port."""

import asyncio
import sys

from aiohttp import web


async def main(folder: str):
    application = web.Application()
    application.router.add_static("/", folder)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(f"Listening at: http://127.0.0.1:{runner.addresses[0][1]} ", flush=True)
    await asyncio.Event().wait()


asyncio.run(main(sys.argv[1]))
