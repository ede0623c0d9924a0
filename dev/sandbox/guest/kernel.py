"""A plain Python kernel for the local sandbox: one request a line in, one event a line out.

The guest calls `main` with the numbers of its two pipes and reads stdout and stderr. Under Pyodide,
which has no pipes to outside, only `run` is used.
"""

import ast
import json
import os
import sys
import traceback
import types


def main(request_fd, event_fd):
    module = types.ModuleType("__main__")
    module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    sys.argv = [""]
    # Not inheritable: a child that the code starts must not hold the kernel's pipes open.
    os.set_inheritable(request_fd, False)
    os.set_inheritable(event_fd, False)
    requests = os.fdopen(request_fd, "r", encoding="utf-8")
    count = 0
    for line in requests:
        count += 1
        for event in run(json.loads(line)["code"], module.__dict__):
            send(event_fd, event)
        sys.stdout.flush()
        sys.stderr.flush()
        send(event_fd, {"type": "number_of_executions", "execution_count": count})
        send(event_fd, {"type": "end"})


def run(code, namespace):
    """The events of one piece of code: a result, an error, or nothing."""
    try:
        tree = ast.parse(code, "<cell>")
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)
        exec(compile(tree, "<cell>", "exec", dont_inherit=True), namespace)
        if last is None:
            return []
        value = eval(compile(last, "<cell>", "eval", dont_inherit=True), namespace)
        if value is None:
            return []
        return [{"type": "result", "is_main_result": True, "text": repr(value)}]
    except BaseException as error:
        return [
            {
                "type": "error",
                "name": type(error).__name__,
                "value": str(error),
                "traceback": "".join(traceback.format_exception(error)),
            }
        ]


def send(fd, event):
    data = (json.dumps(event) + "\n").encode()
    while data:
        data = data[os.write(fd, data) :]

