# How lit runs the suite: suffixes, tools on PATH, features by capability.
import glob
import os
import shutil
import subprocess
import sys

import lit.formats

config.name = "clang-mep-opt"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cu", ".hip", ".cpp", ".test"]
config.excludes = ["Inputs", "Sample", "Suite", "Unit", "CMakeLists.txt",
                   "candidates", "victim.cu"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.mep_binary_dir, "test")

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.mep_binary_dir, "bin"), config.llvm_tools_dir,
     os.environ.get("PATH", "")])
for name in ("CUDA_HOME", "CUDA_PATH", "HOME", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# Precompiled wrappers are shared by the tests and stay in the build folder.
config.environment["MEP_CACHE_DIR"] = os.path.join(config.mep_binary_dir, "cache")

config.substitutions.append(("%cxx", config.cxx))
config.substitutions.append(("%share", os.path.join(config.mep_binary_dir, "share", "clang-mep-opt")))
config.substitutions.append(("%{python}", sys.executable))
config.substitutions.append(("%source", config.mep_source_dir))


def runs(*command):
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


if os.geteuid() != 0:  # Root may read and write whatever the mode says.
    config.available_features.add("unprivileged")
if shutil.which("nvcc") and runs("nvcc", "--version"):
    config.available_features.add("cuda-toolkit")
if shutil.which("nvidia-smi") and runs("nvidia-smi", "-L"):
    config.available_features.add("cuda-gpu")
# What confines workers, both of it; where the kernel lacks some, README.md of
# the worker says what remains.
try:
    hello = subprocess.run([os.path.join(config.mep_binary_dir, "bin", "mep-worker"), "--platform=cpu",
                            "--no-bandwidth"], input=b'{"id":1,"op":"hello"}', capture_output=True, timeout=60)
    if b'"sandbox":["landlock","seccomp","rlimits"]' in hello.stdout:
        config.available_features.add("sandbox")
except (OSError, subprocess.TimeoutExpired):
    pass
if shutil.which("hipcc"):
    config.available_features.add("hip-toolkit")
if glob.glob("/dev/kfd"):
    config.available_features.add("hip-gpu")
