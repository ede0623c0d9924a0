/**
 * First part of the Python module that runs inside the sandbox: everything a call prints, bounded.
 * Python streams and file descriptors 1 and 2 end in one place, so `print`, `os.write` and child
 * processes keep their order, and a flood costs neither memory nor disk. The parts are one file in
 * the sandbox (python-cell.ts joins them). Works on Python 3.9 and newer, standard library only.
 */
export const PYTHON_CAPTURE = String.raw`"""Runs the calls of execute_python in this kernel and leaves a record of each on disk."""
import __main__
import ast
import asyncio
import errno
import fnmatch
import importlib
import inspect
import io
import json
import linecache
import os
import reprlib
import select
import signal
import stat
import sys
import threading
import time
import traceback
import warnings

# Bytes kept of the beginning and of the end; what is between is counted, not kept.
OUTPUT_CLIP = (40_000, 24_000)
STREAM_CLIP = (12_000, 4_000)
# Python compiled to WebAssembly has neither threads nor processes: its service watches from outside.
IS_WASM = sys.platform == "emscripten"


class Clip:
    """Head and tail of a byte stream."""

    def __init__(self, limits):
        self.head_limit, self.tail_limit = limits
        self.head, self.tail, self.total = bytearray(), bytearray(), 0

    def add(self, data):
        self.total += len(data)
        room = self.head_limit - len(self.head)
        if room > 0:
            self.head += data[:room]
            data = data[room:]
        if data:
            self.tail += data[-self.tail_limit:]
            if len(self.tail) > 2 * self.tail_limit:
                del self.tail[:-self.tail_limit]

    def text(self):
        tail = bytes(self.tail[-self.tail_limit:])
        left_out = self.total - len(self.head) - len(tail)
        if left_out == 0:
            return (bytes(self.head) + tail).decode("utf-8", "replace")
        # A cut may fall inside a character: its halves are dropped.
        head_text = self.head.decode("utf-8", "replace").rstrip("\ufffd")
        tail_text = tail.decode("utf-8", "replace").lstrip("\ufffd")
        return f"{head_text}\n[... {left_out} bytes left out ...]\n{tail_text}"


class Record:
    """What one call has printed so far."""

    def __init__(self):
        self.output = Clip(OUTPUT_CLIP)
        self.stdout, self.stderr = Clip(STREAM_CLIP), Clip(STREAM_CLIP)
        self.on_output = None

    def add(self, name, data):
        self.output.add(data)
        getattr(self, name).add(data)
        if self.on_output:
            self.on_output()

    def texts(self):
        return {k: getattr(self, k).text() for k in ("output", "stdout", "stderr")}


class Capture:
    """Two pipes behind fds 1 and 2, kept for the life of the kernel so that child processes
    started by one call may go on writing after it."""

    def __init__(self):
        self.lock = threading.RLock()
        self.pid = os.getpid()
        self.record = None
        self.readers, self.writers = {}, {}
        self.poller = select.poll()
        for fd, name in ((1, "stdout"), (2, "stderr")):
            reader, writer = os.pipe()
            os.set_blocking(reader, False)
            self.readers[reader] = name
            self.writers[fd] = writer
            self.poller.register(reader, select.POLLIN)
        if not IS_WASM:
            threading.Thread(target=self.pump, daemon=True).start()

    def emit(self, name, fd, data):
        if os.getpid() != self.pid:  # a forked child has no pump and no record: use the pipe
            os.write(fd, data)
            return
        with self.lock:
            self.drain()
            if self.record:
                self.record.add(name, data)

    def drain(self):
        """Takes what the pipes hold now; the caller has the lock."""
        for _ in range(64):
            ready = self.poller.poll(0)
            if not ready:
                return
            for reader, _event in ready:
                try:
                    data = os.read(reader, 65536)
                except OSError:
                    continue
                if self.record:
                    self.record.add(self.readers[reader], data)

    def pump(self):
        wait = select.poll()
        for reader in self.readers:
            wait.register(reader, select.POLLIN)
        while True:
            wait.poll()
            with self.lock:
                self.drain()

    def start(self, record):
        """Points fds 1 and 2 at the pipes; returns what stop() needs."""
        saved = {fd: os.dup(fd) for fd in self.writers}
        for fd, writer in self.writers.items():
            os.dup2(writer, fd)
        with self.lock:
            self.drain()
            self.record = record
        return saved

    def stop(self, saved):
        for fd, copy in saved.items():
            os.dup2(copy, fd)
            os.close(copy)
        with self.lock:
            self.drain()
            self.record = None


class RawStream(io.RawIOBase):
    def __init__(self, name, fd):
        self.stream_name, self.fd = name, fd

    def writable(self):
        return True

    def fileno(self):
        return self.fd

    def write(self, data):
        data = bytes(data)
        capture().emit(self.stream_name, self.fd, data)
        return len(data)


class Stream(io.TextIOBase):
    """sys.stdout or sys.stderr while a call runs; lone surrogates are escaped, never an error."""

    encoding, errors = "utf-8", "backslashreplace"

    def __init__(self, name, fd):
        self.name, self.fd = f"<{name}>", fd
        self.buffer = RawStream(name, fd)

    def writable(self):
        return True

    def fileno(self):
        return self.fd

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self.buffer.write(text.encode("utf-8", "backslashreplace"))
        return len(text)


def capture():
    """The kernel's one capture; kept on sys so that a newer version of this module shares it."""
    if not hasattr(sys, "_stride_capture"):
        sys._stride_capture = Capture()
    return sys._stride_capture
`;
