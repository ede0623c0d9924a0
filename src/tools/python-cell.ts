/**
 * Last part of the Python module that runs inside the sandbox: one call, from its marker to its
 * record. Protocol: `main(text)` takes a JSON request and leaves `calls/{key}.done`; a call whose
 * `.done` exists is never run again, and one that has `.started` only has an unknown end.
 * Nothing comes back over stdout: the caller reads the record and the files through the file API.
 */
import { PYTHON_CAPTURE } from './python-capture.ts';
import { PYTHON_FILES } from './python-files.ts';
import { PYTHON_WATCH } from './python-watch.ts';

const PYTHON_CALL = String.raw`
RESULT_CHARS = 8_000
MESSAGE_CHARS = 2_000
TRACEBACK_CHARS = 6_000


def clip_text(text, limit):
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"


def check_generation(request, notes):
    """A kernel that this module has not seen before, after calls in another one, has lost them."""
    path = request["root"] + "/kernel.json"
    if not hasattr(sys, "_stride_generation"):
        sys._stride_generation = os.urandom(8).hex()
        sys._stride_calls = 0
        prepare_kernel(request)
    earlier = read_json(path)
    if earlier and earlier != sys._stride_generation:
        notes.append(
            "The Python process was restarted: variables, functions and imports of earlier calls"
            " are gone. Files are still there."
        )
    write_json(path, sys._stride_generation)
    return bool(earlier)


def prepare_kernel(request):
    os.environ["MPLBACKEND"] = "Agg"
    if "matplotlib" in sys.modules:
        sys.modules["matplotlib"].use("Agg", force=True)
    for folder in (request["root"] + "/site", request["work"]):
        if folder not in sys.path:
            sys.path.insert(0, folder)

    def leave(code=None):
        raise SystemExit(code)

    # IPython's exit() would end the kernel, its display() would go past the captured output.
    __main__.exit = __main__.quit = leave
    __main__.display = display


def display(*values):
    for value in values:
        print(bounded_repr(value))


def bounded_repr(value):
    """repr, without building a text of gigabytes to show its beginning."""
    if isinstance(value, (str, bytes, bytearray)) and len(value) > RESULT_CHARS:
        return f"{value[:RESULT_CHARS]!r} [... of length {len(value)}]"
    if isinstance(value, (list, tuple, dict, set, frozenset)) and len(value) > 2_000:
        short = reprlib.Repr()
        short.maxlist = short.maxtuple = short.maxdict = short.maxset = short.maxfrozenset = 100
        short.maxstring = short.maxother = 200
        return f"{short.repr(value)} [of length {len(value)}]"
    try:
        return clip_text(repr(value), RESULT_CHARS)
    except Exception as error:
        return f"<{type(value).__name__}: its repr failed with {type(error).__name__}: {error}>"


def evaluate(code, filename):
    """Runs the code in __main__ and returns the value of its last expression, or None."""
    lines = [line + "\n" for line in code.split("\n")]
    linecache.cache[filename] = (len(code), None, lines, filename)
    tree = ast.parse(code, filename)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    parts = [compile(tree, filename, "exec", flags, True)]
    if last is not None:
        parts.append(compile(last, filename, "eval", flags, True))
    if any(part.co_flags & inspect.CO_COROUTINE for part in parts):
        return asyncio.run(evaluate_async(parts))
    value = None
    for part in parts:
        value = eval(part, __main__.__dict__)
    return value


async def evaluate_async(parts):
    value = None
    for part in parts:
        value = eval(part, __main__.__dict__)
        if inspect.iscoroutine(value) and part.co_flags & inspect.CO_COROUTINE:
            value = await value
    return value


def describe(error, work):
    """Name, message and a traceback of the user's own frames."""
    try:
        message = str(error)
    except Exception:
        message = "(its message could not be made)"
    if isinstance(error, MemoryError) and not message:
        message = "not enough memory in the sandbox; work on smaller pieces"
    try:
        trace = traceback.TracebackException(type(error), error, error.__traceback__)
        chain, seen = [trace], set()
        while chain:
            one = chain.pop()
            if one is None or id(one) in seen:
                continue
            seen.add(id(one))
            own = [f for f in one.stack if f.filename.startswith(("<call ", work))]
            one.stack[:] = own
            chain += [one.__cause__, one.__context__]
        text = "".join(trace.format())
    except Exception:
        text = f"{type(error).__name__}: {message}"
    return {
        "name": type(error).__name__,
        "message": clip_text(message, MESSAGE_CHARS),
        "traceback": clip_text(text, TRACEBACK_CHARS),
    }


def run_code(request, watch, notes):
    """Returns (status, result, error). Whatever the code raises stays in here."""
    status, result, error = "done", None, None
    sys._stride_calls += 1
    try:
        watch.armed = True
        value = evaluate(request["code"], f"<call {sys._stride_calls}>")
        if value is not None:
            result = bounded_repr(value)
        save_figures(request["work"], notes)
        watch.armed = False
    except Stopped:
        status = "timeout"
    except SystemExit as leave:
        if leave.code in (None, 0):
            notes.append("The code ended itself with exit().")
        else:
            status, error = "error", describe(leave, request["work"])
    except BaseException as problem:
        status, error = "error", describe(problem, request["work"])
        if isinstance(problem, SyntaxError) and (problem.text or "").lstrip()[:1] in ("!", "%"):
            notes.append("Only plain Python runs here: name packages in requirements instead of !pip.")
    finally:
        watch.armed = False
    return status, result, error


def run_call(request, paths, notes):
    record = Record()
    streams = sys.stdin, sys.stdout, sys.stderr
    pid = os.getpid()
    os.chdir(request["work"])
    importlib.invalidate_caches()
    warnings.filterwarnings("ignore", message=".*(non-interactive|non-GUI backend).*")
    loop = asyncio._get_running_loop()  # Jupyter's own; without it asyncio.run works in the code
    asyncio._set_running_loop(None)
    saved = capture().start(record)
    began = time.time()
    start_watch = WasmWatch if IS_WASM else Watch
    try:
        watch = start_watch(request["seconds"], paths, record)
    except RuntimeError:  # no thread can be started: processes of earlier calls fill the limit
        end_processes(0)
        notes.append("Processes that earlier calls had left running were ended: there were too many.")
        watch = start_watch(request["seconds"], paths, record)
    sys.stdin, sys.stdout, sys.stderr = io.StringIO(), Stream("stdout", 1), Stream("stderr", 2)
    status, result, error = "error", None, None
    try:
        try:
            status, result, error = run_code(request, watch, notes)
        except Stopped:  # the signal came between the code's end and the disarming
            status = "timeout"
    finally:
        if os.getpid() != pid:  # a child that the code forked and forgot must not become a kernel
            os._exit(0)
        watch.close()
        if status == "timeout":
            end_processes(began)
        sys.stdin, sys.stdout, sys.stderr = streams
        capture().stop(saved)
        asyncio._set_running_loop(loop)
    if status == "timeout":
        notes.append(
            "The run was cancelled while the code was running."
            if watch.reason == "cancelled"
            else f"The code was interrupted after {request['seconds']:g} seconds; variables it had"
            " set are kept. Do less in one call, or split the work over several."
        )
    return {"status": status, "result": result, "error": error, **record.texts()}


def paths_of(request):
    base = f"{request['root']}/calls/{request['key']}"
    return {k: f"{base}.{k}" for k in ("started", "done", "partial", "cancel")}


def main(text):
    """One request: run a call, or (mode collect) write the record of a call that was cut off."""
    request = json.loads(text)
    paths = paths_of(request)
    for folder in (request["work"], request["root"] + "/calls"):
        os.makedirs(folder, exist_ok=True)
    if os.path.exists(paths["done"]):
        return
    fill_reserve(request["root"])
    notes = []
    check_generation(request, notes)
    started = read_json(paths["started"])
    if request.get("mode") == "collect" or started is not None:
        partial = read_json(paths["partial"]) or {"output": "", "stdout": "", "stderr": ""}
        outcome = request.get("outcome") or {
            "status": "unknown",
            "note": "This call was started before and its end is not on record: it may have run in"
            " part. Look at the files and send the code again if that is safe.",
        }
        notes.insert(0, outcome["note"])
        record = {"result": None, "error": outcome.get("error"), **partial}
        record["status"] = outcome["status"]
    else:
        remember_uploads(request)
        write_json(paths["started"], {"generation": sys._stride_generation, "at": time.time()})
        record = run_call(request, paths, notes)
    record["files"] = changed_files({**request, "uploaded": []}, notes)
    record["notes"] = notes
    write_json(paths["done"], record)
    for name in ("partial", "cancel"):
        if os.path.exists(paths[name]):
            os.remove(paths[name])
`;

/** The whole module as one file. */
export const PYTHON_CELL = PYTHON_CAPTURE + PYTHON_WATCH + PYTHON_FILES + PYTHON_CALL;

/** Changes with the text, so that a deploy never meets an older module already imported. */
export const PYTHON_CELL_MODULE = `stride_cell_${fnv1a(PYTHON_CELL)}`;

/** FNV-1a over UTF-16 units, 8 hex digits: a version tag, nothing secret. */
function fnv1a(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** What `main` takes. Times in seconds, paths absolute inside the sandbox. */
export interface CellRequest {
  /** File name of the call's markers. */
  key: string;
  code: string;
  /** Hidden folder and working directory. */
  root: string;
  work: string;
  seconds: number;
  /** Paths that were uploaded for this call. */
  uploaded: string[];
  /** Every workspace file in the sandbox: path → object. */
  manifest: Record<string, string>;
  mode?: 'collect';
  /** Collect only: what is known about how the call ended. */
  outcome?: {
    status: 'timeout' | 'error' | 'unknown';
    note: string;
    error?: { name: string; message: string; traceback: string };
  };
}

/**
 * The line that the kernel executes. A JSON string literal is a valid Python one, and the request
 * never becomes names in the user's namespace.
 */
export function cellInvocation(root: string, request: CellRequest): string {
  const folder = JSON.stringify(root);
  const text = JSON.stringify(JSON.stringify(request));
  return [
    `${folder} in __import__("sys").path or __import__("sys").path.append(${folder})`,
    `__import__("importlib").import_module("${PYTHON_CELL_MODULE}").main(${text})`,
  ].join('\n');
}
