"""The compile database of a program folder: its own where there is one, else
one derived without building anything, from a dry run of make or from CMake's
configure step; a folder with neither gets one plain nvcc command a file."""
import json
import os
import pathlib
import re
import shlex
import subprocess

COMPILERS = re.compile(r"(^|/)(nvcc|hipcc|nvc\+\+|mpicc|mpicxx|mpic\+\+|clang\+\+(-\d+)?|amdclang\+\+)$")
DEVICE_SUFFIXES = {".cu", ".cuknl", ".hip"}
SOURCE = re.compile(r"\.(cu|cuknl|hip|cpp|cc|cxx|C)$")
SECONDS = 120


def find(folder):
    """Path of a database that the program brings, or None."""
    for name in (".", "build", "out", "cmake-build-release"):
        path = folder / name / "compile_commands.json"
        if path.exists():
            return path
    return None


def make(folder, variables, dialect):
    """Entries from `make -n`: what the makefile would run, of compilers with a
    device source."""
    run = subprocess.run(["make", "-n", "-B", "-k", *variables], cwd=folder, capture_output=True,
                         text=True, errors="replace", timeout=SECONDS, stdin=subprocess.DEVNULL)
    entries = []
    directory = folder
    for line in run.stdout.replace("\\\n", " ").splitlines():
        entered = re.match(r"make(?:\[\d+\])?: (Entering|Leaving) directory '(.+)'", line)
        if entered:
            directory = pathlib.Path(entered[2]) if entered[1] == "Entering" else folder
        for part in re.split(r"&&|;", line):
            entries += entries_of(part, directory, dialect)
    return entries


def entries_of(command, directory, dialect):
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    if not words or not COMPILERS.search(words[0]):
        return []
    files = [word for word in words[1:] if SOURCE.search(word)]
    is_device = [f for f in files if pathlib.Path(f).suffix in DEVICE_SUFFIXES or
                 re.search(r"(^| )-x ?(cu|cuda|hip)( |$)", " ".join(words)) or
                 (dialect == "hip" and words[0].endswith("hipcc"))]
    entries = []
    for file in is_device:
        path = (directory / file).resolve()
        if path.exists():
            rest = [word for word in words if word not in files]
            arguments = rest + ([] if "-c" in rest else ["-c"]) + [file]
            entries.append({"directory": str(directory), "file": str(path), "arguments": arguments})
    return entries


def cmake(folder, output):
    """Entries of CMake's own export; nothing is compiled."""
    build = output / "cmake"
    subprocess.run(["cmake", "-S", str(folder), "-B", str(build), "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"],
                   capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
    path = build / "compile_commands.json"
    return json.loads(path.read_text()) if path.exists() else []


def plain(folder, dialect):
    compiler = ["hipcc"] if dialect == "hip" else ["nvcc", "-O3"]
    suffixes = {".cpp", ".hip", ".cu"} if dialect == "hip" else DEVICE_SUFFIXES
    return [{"directory": str(path.parent), "file": str(path),
             "arguments": [*compiler, "-I" + str(folder), "-c", path.name]}
            for path in sorted(folder.rglob("*")) if path.suffix in suffixes and
            b"__global__" in path.read_bytes()]


def derive(folder, output, variables, dialect):
    """Entries of the program in `folder`, each file once, in build order."""
    entries = []
    if any((folder / name).exists() for name in ("Makefile", "makefile", "GNUmakefile")):
        entries = make(folder, variables, dialect)
    if not entries and (folder / "CMakeLists.txt").exists():
        entries = cmake(folder, output)
    entries = entries or plain(folder, dialect)
    return list({entry["file"]: entry for entry in entries}.values())


def provide(folder, output, variables=(), dialect="cuda"):
    """Path of the folder with the program's compile_commands.json."""
    own = find(folder)
    if own:
        return own.parent
    path = output / "compile_commands.json"
    if not path.exists():
        entries = derive(folder, output, variables, dialect)
        os.makedirs(output, exist_ok=True)
        path.write_text(json.dumps(entries, indent=1))
    return output
