"""Kernels and launches of a unit counted by other means than the tool's: nvcc
preprocesses it, and the text that comes from the program's own files is
searched for definitions of `__global__` functions and for `<<<`."""
import pathlib
import re
import shlex
import subprocess

LINE_MARK = re.compile(r'^# (\d+) "([^"]*)"')
GLOBAL = r"__attribute__\s*\(\(\s*(?:__)?global(?:__)?\s*\)\)"
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'')
SECONDS = 120


def own_lines(text, folder, directory):
    """(file, line number, text) of the lines that lie under `folder`; the compiler
    ran in `directory`."""
    file, number = "", 0
    inside = {}
    for line in text.splitlines():
        mark = LINE_MARK.match(line)
        if mark:
            number, file = int(mark[1]), mark[2]
            continue
        if file not in inside:
            path = pathlib.Path(directory, file).resolve()
            inside[file] = path if path.is_relative_to(folder) else None
        if inside[file]:
            yield inside[file], number, line
        number += 1


def kernels_in(text):
    """Names of the kernels defined in preprocessed text: from each attribute the
    name before the first parenthesis that is none of an attribute, if a brace
    comes before the next semicolon."""
    names = set()
    for match in re.finditer(GLOBAL, text):
        rest = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|__launch_bounds__\s*\([^()]*\)", " ",
                      text[match.end():match.end() + 4000])
        head = re.match(r"[^;{]*?(\w+)\s*\(", rest)
        if not head:
            continue
        depth, at = 1, head.end()
        while at < len(rest) and depth:
            depth += {"(": 1, ")": -1}.get(rest[at], 0)
            at += 1
        if re.match(r"\s*\{", rest[at:]):
            names.add(head[1])
    return names


def count(entry, folder):
    """{"kernels": names, "launches": [file:line]} of one entry, or the reason
    why nvcc did not preprocess it."""
    given = entry.get("arguments") or shlex.split(entry["command"])
    words = [w for w in given if w not in ("-c", "-dc", "-MD", "-MMD", "-MP", "--use_fast_math")]
    for flag in ("-o", "-MF", "-MT"):
        while flag in words:
            at = words.index(flag)
            del words[at:at + 2]
    try:
        run = subprocess.run(words + ["-E"], cwd=entry["directory"], capture_output=True, text=True,
                             errors="replace", timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"problem": str(error)}
    if run.returncode:
        lines = [line for line in run.stderr.splitlines() if "error" in line]
        return {"problem": (lines or ["failed"])[0]}
    # Only the device pass and the host pass see everything; both are in -E's
    # output of the last pass alone, so kernels are taken by name.
    lines = list(own_lines(run.stdout, folder, entry["directory"]))
    text = "\n".join(STRING.sub('""', line) for _, _, line in lines)
    launches = sorted({f"{path}:{number}" for path, number, line in lines if "<<<" in STRING.sub('""', line)})
    return {"kernels": sorted(kernels_in(text)), "launches": launches}
