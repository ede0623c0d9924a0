

# What Python under Pyodide gets beside `run` (kernel.py, which stands above in the same module).
# This text runs once, when the snapshot is made; `begin` runs in every sandbox.

import asyncio
import asyncio.base_events
import importlib.abc
import random
import time
import warnings

import pyodide.webloop

# Loaded here, so that they are in the snapshot and cost nothing later.
import collections.abc
import csv
import datetime
import decimal
import fnmatch
import fractions
import inspect
import io
import itertools
import linecache
import math
import re
import reprlib
import select
import signal
import stat
import statistics
import string
import threading
import unicodedata

PAUSE_MS = 10


def begin():
    import stride_host

    random.seed()
    time.sleep = sleep
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        asyncio.set_event_loop_policy(Policy())
    asyncio._set_running_loop(None)
    sys.meta_path.append(Missing())
    return sys.version.split()[0]


def execute(code, cwd):
    """Runs one piece of code; returns its events as JSON."""
    os.chdir(cwd)
    events = run(code, sys.modules["__main__"].__dict__)
    sys.stdout.flush()
    sys.stderr.flush()
    return json.dumps(events)


def sleep(seconds):
    """time.sleep in pieces: between two of them a signal is heard."""
    import stride_host

    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    end = time.monotonic() + seconds
    while (left := (end - time.monotonic()) * 1000) > 0:
        stride_host.pause(min(left, PAUSE_MS))


class Selector:
    """Nothing ever becomes readable here: waiting for a timer is all there is to do."""

    def select(self, timeout=None):
        if timeout is None:
            raise RuntimeError(
                "This await can never end: there is no network, no other process and no promise of"
                " JavaScript to wait for. Use plain Python, timers and tasks only."
            )
        sleep(max(0, timeout))
        return []

    def close(self):
        pass


class Loop(asyncio.base_events.BaseEventLoop):
    """Timers and tasks, run to the end while the caller waits. Pyodide's own loop cannot do that."""

    def __init__(self):
        super().__init__()
        self._selector = Selector()

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass


class Policy(pyodide.webloop.WebLoopPolicy):
    """Promises of JavaScript keep Pyodide's loop; asyncio.run gets one that it can wait for."""

    def __init__(self):
        super().__init__()
        self.promises = pyodide.webloop.WebLoop()

    def get_event_loop(self):
        return self.promises

    def new_event_loop(self):
        return Loop()

    def set_event_loop(self, loop):
        pass


class Missing(importlib.abc.MetaPathFinder):
    """Asked last: says plainly what is not there, where Pyodide would name installers."""

    def find_spec(self, name, path=None, target=None):
        # importlib.util.find_spec only asks: it gets its None.
        frame, asks_only = sys._getframe(1), False
        for _ in range(4):
            asks_only = asks_only or frame.f_globals.get("__name__") == "importlib.util"
            frame = frame.f_back or frame
        if asks_only or "." in name or name in sys.stdlib_module_names:
            return None
        raise ModuleNotFoundError(
            f"No module named {name!r}: this Python has the standard library only. numpy, pandas and"
            " matplotlib are not there and packages cannot be installed; use csv, statistics, decimal"
            " and the like.",
            name=name,
        )
