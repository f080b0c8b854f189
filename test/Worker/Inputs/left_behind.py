"""Kills a worker while a compiler runs for it, and waits until nothing of either
is left: left_behind.py FOLDER. The folder, where temporary files go, ends up
empty, and no process has it as its own."""
import glob
import json
import os
import signal
import subprocess
import sys
import time

LONGEST = 60  # Seconds; what is waited for takes a fraction of one.


def wait(condition, what):
    for _ in range(LONGEST * 20):
        if condition():
            return
        time.sleep(0.05)
    sys.exit("still so after %d s: %s" % (LONGEST, what))


def users(folder):
    """The processes whose TMPDIR is in the folder: compilers."""
    found = []
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as text:
                if b"TMPDIR=" + folder.encode() + b"/" in text.read():
                    found.append(path)
        except OSError:
            pass
    return found


def main():
    folder = sys.argv[1]
    shape = {"name": "base", "buffers": [], "arguments": [], "launch": {"grid": [1], "block": [1]}}
    request = {"id": 1, "op": "prepare", "kernel": "k", "needs_fibers": False, "flags": [],
               "source": "__global__ void k() {}\n", "shapes": [shape]}
    worker = subprocess.Popen(["mep-worker", "--platform=cpu", "--no-bandwidth"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, env=dict(os.environ, TMPDIR=folder))
    worker.stdin.write(json.dumps(request).encode() + b"\n")
    worker.stdin.flush()
    wait(lambda: glob.glob(folder + "/*/*/unit.cpp") and users(folder), "no compiler runs")
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    wait(lambda: not os.listdir(folder), "a folder is left")
    wait(lambda: not users(folder), "a process is left")
    print("nothing is left")


main()
