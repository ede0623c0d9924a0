"""Code interpreter: contexts, each with a kernel that starts on first use (kernel.py)."""


class Kernel:
    def __init__(self, cwd):
        request_r, self.requests = os.pipe()
        self.events, event_w = os.pipe()
        argv = ["python3", "-u", "-c", settings["kernel"], str(request_r), str(event_w)]
        self.pid, out, err = spawn(argv, cwd, base_env(), (request_r, event_w))
        os.close(request_r)
        os.close(event_w)
        for fd in (self.requests, self.events):
            os.set_blocking(fd, False)
        self.buffer = b""
        self.job = None  # id of the execution that runs now
        self.queue = []
        self.pending = b""
        self.dead = False
        self.outputs = [
            Output(fd, lambda data, name=name: self.print(name, data))
            for fd, name in ((out, "stdout"), (err, "stderr"))
        ]
        loop.add_reader(self.events, self.pump)
        self.watch()

    def watch(self):
        """The pipe alone does not tell: children that the code forked hold it open too."""
        reap()
        if exits.pop(self.pid, None) is not None:
            self.end("ContextRestarting", "Context was restarted")
        elif not self.dead:
            loop.call_later(0.05, self.watch)

    def print(self, name, data):
        if self.job is not None:
            text = data.decode("utf-8", "replace")
            send({"id": self.job, "event": {"type": name, "text": text}})

    def execute(self, job, code):
        self.queue.append((job, code))
        self.next()

    def next(self):
        if self.job is None and self.queue:
            self.job, code = self.queue.pop(0)
            for output in self.outputs:
                output.sent = 0
            self.pending = (json.dumps({"code": code}) + "\n").encode()
            loop.add_writer(self.requests, self.push)

    def push(self):
        try:
            self.pending = self.pending[os.write(self.requests, self.pending) :]
        except BlockingIOError:
            return
        except OSError:
            self.pending = b""
        if not self.pending:
            loop.remove_writer(self.requests)

    def pump(self):
        data = read_all(self.events)
        if data is None:
            self.end("ContextRestarting", "Context was restarted")
            return
        self.buffer += data
        if len(self.buffer) > 4 * MAX_STREAM:
            self.end("ContextRestarting", "The kernel sent more than it may")
            return
        *lines, self.buffer = self.buffer.split(b"\n")
        for line in lines:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if event.get("type") == "end":
                for output in self.outputs:
                    if output.open:
                        output.pump()
                self.finish()
            elif self.job is not None:
                send({"id": self.job, "event": event})

    def finish(self):
        job, self.job = self.job, None
        if job is not None:
            send({"id": job, "end": True})
        self.next()

    def end(self, name, value):
        """Kills the kernel and all it started; executions that wait or run get an error."""
        if self.dead:
            return
        self.dead = True
        for output in self.outputs:
            if output.open:
                output.pump()
        loop.remove_reader(self.events)
        loop.remove_writer(self.requests)
        for fd in (self.requests, self.events):
            os.close(fd)
        others = [c["kernel"].pid for c in contexts.values() if c["kernel"] not in (None, self)]
        kill_strays([*others, *commands])
        for output in self.outputs:
            output.close()
        jobs = ([] if self.job is None else [self.job]) + [job for job, _ in self.queue]
        for job in jobs:
            error = {"type": "error", "name": name, "value": value, "traceback": ""}
            send({"id": job, "event": error})
            send({"id": job, "end": True})
        for context in contexts.values():
            if context["kernel"] is self:
                context["kernel"] = None


def execute(header, _body):
    context = contexts.get(header.get("context") or "default")
    if context is None:
        raise Failure(404, f"Context {header.get('context')} not found")
    if context["kernel"] is None:
        context["kernel"] = Kernel(context["cwd"])
    send({"id": header["id"], "event": {"type": "accepted"}})
    context["kernel"].execute(header["id"], header["code"])


def restart(header, _body):
    context = contexts.get(header["context"])
    if context is None:
        raise Failure(404, f"Context {header['context']} not found")
    if context["kernel"]:
        context["kernel"].end(
            "UnexpectedEndOfExecution",
            "Connection to the execution was closed before the execution was finished",
        )
    return {}


def create_context(header, _body):
    cwd = inside(header.get("cwd") or HOME)
    os.makedirs(cwd, exist_ok=True)
    contexts[header["context"]] = {"cwd": cwd, "kernel": None}
    return {}


def remove_context(header, _body):
    restart(header, _body)
    del contexts[header["context"]]
    return {}


def list_contexts(_header, _body):
    return {"contexts": [{"id": k, "language": "python", "cwd": c["cwd"]} for k, c in contexts.items()]}


def cancel(header, _body):
    """The client of an execution or command is gone: nothing may go on running for it."""
    job = header["job"]
    for context in contexts.values():
        kernel = context["kernel"]
        if kernel:
            kernel.queue = [entry for entry in kernel.queue if entry[0] != job]
            if kernel.job == job:
                kernel.end("ContextRestarting", "Context was restarted")
    for command in list(commands.values()):
        if command.job == job:
            command.kill()
    return {}
