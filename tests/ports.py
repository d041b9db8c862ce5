"""Ports of this machine for the servers of tests."""

import socket


def free_port() -> int:
    """A port that nobody else is given as long as this process lives."""
    probe = socket.socket()
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    probe.bind(("127.0.0.1", 0))
    # It stays bound: a server that names it listens there, as all set the same option; others are given other ports.
    port = int(probe.getsockname()[1])
    probe.detach()
    return port
