"""Processes of the sandbox: limits, start, output, and the end of all that are not wanted."""


def limit_child():
    """Runs in the child before exec. The guest itself stays without limits, so it can always act."""
    memory = settings["memory_bytes"]
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_AS, (2 * memory, 2 * memory))
    resource.setrlimit(resource.RLIMIT_NPROC, (settings["processes"], settings["processes"]))
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, 512))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def spawn(argv, cwd, env, pass_fds=()):
    """Starts a process in its own session; returns (pid, stdout, stderr) with both non-blocking."""
    out_r, out_w = os.pipe()
    err_r, err_w = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            null = os.open("/dev/null", os.O_RDONLY)
            os.dup2(null, 0)
            os.dup2(out_w, 1)
            os.dup2(err_w, 2)
            for fd in pass_fds:
                os.set_inheritable(fd, True)
            os.chdir(cwd)
            limit_child()
            os.execvpe(argv[0], argv, env)
        except BaseException as error:
            os.write(2, f"{error}\n".encode())
        os._exit(127)
    exits.pop(pid, None)  # of an earlier process with this number
    for fd in (out_w, err_w):
        os.close(fd)
    for fd in (out_r, err_r):
        os.set_blocking(fd, False)
    return pid, out_r, err_r


def base_env(extra=None):
    env = {
        "HOME": HOME,
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "USER": "user",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MPLCONFIGDIR": "/tmp/matplotlib",
    }
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        if name in os.environ:
            env[name] = os.environ[name]
    env.update(extra or {})
    return env


def process_table():
    """pid → parent pid of every process in the sandbox."""
    table = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    table[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                pass
    return table


def kill_strays(keep):
    """Kills every process that does not descend from one in `keep`. A fork bomb is stopped first:
    stopped processes do not fork."""
    keep = {1, os.getpid(), *keep}
    for _ in range(200):
        table = process_table()
        strays = []
        for pid in table:
            at = pid
            while at not in keep and at in table and table[at] not in (0, 1, os.getpid()):
                at = table[at]
            if at not in keep:
                strays.append(pid)
        # A zombie of ours is reaped here, others by pid 1.
        reap()
        strays = [pid for pid in strays if not is_zombie(pid)]
        if not strays:
            return
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in strays:
                try:
                    os.kill(pid, number)
                except OSError:
                    pass


def is_zombie(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in (b"Z", b"X")
    except (OSError, IndexError):
        return True


def reap():
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        exits[pid] = os.waitstatus_to_exitcode(status)


exits = {}  # pid → exit code, of children reaped before anyone asked


def read_all(fd):
    """What a non-blocking pipe holds now; None at its end."""
    try:
        return os.read(fd, 262144) or None
    except BlockingIOError:
        return b""
    except OSError:
        return None


class Output:
    """Forwards a pipe as events, up to MAX_STREAM bytes; the rest is read and thrown away."""

    def __init__(self, fd, emit):
        self.fd, self.emit, self.sent, self.open = fd, emit, 0, True
        loop.add_reader(fd, self.pump)

    def pump(self):
        for _ in range(16):
            data = read_all(self.fd)
            if data is None:
                self.close()
                return
            if not data:
                return
            self.forward(data)

    def forward(self, data):
        room = MAX_STREAM - self.sent
        self.sent += len(data)
        if room > 0 and self.emit:
            self.emit(data[:room])
            if len(data) >= room:
                self.emit(b"\n[... output above the limit is left out ...]\n")

    def close(self):
        if self.open:
            self.open = False
            loop.remove_reader(self.fd)
            os.close(self.fd)
