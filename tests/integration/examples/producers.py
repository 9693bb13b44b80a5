"""How each producer of examples/ is made ready: the command that runs it, or the reason why it cannot be run here.

What has to be fetched or compiled is kept in the folder that MAKEGOOD_FETCHED names, so that it is done once.
"""

import fcntl
import filecmp
import hashlib
import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.request

EXAMPLES = os.path.abspath(os.environ.get("MAKEGOOD_EXAMPLES", "examples"))
FETCHED = os.path.abspath(os.environ.get("MAKEGOOD_FETCHED", "build/fetched"))
CENTRAL = "https://repo1.maven.org/maven2/"
JARS = {
    "org/xerial/sqlite-jdbc/3.46.1.3/sqlite-jdbc-3.46.1.3.jar":
        "4a4832720a65eaf7f4d6fd7ede52087b994dc5633c076f9e994dc0c8b4b0b4fa",
    "org/slf4j/slf4j-api/1.7.36/slf4j-api-1.7.36.jar":
        "d3ef575e3e4979678dc01bf1dcce51021493b4d11fb7f1be8ad982877c16a1c0",
}
FETCHED_WITHIN = 60
FEW_RETRIES = ("--fetch-retries=1", "--fetch-retry-mintimeout=2000")  # Without a network it would go on for a minute.
BUILT_WITHIN = 200
# Without collecting its garbage: a quarter less work for a gigabyte of memory.
GO_COMPILER = {"GOTOOLCHAIN": "local", "GOGC": "off"}


class CannotRun(Exception):
    """Something of this machine is missing, not something of ours."""


def source(*path):
    return os.path.join(EXAMPLES, *path)


def need(program):
    if shutil.which(program) is None:
        raise CannotRun(f"{program} is not installed")


def run(arguments, folder, seconds, **environment):
    try:
        return subprocess.run(arguments, cwd=folder, env={**os.environ, **environment}, timeout=seconds, text=True,
                              capture_output=True, check=False)
    except subprocess.TimeoutExpired as late:
        raise CannotRun(f"{arguments[0]} did not end within {seconds} s") from late


def cpp():
    return [os.environ["MAKEGOOD_ORDER_PRODUCER"]]


def python():
    return [sys.executable, source("producers", "python", "producer.py")]


def fetch_from_npm(kind="producer"):
    """A folder with the examples of this kind in JavaScript, and the packages that they ask for."""
    need("npm")
    folder = os.path.join(FETCHED, f"{kind}-node")
    shutil.copytree(source(f"{kind}s", "node"), folder, dirs_exist_ok=True)
    with open(os.path.join(FETCHED, f"{kind}-node.lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # Tests that start together install once.
        mark = os.path.join(folder, "node_modules", "installed.json")
        if os.path.exists(mark) and filecmp.cmp(mark, os.path.join(folder, "package-lock.json"), shallow=False):
            return folder
        done = run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", *FEW_RETRIES], folder, FETCHED_WITHIN)
        if "EINTEGRITY" in done.stderr or "EUSAGE" in done.stderr:
            sys.exit(done.stderr)  # Not the registry's absence but something wrong with what we want.
        if done.returncode != 0:
            raise CannotRun("npm ci failed:\n" + done.stderr)
        shutil.copy(os.path.join(folder, "package-lock.json"), mark)
    return folder


def node():
    need("node")
    if run(["node", "--input-type=module", "-e", "import 'node:sqlite'"], EXAMPLES, 20).returncode == 0:
        return ["node", source("producers", "node", "producer.mjs")]
    return ["node", os.path.join(fetch_from_npm(), "producer.mjs")]


def build_go(package, program, *flags, kind="producer"):
    need("go")
    folder = source(f"{kind}s", "go")
    place = {"GOPATH": os.path.join(FETCHED, "go"), "GOCACHE": os.path.join(FETCHED, "go-cache"),
             "GOFLAGS": "-modcacherw -mod=readonly", **GO_COMPILER}
    fetched = run(["go", "mod", "download"], folder, FETCHED_WITHIN, **place)
    if "checksum mismatch" in fetched.stderr:
        sys.exit(fetched.stderr)
    if fetched.returncode != 0:
        raise CannotRun("go mod download failed:\n" + fetched.stderr)
    program = os.path.join(FETCHED, program)
    built = run(["go", "build", *flags, "-o", program, package], folder, BUILT_WITHIN, **place)
    if built.returncode != 0:
        sys.exit(built.stderr)
    return [program]


def go():
    need("gcc")
    return build_go(".", "producer-go", "-tags", "libsqlite3")


def fetch_jar(path, digest):
    """Kept only if it is the very file that we have looked at."""
    place = os.path.join(FETCHED, os.path.basename(path))
    if not os.path.exists(place):
        os.makedirs(FETCHED, exist_ok=True)
        try:
            with urllib.request.urlopen(CENTRAL + path, timeout=FETCHED_WITHIN) as answer:
                content = answer.read()
        except (urllib.error.URLError, TimeoutError) as error:
            raise CannotRun(f"{CENTRAL}{path} cannot be fetched: {error}") from error
        if hashlib.sha256(content).hexdigest() != digest:
            sys.exit(f"{path} is not what it was")
        with open(place + ".part", "wb") as file:
            file.write(content)
        os.replace(place + ".part", place)
    return place


def build_java(name, jars, kind="producer"):
    need("javac")
    classes = os.path.join(FETCHED, f"{kind}-java")
    libraries = os.pathsep.join(fetch_jar(path, digest) for path, digest in jars.items())
    built = run(["javac", "-cp", libraries, "-d", classes, source(f"{kind}s", "java", f"{name}.java")], EXAMPLES,
                BUILT_WITHIN)
    if built.returncode != 0:
        sys.exit(built.stderr)
    return ["java", "-cp", os.pathsep.join([classes, libraries]), name]


def java():
    return build_java("Producer", JARS)


COMMANDS = {"cpp": cpp, "python": python, "node": node, "go": go, "java": java}
