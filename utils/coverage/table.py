"""Records of programs as text: the stages with the share of kernels that reach
them, the reasons why not by class, and a line a kernel."""
import collections
import pathlib
import re


def kernels(records):
    return [(record, kernel) for record in records for kernel in record["kernels"]]


def is_carved(kernel):
    return kernel["stage"] not in ("closure", "") or not kernel["error"]


def compiles(kernel):
    return kernel.get("compiler") in ("nvrtc", "nvcc -cubin")


def has_workload(kernel):
    return kernel["workload"] is not None


def ran_clean(kernel):
    return kernel["baseline"] is not None


def discovery(records):
    """(found, counted) kernels and launches where the census could count."""
    found = counted = found_launches = counted_launches = 0
    missing = []
    for record in records:
        census = record.get("census")
        if not census:
            continue
        names = {k["kernel"]["name"] for k in record["kernels"]}
        left = record.get("left_out", 0)
        wanted = set(census["kernels"])
        lost = wanted - names
        counted += len(wanted)
        # Kernels nobody launches are found, then left out with a note.
        found += len(wanted) - max(0, len(lost) - left)
        if len(lost) > left:
            missing.append(f"{record['program']}: {', '.join(sorted(lost))}")
        sites = {f"{l['place']['file']}:{l['place']['line']}" for k in record["kernels"]
                 for l in k["kernel"]["launches"] if l["kind"] != "api"}
        counted_launches += len(census["launches"])
        found_launches += sum(1 for place in census["launches"] if near(place, sites))
    return found, counted, found_launches, counted_launches, missing


def near(place, sites):
    """A launch may begin some lines above its `<<<`."""
    file, line = place.rsplit(":", 1)
    return any(f"{file}:{int(line) - back}" in sites for back in range(0, 8))


def normal(text):
    """The message without what is of one kernel alone."""
    text = re.sub(r"'[^']*'", "'...'", text.splitlines()[0] if text else "")
    text = re.sub(r"\S*/\S+:\d+(:\d+)?:?", "", text)
    text = re.sub(r"\b\d[\d.e+-]*\b", "N", text)
    return re.sub(r"\s+", " ", text).strip()[:110]


def reasons(pairs):
    counter = collections.Counter()
    example = {}
    for where, text in pairs:
        key = normal(text)
        counter[key] += 1
        example.setdefault(key, where)
    return [f"  {count:4}  {key}  (e.g. {example[key]})" for key, count in counter.most_common()]


def share(part, whole):
    return f"{part} of {whole}" + (f" ({100 * part / whole:.1f} %)" if whole else "")


def stages(records):
    """Pairs of a stage and the share of kernels that reach it."""
    all_kernels = [kernel for _, kernel in kernels(records)]
    carved = [k for k in all_kernels if is_carved(k)]
    built = [k for k in carved if compiles(k)]
    proven = [k for k in all_kernels if k["fidelity"]["status"] in ("same", "different", "failed")]
    found, counted, launches, counted_launches, _ = discovery(records)
    rows = [("programs that parsed", share(sum(bool(r["kernels"]) for r in records), len(records))),
            ("kernels found, against an independent count", share(found, counted)),
            ("launches found, against an independent count", share(launches, counted_launches)),
            ("closure cut", share(len(carved), len(all_kernels))),
            ("closure compiles (NVRTC or nvcc -cubin)", share(len(built), len(all_kernels))),
            ("of those, with NVRTC", share(sum(k["compiler"] == "nvrtc" for k in built), len(built))),
            ("fidelity: same machine code", share(sum(k["fidelity"]["status"] == "same" for k in proven),
                                                  len(proven))),
            ("workload inferred", share(sum(map(has_workload, all_kernels)), len(all_kernels))),
            ("of those, without an assumed value",
             share(sum(has_workload(k) and not assumed(k) for k in all_kernels), sum(map(has_workload, all_kernels)))),
            ("MEP written", share(sum(bool(k["workload"]) and k["stage"] not in ("workload",) or
                                      bool(k["workload"]) and not k["error"] for k in all_kernels), len(all_kernels)))]
    compared = [k for k in all_kernels if was_compared(k)]
    if compared:
        rows.append(("access model agrees with the probe",
                     share(sum(not k["access_check"]["differences"] for k in compared), len(compared))))
    if any(map(ran_clean, all_kernels)):
        rows.append(("ran clean", share(sum(map(ran_clean, all_kernels)), len(all_kernels))))
    rows.append(("a winner could be spliced", share(sum(k["splice_rehearsal"] == "ok" for k in carved), len(carved))))
    return rows


def was_compared(kernel):
    """True if a probe ran and the model claims something that it can refute."""
    check = kernel.get("access_check") or {}
    return not check.get("not_compared") and check.get("exact", 0) + check.get("at_most", 0) > 0


def differences(pairs):
    """A line a kernel whose accesses are not what the probe saw."""
    lines = []
    for where, kernel in pairs:
        found = (kernel.get("access_check") or {}).get("differences", [])
        if found:
            lines.append(f"  {len(found):4}  {where}: {found[0]}")
    return lines or ["  none"]


def assumed(kernel):
    return bool((kernel["workload"] or {}).get("assumptions"))


def summary(records):
    lines = [f"{stage:50} {value}" for stage, value in stages(records)]
    pairs = kernels(records)

    def where(record, kernel):
        return f"{record['program']} {kernel['kernel']['qualified_name']}"

    lines += ["", "Programs without kernels:"]
    lines += reasons((r["program"], r["message"] or "nothing said") for r in records if not r["kernels"])
    lines += ["", "Kernels that stopped, by stage and reason:"]
    lines += reasons((where(r, k), f"{k['stage']}: {k['error']}") for r, k in pairs if k["error"])
    lines += ["", "Compilers' reasons:"]
    lines += reasons((where(r, k), k["compiler"]) for r, k in pairs if k.get("compiler") and not compiles(k))
    lines += ["", "Fidelity, where not the same:"]
    lines += reasons((where(r, k), k["fidelity"]["status"] + ": " + k["fidelity"]["detail"]) for r, k in pairs
                     if k["fidelity"]["status"] != "same")
    lines += ["", "Not spliceable:"]
    lines += reasons((where(r, k), k["splice_rehearsal"]) for r, k in pairs if k["splice_rehearsal"] not in ("", "ok"))
    lines += ["", "Differences between access model and probe, by kernel:"]
    lines += differences((where(r, k), k) for r, k in pairs)
    lines += ["", "Kernels the census has and the tool has not:"]
    lines += ["  " + text for text in discovery(records)[4]]
    return "\n".join(lines)


def times(records):
    """Where the tool waited or worked, longest first."""
    seconds = collections.Counter()
    for record in records:
        seconds.update(record.get("scopes") or {})
    return "\n".join(f"{value:8.1f} s  {name}" for name, value in seconds.most_common())


def render(records, seconds):
    rows = ["| program | kernel | launches | closure | fidelity | workload | splice | reason |",
            "|---|---|---|---|---|---|---|---|"]
    for record, kernel in kernels(records):
        reason = normal(kernel["error"]).replace("|", "\\|")
        workload = "assumed" if assumed(kernel) else "yes" if has_workload(kernel) else "no"
        compiler = kernel.get("compiler", "")
        rows.append(f"| {record['program']} | {kernel['kernel']['qualified_name']} "
                    f"| {len(kernel['kernel']['launches'])} | {compiler if compiles(kernel) else 'no'} "
                    f"| {kernel['fidelity']['status']} | {workload} "
                    f"| {'yes' if kernel['splice_rehearsal'] == 'ok' else 'no'} | {reason} |")
    peak = max((r.get("mib") or 0 for r in records), default=0)
    cpu = sum(r.get("cpu_seconds") or 0 for r in records)
    return (summary(records) + f"\n\n{seconds:.0f} s in all, {cpu:.0f} s of a CPU by the tool, its compilers and its "
            f"workers, {peak:.0f} MiB at the peak of one process.\n\n" +
            "Seconds by what the tool did, programs that were cut off left out:\n" + times(records) + "\n\n" +
            "\n".join(rows) + "\n")
