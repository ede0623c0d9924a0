"""Commands, as envd's process service runs them."""


class Command:
    def __init__(self, job, process):
        argv = [process["cmd"], *process.get("args", [])]
        cwd = inside(process.get("cwd") or HOME)
        env = base_env({**settings["command_env"], **process.get("envs", {})})
        self.job = job
        self.pid, out, err = spawn(argv, cwd, env)
        commands[self.pid] = self
        send({"id": job, "event": {"start": {"pid": self.pid}}})
        self.outputs = [
            Output(fd, lambda data, name=name: self.print(name, data))
            for fd, name in ((out, "stdout"), (err, "stderr"))
        ]
        self.wait()

    def print(self, name, data):
        send({"id": self.job, "event": {"data": {name: base64.b64encode(data).decode()}}})

    def wait(self):
        reap()
        if self.pid not in exits:
            loop.call_later(0.02, self.wait)
            return
        code = exits.pop(self.pid)
        for output in self.outputs:
            if output.open:
                output.pump()
                output.close()
        del commands[self.pid]
        end = {"exitCode": code, "exited": code >= 0, "status": f"exit status {code}"}
        if code != 0:
            end["error"] = end["status"]
        send({"id": self.job, "event": {"end": end}})
        send({"id": self.job, "end": True})

    def kill(self, number=signal.SIGKILL):
        for target in (-self.pid, self.pid):
            try:
                os.kill(target, number)
            except OSError:
                pass


def start_command(header, _body):
    Command(header["id"], header["process"])


def signal_command(header, _body):
    command = commands.get(header["pid"])
    if command is None:
        raise Failure(404, f"process {header['pid']} not found")
    command.kill(signal.SIGKILL if header["signal"] == "SIGNAL_SIGKILL" else signal.SIGTERM)
    return {}
