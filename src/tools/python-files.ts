/**
 * Third part of the Python module that runs inside the sandbox: which files a call wrote or
 * changed, told apart from those that were put there for it, and figures saved as files.
 */
export const PYTHON_FILES = `
MAX_OUTPUT_FILES = 20
MAX_OUTPUT_FILE_BYTES = 10_000_000
MAX_WALKED_FILES = 5_000
IGNORED = ("__pycache__", ".*")


def list_files(work):
    """Every regular file below work: path → [size, mtime_ns, inode]. Links are never followed."""
    found, odd = {}, []
    for folder, folders, names in os.walk(work, followlinks=False):
        folders[:] = sorted(f for f in folders if not any(fnmatch.fnmatch(f, i) for i in IGNORED))
        for name in sorted(names):
            full = os.path.join(folder, name)
            path = os.path.relpath(full, work)
            if name.startswith(".") or len(found) >= MAX_WALKED_FILES:
                continue
            try:
                info = os.lstat(full)
                path.encode("utf-8")
            except (OSError, UnicodeError):
                odd.append(ascii(path))
                continue
            if stat.S_ISREG(info.st_mode):
                found[path] = [info.st_size, info.st_mtime_ns, info.st_ino]
    return found, odd


def changed_files(request, notes):
    """What was written since the last look. Reading a file does not change it."""
    before = read_json(request["root"] + "/files.json") or {}
    now, odd = list_files(request["work"])
    for path in request.get("uploaded", []):
        if path in now and path not in before:
            before[path] = now[path]
    changed, kept_back = [], []
    for path, state in now.items():
        if before.get(path) == state:
            continue
        if state[0] > MAX_OUTPUT_FILE_BYTES:
            kept_back.append(f"{path} ({state[0]} bytes, above {MAX_OUTPUT_FILE_BYTES})")
        elif len(changed) >= MAX_OUTPUT_FILES:
            kept_back.append(f"{path} (more than {MAX_OUTPUT_FILES} files)")
        else:
            changed.append({"path": path, "bytes": state[0]})
    if kept_back:
        more = f" and {len(kept_back) - 10} more" if len(kept_back) > 10 else ""
        notes.append(f"Not saved, only in the sandbox: {', '.join(kept_back[:10])}{more}.")
    if odd:
        notes.append(f"Not saved, unreadable names: {', '.join(odd[:5])}.")
    write_json(request["root"] + "/files.json", now)
    return changed


def remember_uploads(request):
    """Files that the caller has just put there are its own, not the code's."""
    path = request["root"] + "/files.json"
    before = read_json(path) or {}
    now, _ = list_files(request["work"])
    for name in request.get("uploaded", []):
        if name in now:
            before[name] = now[name]
    write_json(path, before)
    write_json(request["root"] + "/manifest.json", request.get("manifest", {}))


def save_figures(work, notes):
    """Open matplotlib figures become plot_1.png, plot_2.png, … in the working directory."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    number = 1
    for figure in pyplot.get_fignums():
        while os.path.lexists(f"{work}/plot_{number}.png"):
            number += 1
        try:
            pyplot.figure(figure).savefig(f"{work}/plot_{number}.png", format="png")
        except Exception as error:
            notes.append(f"A figure could not be saved: {type(error).__name__}: {error}")
    pyplot.close("all")
`;
