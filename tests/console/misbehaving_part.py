# ruff: noqa: T201
"""A stand-in for a server of the product. Words on its command line say how it behaves.

``cold N``: /ping is 503 for the first N times. ``mute``: never ready. ``dies``: ends at once with
status 3 and something to say. ``mortal``: ends when /die is asked for. ``deaf``: does not heed
SIGTERM. ``family FILE``: writes its own id and that of a child that it starts. ``port NAME``:
listens where that variable says.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

words = sys.argv[1:]
cold = int(words[words.index("cold") + 1]) if "cold" in words else 0


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        global cold
        if self.path == "/die":
            print("Traceback: it broke", flush=True)
            os._exit(4)
        status = 503 if cold > 0 else 200
        cold -= 1
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


if "dies" in words:
    print("loading the weights")
    print("no such file: weights.bin", file=sys.stderr)
    sys.exit(3)
if "deaf" in words:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if "family" in words:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    path = Path(words[words.index("family") + 1])
    path.with_suffix(".part").write_text(f"{os.getpid()} {child.pid}")
    path.with_suffix(".part").rename(path)
if "mute" in words:
    threading.Event().wait()
port = int(os.environ[words[words.index("port") + 1]]) if "port" in words else 0
server = HTTPServer(("127.0.0.1", port), Handler)
print(f"ready: http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
