"""What a `--time-trace` of the tool says: seconds by scope of the tool's own
(their names begin with `mep: `), each without the scopes inside it."""
import collections
import json

PREFIX = "mep: "


def scopes(file):
    """Self seconds by name; empty when there is no trace (a run that was cut)."""
    try:
        with open(file) as text:
            events = json.load(text)["traceEvents"]
    except (OSError, ValueError):
        return {}
    own = [e for e in events if e.get("ph") == "X" and e["name"].startswith(PREFIX)]
    own.sort(key=lambda e: (e["tid"], e["ts"], -e["dur"]))
    seconds = collections.Counter()
    around = []
    for event in own:
        while around and (around[-1]["tid"] != event["tid"] or
                          around[-1]["ts"] + around[-1]["dur"] <= event["ts"]):
            around.pop()
        if around:
            seconds[around[-1]["name"]] -= event["dur"] / 1e6
        around.append(event)
        seconds[event["name"]] += event["dur"] / 1e6
    return {name.removeprefix(PREFIX): value for name, value in seconds.items()}
