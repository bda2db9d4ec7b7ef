"""Put on PYTHONPATH of the processes under test: any reach beyond this machine is an error.

An audit hook cannot be taken back and sees every socket that Python code opens.
"""

import sys

LOCAL = ("127.", "::1", "localhost", "0.0.0.0", "::")


def stay_home(event: str, args: tuple[object, ...]) -> None:
    if event == "socket.connect":
        address = args[1]
        host = address[0] if isinstance(address, tuple) else ""
    elif event == "socket.getaddrinfo":
        host = args[0]
    else:
        return
    if isinstance(host, bytes):
        host = host.decode()
    if host and not str(host).startswith(LOCAL):
        raise PermissionError(f"{event} to {host}: these tests run without a network")


sys.addaudithook(stay_home)
