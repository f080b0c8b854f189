"""Requests with a candidate that tries to get out of the worker, and an honest
one behind it: escapes.py ATTEMPT [FOLDER]. The kernel's answer is wrong exactly
when the attempt succeeds. FOLDER holds the file `secret`. Unconfined, no attempt
does harm."""
import json
import sys

DECLARATIONS = """
#include <cerrno>
#include <cstdlib>
extern "C" {
int open(const char *, int, ...);
long read(int, void *, unsigned long);
long write(int, const void *, unsigned long);
int close(int);
int fork();
int setsid();
int getppid();
int kill(int, int);
int socket(int, int, int);
int execve(const char *, char *const *, char *const *);
long ptrace(int, ...);
unsigned usleep(unsigned);
unsigned long getauxval(unsigned long);
void *mmap(void *, unsigned long, int, int, int, long);
int munmap(void *, unsigned long);
int prlimit(int, int, const void *, void *);
void _exit(int);
}
"""

ATTEMPTS = {
    # Files.
    "read": "char c; int f = open(\"@/secret\", 0); return f >= 0 && read(f, &c, 1) == 1;",
    "list": "return open(\"@\", 0200000) >= 0;",
    "write": "int f = open(\"@/written\", 0101, 0600); return f >= 0 && write(f, \"x\", 1) == 1;",
    "truncate": "return open(\"@/secret\", 02001) >= 0;",
    "map": "int f = open(\"@/secret\", 0); if (f < 0) return false;"
           "void *p = mmap(nullptr, 4096, 1, 2, f, 0); return p != (void *)-1 && *(char *)p == 'S';",
    "memory-file": "return open(\"/proc/self/mem\", 2) >= 0;",
    # The environment: where it is listed, where it lay, and through the system.
    "variable": "return std::getenv(\"MEP_TEST_KEY\") != nullptr;",
    "stack": "const char *end = (const char *)getauxval(31);"
             "for (const char *p = end - 8192; p < end; ++p)"
             " if (p[0] == 'M' && p[1] == 'E' && p[2] == 'P' && p[4] == 'T' && p[9] == 'K' && p[12] == '=')"
             " return true; return false;",
    "environment-file": "char c; int f = open(\"/proc/self/environ\", 0); return f >= 0 && read(f, &c, 1) >= 0;",
    # Memory, in more than any device has; none of it is touched.
    "allocate": "static void *all[4096]; int n = 0;"
                "while (n < 4096 && (all[n] = mmap(nullptr, 1ul << 30, 3, 0x4022, -1, 0)) != (void *)-1) ++n;"
                "bool every = n == 4096; while (n) munmap(all[--n], 1ul << 30); return every;",
    "share": "void *p = mmap(nullptr, 4096, 3, 0x21, -1, 0); return p != (void *)-1;",
    "raise": "unsigned long l[2] = {1ul << 40, ~0ul}; return prlimit(0, 2, l, nullptr) == 0;",
    # Beyond the process.
    "socket": "return socket(2, 1, 0) >= 0;",
    "local-socket": "return socket(1, 1, 0) >= 0;",
    "fork": "int p = fork(); if (p == 0) _exit(0); return p > 0;",
    "leave-behind": "int p = fork(); if (p == 0) { setsid(); usleep(500000); _exit(0); } return p > 0;",
    "program": "char *no[] = {nullptr}; execve(\"/nonexistent\", no, no); return errno == ENOENT;",
    "parent": "return kill(getppid(), 0) == 0;",
    "trace": "ptrace(3, getppid(), 0, 0); return errno == ESRCH;",
}

# Text that the compiler itself is to fetch.
SOURCES = {
    "include": ("#include \"@/secret\"\n", "return false;"),
    "embed": ("static const char mine[] = {\n#embed \"@/secret\"\n};\n",
              "return *(const volatile char *)mine == 'S';"),
    "incbin": ("asm(\".pushsection .rodata\\nmine: .incbin \\\"@/secret\\\"\\n.popsection\");\n"
               "extern \"C\" const char mine[];\n",
               "return *(const volatile char *)mine == 'S';"),
}

HEAD = "extern \"C\" __global__ void saxpy(float *y, const float *x, float a, int n) {\n" \
       "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"


def kernel(name, folder):
    before, body = SOURCES.get(name) or (DECLARATIONS, ATTEMPTS[name])
    text = before + "static bool attempt() { %s }\n" % body + HEAD + \
        "  bool got = i == 0 && attempt();\n" \
        "  if (i < n) y[i] = a * x[i] + (got ? 99.0f : 1.0f);\n}\n"
    return text.replace("@", folder)


def evaluate(number, name, source):
    return {"id": number, "op": "evaluate", "candidate": name, "needs_fibers": False, "source": source,
            "plans": [{"launches": [{"kernel": "saxpy", "grid": [12, 1, 1], "block": [256, 1, 1],
                                     "shared_bytes": 0}], "scratch": []}]}


def probe(name, folder):
    def buffer(what, role):
        return {"name": what, "count": 64, "role": role, "rule": "zero", "element": {"bytes": 4}}

    def pointer(what):
        return {"name": what, "bytes": "00" * 8, "pointers": [{"offset": 0, "buffer": what}]}
    source = kernel(name, folder).replace("got ? 99.0f : 1.0f", "1.0f").replace(
        "bool got = i == 0 && attempt();", "if (i == 0 && attempt()) y[-1] = 0;")
    return {"id": 2, "op": "probe", "kernel": "saxpy", "needs_fibers": False, "source": source,
            "shape": {"name": "base", "buffers": [buffer("y", "out"), buffer("x", "in")],
                      "arguments": [pointer("y"), pointer("x"), {"name": "a", "bytes": "00" * 4},
                                    {"name": "n", "bytes": "40000000"}],
                      "launch": {"grid": [1], "block": [64]}}}


def main():
    name, folder = sys.argv[1], sys.argv[-1]
    if name == "probe":
        print(json.dumps(probe(sys.argv[2], folder)))
        return
    path = __file__.rsplit("/", 1)[0] + "/saxpy.txt"
    with open(path) as text:
        print(text.read().replace("\n", "").replace("@", ""))
    print(json.dumps(evaluate(2, name, kernel(name, folder))))
    print(json.dumps(evaluate(3, "honest", HEAD + "  if (i < n) y[i] = a * x[i] + 1.0f;\n}\n")))


main()
