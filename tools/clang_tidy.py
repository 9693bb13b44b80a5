#!/usr/bin/env python3
"""clang_tidy.py --build FOLDER [--budget SECONDS]: clang-tidy on what the time allows.

Files that changed since the last commit come first, then all others, until the budget is used up. Without a budget
all of them are checked.
"""

import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
# The commands are GCC's: clang knows neither all of its warnings nor its precompiled headers. RapidJSON 1.1 has a
# template that clang 19 refuses as soon as it is read, so templates are read only when they are used.
EXTRA = [f"--extra-arg={flag}" for flag in (
    "-Wno-error", "-Wno-unknown-warning-option", "-Wno-ignored-gch",
    "-fdelayed-template-parsing", "-Wno-delayed-template-parsing-in-cxx20")]


def compiled_files(build):
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    paths = {os.path.realpath(os.path.join(command["directory"], command["file"])) for command in commands}
    ours = (os.path.relpath(path, ROOT) for path in paths if path.startswith(ROOT + os.sep))
    return sorted(path for path in ours if not path.startswith("build" + os.sep) and path.endswith(".cpp"))


def changed_files():
    if shutil.which("git") is None:
        return set()
    command = ["git", "-C", ROOT, "status", "--porcelain", "--untracked-files=all"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    return {line[3:].split(" -> ")[-1] for line in answer.stdout.splitlines()}


def in_order(files):
    """Changed ones first, then the library before its program and its tests."""
    changed = changed_files()
    library = [path for path in files if path.startswith("src/") and not path.startswith(("src/cli/", "src/demo/"))]
    return sorted(files, key=lambda path: (path not in changed, path not in library, path))


def check(build, path):
    command = ["clang-tidy-19", "--quiet", "-p", build, *EXTRA, os.path.join(ROOT, path)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    return answer.returncode == 0, answer.stdout + (answer.stderr if answer.returncode else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--budget", type=float, default=float("inf"))
    arguments = parser.parse_args()

    files = in_order(compiled_files(arguments.build))
    deadline = time.monotonic() + arguments.budget
    checked = 0
    guilty = []

    def check_in_time(path):
        return check(arguments.build, path) if time.monotonic() < deadline else None

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, result in zip(files, pool.map(check_in_time, files)):
            if result is None:
                continue
            checked += 1
            is_clean, output = result
            print(f"{checked}/{len(files)} {path}{'' if is_clean else ': findings'}", flush=True)
            if not is_clean:
                guilty.append(path)
                print(output.strip(), flush=True)
    print(f"clang-tidy: {checked} of {len(files)} files checked, {len(guilty)} with findings", *guilty)
    return 1 if guilty else 0


if __name__ == "__main__":
    sys.exit(main())
