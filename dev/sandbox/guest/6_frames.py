"""Outgoing connections, frames from the host, and the start."""


connection_numbers = itertools.count(1)


async def accept(reader, writer):
    """One connection to the local proxy port; what may be reached is decided outside."""
    # Never used twice: a late close of an earlier connection must not meet a new one.
    number = next(connection_numbers)
    if len(connections) >= MAX_CONNECTIONS:
        writer.close()
        return
    connections[number] = writer
    send({"connection": number, "state": "open"})
    try:
        while data := await reader.read(65536):
            send({"connection": number, "state": "data"}, data)
    except OSError:
        pass
    send({"connection": number, "state": "close"})
    if connections.pop(number, None):
        writer.close()


def on_connection(header, body):
    writer = connections.get(header["connection"])
    if writer is None:
        return
    if header["state"] == "data":
        writer.write(body)
    else:
        connections.pop(header["connection"])
        writer.close()


OPERATIONS = {
    "execute": execute,
    "restart": restart,
    "create_context": create_context,
    "remove_context": remove_context,
    "list_contexts": list_contexts,
    "cancel": cancel,
    "start": start_command,
    "signal": signal_command,
    "read": read_file,
    "write": write_file,
    "stat": stat_path,
    "list": list_dir,
    "make_dir": make_dir,
    "remove": remove_path,
    "move": move_path,
}


def handle(header, body):
    if "connection" in header:
        on_connection(header, body)
        return
    try:
        answer = OPERATIONS[header["op"]](header, body)
    except Failure as failure:
        send({"id": header["id"], "error": str(failure), "status": failure.status})
    except FileNotFoundError as error:
        send({"id": header["id"], "error": f"path not found: {error.filename}", "status": 404})
    except OSError as error:
        status = 507 if error.errno in (errno.ENOSPC, errno.EDQUOT) else 400
        send({"id": header["id"], "error": str(error), "status": status})
    else:
        if isinstance(answer, bytes):
            send({"id": header["id"], "answer": {}}, answer)
        elif answer is not None:
            send({"id": header["id"], "answer": answer})


class Frames:
    def __init__(self):
        self.buffer = bytearray()
        os.set_blocking(0, False)
        loop.add_reader(0, self.pump)

    def pump(self):
        data = read_all(0)
        if data is None:
            os._exit(0)
        self.buffer += data
        while len(self.buffer) >= 8:
            head, body = struct.unpack(">II", self.buffer[:8])
            if len(self.buffer) < 8 + head + body:
                return
            header = json.loads(bytes(self.buffer[8 : 8 + head]))
            content = bytes(self.buffer[8 + head : 8 + head + body])
            del self.buffer[: 8 + head + body]
            handle(header, content)


async def main():
    await asyncio.start_server(accept, "127.0.0.1", PROXY_PORT)
    Frames()
    send({"ready": True})
    await asyncio.Event().wait()


settings.update(json.loads(sys.argv[1]))
contexts["default"] = {"cwd": HOME, "kernel": None}
# Code in the sandbox has this process's uid: it must not be able to trace it or open its pipes.
ctypes.CDLL(None).prctl(4, 0)
asyncio.set_event_loop(loop)
loop.run_until_complete(main())
