"""Runs inside one local sandbox and does for it what envd and the code interpreter do in a real one.

Frames over stdin and stdout, both ways: two 4-byte big-endian lengths, a JSON header, a body.
Everything a caller names (paths, commands) is resolved here, inside the sandbox's own mounts, so a
link planted by sandboxed code leads nowhere else. Ends when stdin ends. Standard library only.
The files of this folder are one program: guest.ts joins them in the order of their names.
"""

import asyncio
import base64
import ctypes
import errno
import itertools
import json
import os
import resource
import shutil
import signal
import stat
import struct
import sys

HOME = "/home/user"
MAX_FILE = 64 * 1024 * 1024
MAX_STREAM = 10 * 1024 * 1024  # bytes of output of one command or raw execution
PROXY_PORT = 3128
MAX_CONNECTIONS = 16

settings = {}
contexts = {}  # id → {"cwd", "kernel"}
commands = {}  # pid → Command
connections = {}  # id → writer
loop = asyncio.new_event_loop()


def send(header, body=b""):
    head = json.dumps(header).encode()
    data = memoryview(struct.pack(">II", len(head), len(body)) + head + body)
    while data:
        data = data[os.write(1, data) :]


class Failure(Exception):
    """An answer with an HTTP status and a message."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status
