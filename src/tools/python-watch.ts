/**
 * Second part of the Python module that runs inside the sandbox: the time limit that leaves the
 * kernel alive, the end of processes that code left running, and JSON files that are written whole
 * or not at all, on a full disk too.
 */
export const PYTHON_WATCH = `
# How often a running call's output goes to disk, for the case that this process is killed.
SPILL_SECONDS = 0.4


class Stopped(BaseException):
    """Raised in the code when its time is up or the run was cancelled."""


class Watch:
    """A thread that saves partial output and, at the deadline or on request, interrupts the code
    without losing the kernel. Code that holds the interpreter in C is ended from outside."""

    def __init__(self, seconds, paths, record):
        self.deadline = time.monotonic() + seconds
        self.paths, self.record = paths, record
        self.reason = None
        self.armed = False
        self.done = threading.Event()
        self.spilled = (0.0, -1)
        self.next_signal = 0.0
        self.main = threading.main_thread()
        self.can_signal = threading.current_thread() is self.main
        if self.can_signal:
            self.previous = signal.signal(signal.SIGUSR2, self.interrupt)
        threading.Thread(target=self.loop, daemon=True).start()

    def interrupt(self, _signum, _frame):
        if self.armed and os.getpid() == capture().pid:
            raise Stopped

    def loop(self):
        while not self.done.wait(0.1):
            now = time.monotonic()
            self.spill(now)
            if self.reason is None and os.path.exists(self.paths["cancel"]):
                self.reason = "cancelled"
            if self.reason is None and now >= self.deadline:
                self.reason = "timeout"
            # Again and again: a bare except in the code may have swallowed the last one.
            if self.reason and self.armed and self.can_signal and now >= self.next_signal:
                self.next_signal = now + 0.3
                signal.pthread_kill(self.main.ident, signal.SIGUSR2)

    def spill(self, now):
        at, total = self.spilled
        if now - at >= SPILL_SECONDS and self.record.output.total != total:
            self.spilled = (now, self.record.output.total)
            with capture().lock:
                texts = self.record.texts()
            write_json(self.paths["partial"], texts)

    def close(self):
        self.armed = False
        self.done.set()
        if self.can_signal:
            signal.signal(signal.SIGUSR2, self.previous)


class WasmWatch(Watch):
    """The same without a thread: the service sends the signal, and output is saved when some comes."""

    def __init__(self, seconds, paths, record):
        import stride_host  # a module of the service

        self.host, self.paths, self.record = stride_host, paths, record
        self.reason, self.armed = None, False
        self.spilled = (0.0, -1)
        self.previous = signal.signal(signal.SIGUSR2, self.interrupt)
        record.on_output = lambda: self.spill(time.monotonic())
        stride_host.watch(seconds, paths["cancel"])

    def close(self):
        self.armed = False
        self.record.on_output = None
        self.reason = self.host.unwatch()
        signal.signal(signal.SIGUSR2, self.previous)


def end_processes(since):
    """Kills what this kernel's code started after a time and left running: its descendants and the
    rest of its session. Stopped first: a fork bomb cannot outrun it."""
    if IS_WASM:
        return
    own, session, ticks = os.getpid(), os.getsid(0), os.sysconf("SC_CLK_TCK")
    booted = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    for _ in range(100):
        table = {}
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    with open(f"/proc/{name}/stat", "rb") as file:
                        fields = file.read().rpartition(b")")[2].split()
                except OSError:
                    continue
                if fields[0] not in (b"Z", b"X"):
                    started = booted + int(fields[19]) / ticks
                    table[int(name)] = (int(fields[1]), int(fields[3]), started)
        found = []
        for pid, (parent, sid, started) in table.items():
            while parent in table and parent != own:
                parent = table[parent][0]
            if pid != own and started > since - 0.05 and (parent == own or sid == session):
                found.append(pid)
        if not found:
            return
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in found:
                try:
                    os.kill(pid, number)
                except OSError:
                    pass


# Space set aside so that a call which fills the disk can still be recorded.
RESERVE_BYTES, RESERVE_STEP = 2_000_000, 250_000


def write_json(path, value):
    """All or nothing: a reader never sees half a file. Works a few times on a full disk too."""
    text = json.dumps(value)
    try:
        write_text(path, text)
    except OSError as error:
        reserve = reserve_of(path)
        if error.errno != errno.ENOSPC or not os.path.exists(reserve):
            raise
        os.truncate(reserve, max(0, os.path.getsize(reserve) - RESERVE_STEP))
        write_text(path, text)


def write_text(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    temporary = f"{path}.{os.getpid()}.tmp"
    with open(temporary, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    os.replace(temporary, path)


def reserve_of(path):
    folder = os.path.dirname(path)
    return os.path.join(os.path.dirname(folder) if folder.endswith("/calls") else folder, "reserve")


def fill_reserve(root):
    try:
        with open(root + "/reserve", "ab") as file:
            file.write(b"0" * (RESERVE_BYTES - file.tell()))
    except OSError:
        pass  # the disk is full; what is left of it has to do


def read_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None
`;
