"""localstripe on a free port of loopback alone; its own start listens everywhere.

Prints the URL when it is ready, and serves until it is ended.
"""

import logging
import socket

from aiohttp import web
from localstripe.resources import Store
from localstripe.server import app

# It would keep its objects in a file of a fixed name, for every start on the machine.
Store.dump_to_disk = lambda _: None

logging.basicConfig(level=logging.WARNING)
listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
listener.bind(("127.0.0.1", 0))
listener.listen(128)
print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
web.run_app(app, sock=listener, print=None)
