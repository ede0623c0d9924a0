"""Files, as envd serves them. Only regular files are opened: a pipe or a device could block."""


def inside(path):
    return os.path.normpath(os.path.join(HOME, os.path.expanduser(path)))


def read_file(header, _body):
    path = inside(header["path"])
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(fd, "rb") as file:
        info = os.fstat(file.fileno())
        if not stat.S_ISREG(info.st_mode):
            raise Failure(400, f"path '{path}' is not a file")
        if info.st_size > MAX_FILE:
            raise Failure(400, f"file '{path}' is above {MAX_FILE} bytes")
        return file.read(MAX_FILE)


def write_file(header, body):
    path = inside(header["path"])
    os.makedirs(os.path.dirname(path), exist_ok=True)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK, 0o644)
    with os.fdopen(fd, "wb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise Failure(400, f"path '{path}' is not a file")
        file.write(body)
    return entry(path)


def entry(path):
    info = os.lstat(path)
    kind = "FILE" if stat.S_ISREG(info.st_mode) else "UNSPECIFIED"
    kind = "DIRECTORY" if stat.S_ISDIR(info.st_mode) else kind
    made = {
        "name": os.path.basename(path),
        "path": path,
        "size": str(info.st_size),
        "mode": stat.S_IMODE(info.st_mode),
        "permissions": stat.filemode(info.st_mode),
        "owner": "user",
        "group": "user",
        "modifiedTime": f"{_iso(info.st_mtime)}",
    }
    if stat.S_ISLNK(info.st_mode):
        kind, made["symlinkTarget"] = "SYMLINK", os.readlink(path)
    made["type"] = f"FILE_TYPE_{kind}"
    return made


def _iso(seconds):
    import datetime

    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).isoformat().replace("+00:00", "Z")


def stat_path(header, _body):
    return {"entry": entry(inside(header["path"]))}


def list_dir(header, _body):
    top = inside(header["path"])
    found, folders = [], [(top, int(header.get("depth") or 1))]
    while folders and len(found) < 10_000:
        folder, depth = folders.pop()
        for name in sorted(os.listdir(folder)):
            made = entry(os.path.join(folder, name))
            found.append(made)
            if depth > 1 and made["type"] == "FILE_TYPE_DIRECTORY":
                folders.append((made["path"], depth - 1))
    return {"entries": found}


def make_dir(header, _body):
    path = inside(header["path"])
    if os.path.isdir(path):
        raise Failure(409, f"directory already exists: {path}")
    os.makedirs(path)
    return {"entry": entry(path)}


def remove_path(header, _body):
    path = inside(header["path"])
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.remove(path)
    return {}


def move_path(header, _body):
    target = inside(header["destination"])
    os.rename(inside(header["source"]), target)
    return {"entry": entry(target)}
