"""Who may include whom: the layers of the design, and which folder may know which third-party library."""

import os
import re

from .tree import Finding, find, is_below, is_cpp

EVERYTHING = None

# The folder of a file → the folders it may include from, besides its own. The longest matching folder counts.
LAYERS = {
    "include/makegood": [],
    "src/base": ["include/makegood"],
    "src/core": ["include/makegood", "src/base/digest.hpp", "src/base/json.hpp", "src/base/json_text.hpp",
                 "src/base/message_gone.hpp", "src/base/row_names.hpp", "src/base/saga_calls.hpp",
                 "src/base/saga_url.hpp", "src/base/template_syntax.hpp", "src/base/utf8.hpp",
                 "src/base/without_content.hpp"],
    "src/engine": ["include/makegood", "src/base", "src/core"],
    "src/stores": ["include/makegood", "src/base", "src/stores/sql"],
    "src/transports": ["include/makegood", "src/base", "src/transports/net", "src/transports/broker"],
    "src/seal": ["include/makegood", "src/base"],
    "src/observe": ["include/makegood", "src/base"],
    "src/config": ["include/makegood", "src/base"],
    "src/api": ["include/makegood", "src/base", "src/core/saga"],  # journals are read, requests are made
    "src/server": ["include/makegood", "src/base", "src/api"],
    "src/proxy": ["include/makegood", "src/base", "src/observe/log.hpp", "src/api", "src/server",
                  "src/engine/renewals.hpp"],
    "src/daemon": ["include/makegood", "src/base", "src/observe", "src/config", "src/api", "src/server",
                   "src/transports/table.hpp", "src/engine/consumer.hpp"],
    "src/demo": ["include/makegood", "src/base", "src/config", "src/daemon/door.hpp"],
    "src/dev": ["include/makegood", "src/base", "src/api/path.hpp", "src/demo/receiver.hpp"],
    "src/rehearsal": ["include/makegood", "src/base", "src/core/saga", "src/engine/orchestrated_shard.hpp",
                      "src/stores/memory/memory.hpp", "src/api/saga_view.hpp"],
    "src/cli": EVERYTHING,
    "src/registry.cpp": EVERYTHING,
    "src/node.cpp": EVERYTHING,
    "sim": ["include/makegood", "src/base", "src/core", "src/stores/memory"],
    "examples": ["include/makegood"],
    "tests": EVERYTHING,
    "bench": EVERYTHING,
}

# In these, each child folder is a layer of its own: siblings do not know each other.
FOLDERS_OF_SIBLINGS = ["src/stores", "src/transports", "examples"]

# How an angle include begins → the folders that may have it, besides those where anything goes.
ANYTHING_GOES = ["tests", "bench"]
THIRD_PARTY = {
    "sqlite3.h": ["src/stores/sqlite", "src/cli/main", "src/demo", "examples"],
    "libpq-fe.h": ["src/stores/postgres", "examples"],
    "prometheus/": ["src/observe"],
    "yaml-cpp/": ["src/config", "src/cli"],
    "boost/": ["src/server", "src/proxy"],
    "CLI/": ["src/cli", "sim"],
    "curl/": ["src/transports/http", "src/cli", "src/demo", "src/dev"],
    "ares.h": ["src/transports/net"],
    "openssl/": ["src/transports/http", "src/transports/broker", "src/transports/nats", "src/seal", "src/proxy"],
    "spdlog/": ["src/observe"],
    "librdkafka/": ["src/transports/kafka"],
    "nats/": [],  # those of brokers only read in tests what we wrote
    "hiredis/": [],
    "amqp": [],
    "rapidjson/": ["src/base", "src/core/saga", "src/stores", "src/transports", "src/observe", "src/api", "src/server",
                   "src/proxy", "src/cli", "src/demo", "src/dev"],
    "fmt/": ["src/base", "src/engine", "src/stores", "src/transports", "src/seal", "src/observe", "src/config",
             "src/api",
             "src/server", "src/proxy", "src/daemon", "src/demo", "src/dev", "src/rehearsal", "src/cli",
             "src/registry.cpp", "src/node.cpp", "sim"],
    "makegood/": ["examples"],  # as others see us; inside the tree we are "makegood/…"
    "gtest/": [],
    "gmock/": [],
    "benchmark/": [],
}

# Headers of the operating system: for the layers that do input and output.
SYSTEM = re.compile(r"(sys|linux|netinet|arpa)/"
                    r"|(unistd|poll|pwd|netdb|fcntl|signal|pthread|dlfcn|termios|spawn|stdlib|strings|time|malloc)\.h")
SYSTEM_LAYERS = ["src/base", "src/engine", "src/stores", "src/transports", "src/observe", "src/config", "src/server",
                 "src/proxy", "src/daemon", "src/demo", "src/dev", "src/cli", "sim", "examples", *ANYTHING_GOES]
STANDARD = re.compile(r"[a-z_]+$|(stddef|stdint|stdbool)\.h$")

# core decides and nothing else: time, chance and threads are its caller's.
NOT_FOR_CORE = {"atomic", "condition_variable", "ctime", "filesystem", "fstream", "future", "iostream", "mutex",
                "random", "shared_mutex", "stop_token", "thread"}

_INCLUDE = r'(?m)^[ \t]*#[ \t]*include[ \t]*(?:"(?P<ours>[^"]+)"|<(?P<theirs>[^>]+)>)'


def layer_of(path):
    """The layer that a file belongs to, or None when its folder is not in the table."""
    folders = [folder for folder in LAYERS if is_below(path, folder)]
    if not folders:
        return None
    layer = max(folders, key=len)
    if layer in FOLDERS_OF_SIBLINGS:
        below = path[len(layer) + 1:]
        return f"{layer}/{below.split('/')[0]}" if "/" in below else layer
    return layer


def allowed_for(layer):
    parents = [folder for folder in LAYERS if is_below(layer, folder)]
    return LAYERS[max(parents, key=len)]


def resolve(tree, path, name):
    """The file of ours that an include names, or None when it is made by the build."""
    for place in (os.path.dirname(path), "include", "src", ""):
        candidate = os.path.normpath(os.path.join(place, name))
        if candidate in tree:
            return candidate
    return None


def check_ours(tree, path, layer, name):
    target = resolve(tree, path, name)
    if target is None:
        return None if name.endswith("_sql.hpp") else f'"{name}" is no file of ours; third-party headers stand in <>'
    allowed = allowed_for(layer)
    if allowed is EVERYTHING or is_below(target, layer):
        return None
    if any(is_below(target, folder) for folder in allowed):
        return None
    return f"{layer} must not include {target}"


def check_theirs(path, layer, name):
    for prefix, folders in THIRD_PARTY.items():
        if name.startswith(prefix):
            allowed = any(path.startswith(folder) for folder in [*folders, *ANYTHING_GOES])
            return None if allowed else f"{layer} must not know <{name}>"
    if layer == "src/core" and name in NOT_FOR_CORE:
        return f"core must not use <{name}>: it decides, others act"
    if STANDARD.match(name):
        return None
    if SYSTEM.match(name):
        return None if any(is_below(path, folder) for folder in SYSTEM_LAYERS) else f"{layer} must not use <{name}>"
    return f"<{name}> is not known; add it to tools/tidy_rules/includes.py with the folder that may have it"


def includes(tree):
    findings = []
    for path, text in tree.items():
        if not is_cpp(path):
            continue
        layer = layer_of(path)
        if layer is None:
            findings.append(Finding(path, 1, "includes", "no layer; add the folder to tools/tidy_rules/includes.py"))
            continue
        for line, match in find(_INCLUDE, text):
            ours = match["ours"]
            message = check_ours(tree, path, layer, ours) if ours else check_theirs(path, layer, match["theirs"])
            if message:
                findings.append(Finding(path, line, "includes", message))
    return findings
