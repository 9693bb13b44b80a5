#!/usr/bin/env python3
"""postgres_server.py VERB FOLDER: a PostgreSQL of a test's own, on loopback and on a socket in FOLDER.

  start FOLDER [--set NAME=VALUE]...   makes the database if there is none yet, starts it, prints its URL
  replica FOLDER OF                    copies the running server in the folder OF, starts the copy as its standby
  promote FOLDER                       makes a standby the primary
  stop FOLDER [--mode MODE]            ends it and keeps its data; MODE as in pg_ctl: smart, fast (default), immediate
  remove FOLDER                        ends it at once and removes the folder

The URL is a superuser's; its password is random, because a loopback port is open to everybody on the machine. Started
by root, the server runs as the user postgres: FOLDER must lie where that user can reach it. A server in FOLDER has the
same port whenever it is started again. As a module: Server(folder).

The programs are Debian's newest, or those of the folder that MAKEGOOD_POSTGRES_PROGRAMS names.
"""

import argparse
import contextlib
import glob
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time

STARTED_WITHIN = 60
STOPPED_WITHIN = 60
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    # Killed processes lose nothing that the kernel has; a power cut would, and no test makes one.
    "fsync": "off",
    "shared_buffers": "64MB",
    "max_connections": "200",
    "max_prepared_transactions": "20",
    "wal_level": "replica",
    "jit": "off",
    "timezone": "UTC",
    # A line for each error that a test provokes, with what the client had said.
    "log_line_prefix": "%m [%p] %q%u@%d %a ",
}


class CannotRun(Exception):
    """There is no PostgreSQL on this machine, or it does not start."""


def newest_of_debian(name):
    """It keeps the versions side by side, outside of the path; None when it has no such program, nor anybody else."""
    versions = glob.glob(f"/usr/lib/postgresql/*/bin/{name}")
    return max(versions, key=lambda path: int(path.split("/")[4]), default=shutil.which(name))


def programs():
    """The folder with initdb and pg_ctl."""
    newest = newest_of_debian("initdb")
    if newest is None:
        raise CannotRun("PostgreSQL is not installed: install postgresql-15, or run ./test, which does")
    return os.path.dirname(newest)


def program(name):
    """That of the chosen folder; clients, which it may have none of, are Debian's then."""
    folder = os.path.abspath(os.environ.get("MAKEGOOD_POSTGRES_PROGRAMS") or programs())
    if not os.path.exists(os.path.join(folder, "initdb")):
        raise CannotRun(f"MAKEGOOD_POSTGRES_PROGRAMS names a folder without initdb: {folder}")
    chosen = os.path.join(folder, name)
    return chosen if os.path.exists(chosen) else os.path.join(programs(), name)


def as_whom():
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    try:
        user = pwd.getpwnam("postgres")
    except KeyError:
        raise CannotRun("PostgreSQL does not run as root, and there is no user postgres to run it as") from None
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def free_port():
    """Not one that the kernel gives to clients: it must still be free when the server is started again."""
    while True:
        port = 20000 + secrets.randbelow(12000)
        with socket.socket() as listener:
            try:
                listener.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


class Server:
    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.data = os.path.join(self.folder, "data")
        self.log = os.path.join(self.folder, "server.log")

    # What others need
    # ----------------------------------------------------------------------------------------------------------------

    def url(self, database="postgres"):
        return f"postgres://postgres:{self.recall('password')}@127.0.0.1:{self.port()}/{database}"

    def port(self):
        return int(self.recall("port"))

    def start(self, **settings):
        if not os.path.exists(os.path.join(self.data, "PG_VERSION")):
            self.create()
        self.configure(settings)
        self.run("pg_ctl", "start", "--wait", f"--timeout={STARTED_WITHIN}", "--silent", f"--pgdata={self.data}")
        return self

    def follow(self, primary, **settings):
        """A standby of the primary, from a copy of what it has now."""
        self.copy_all_of(primary, "--write-recovery-conf")
        return self.start(**settings)

    def copy_all_of(self, server, *how):
        """What it has now, with its passwords, on a port of its own; not started yet."""
        self.make_folder()
        self.remember("password", server.recall("password"))
        self.remember("port", str(free_port()))
        self.copy(server, self.data, *how)
        return self

    def promote(self):
        self.run("pg_ctl", "promote", "--wait", "--silent", f"--pgdata={self.data}")

    def back_up(self):
        """What it has now, copied while it runs."""
        self.copy(self, self.place_of("backup"))

    def restore(self):
        """What came after the copy was made is forgotten. For a server that is stopped."""
        shutil.rmtree(self.data)
        os.rename(self.place_of("backup"), self.data)

    def stop(self, mode="fast"):
        if self.is_running():
            self.run("pg_ctl", "stop", "--wait", f"--timeout={STOPPED_WITHIN}", "--silent", f"--mode={mode}",
                     f"--pgdata={self.data}")

    def crash(self):
        """As if the machine had lost all its processes at once: nobody cleans up."""
        postmaster = self.process_id()
        send(postmaster, signal.SIGSTOP)  # It has no more children from here on.
        everyone = [postmaster, *children_of(postmaster)]
        for process in everyone:
            send(process, signal.SIGKILL)
        until = time.monotonic() + STOPPED_WITHIN
        while any(is_alive(process) for process in everyone):
            if time.monotonic() > until:
                raise CannotRun(f"the server in {self.folder} cannot be killed")
            time.sleep(0.005)
        self.forget_processes()

    def remove(self):
        self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def is_running(self):
        process = self.process_id()
        return process is not None and is_alive(process) and self.data in command_of(process)

    # How it is done
    # ----------------------------------------------------------------------------------------------------------------

    def create(self):
        self.make_folder()
        self.remember("password", secrets.token_hex(16))
        self.remember("port", str(free_port()))
        self.run("initdb", f"--pgdata={self.data}", "--username=postgres", "--encoding=UTF8", "--locale=C.UTF-8",
                 "--auth-local=trust", "--auth-host=scram-sha-256", f"--pwfile={self.place_of('password')}",
                 "--no-sync", "--no-instructions")

    def copy(self, server, to, *how):
        self.run("pg_basebackup", "--checkpoint=fast", "--wal-method=stream", "--no-sync", f"--pgdata={to}",
                 f"--dbname={server.url()}", *how)

    def configure(self, settings):
        """In a file of ours, which wins over what a copy has brought along. Told again, a setting changes."""
        path = os.path.join(self.data, "postgresql.conf")
        with open(path, encoding="utf-8") as file:
            theirs = file.read().split("# Of this test\n")
        mine = self.recall_settings() | {"port": str(self.port()), "unix_socket_directories": self.folder} | settings
        lines = "".join(f"{name} = '{value}'\n" for name, value in mine.items())
        with open(path, "w", encoding="utf-8") as file:
            file.write(theirs[0] + "# Of this test\n" + lines)
        self.remember("settings", "".join(f"{name}={value}\n" for name, value in mine.items()))

    def recall_settings(self):
        if not os.path.exists(self.place_of("settings")):
            return dict(SETTINGS)
        return dict(line.split("=", 1) for line in self.recall("settings").splitlines())

    def make_folder(self):
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        whom = as_whom()
        if whom:
            os.chown(self.folder, whom["user"], whom["group"])
        os.chmod(self.folder, 0o700)

    def run(self, name, *arguments):
        environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"}  # Without PGPORT and the like.
        with open(self.log, "ab") as log:
            done = subprocess.run([program(name), *arguments], cwd=self.folder, env=environment,
                                  stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=False,
                                  start_new_session=True,  # Ctrl-C is for those who use the server.
                                  **as_whom())
        if done.returncode != 0:
            raise CannotRun(f"{name} has failed; the end of {self.log}:\n{self.last_words()}")

    def last_words(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return "".join(file.readlines()[-20:])

    def process_id(self):
        try:
            with open(os.path.join(self.data, "postmaster.pid"), encoding="ascii") as file:
                return int(file.readline())
        except (FileNotFoundError, ValueError):
            return None

    def forget_processes(self):
        """A dead process whose parent has not asked for it yet still has its number, and would pass for a server."""
        os.unlink(os.path.join(self.data, "postmaster.pid"))
        for lock in glob.glob(os.path.join(glob.escape(self.folder), ".s.PGSQL.*.lock")):
            os.unlink(lock)

    def place_of(self, name):
        return os.path.join(self.folder, name)

    def remember(self, name, text):
        with open(self.place_of(name), "w", encoding="utf-8") as file:
            file.write(text)
        if os.geteuid() == 0:
            os.chown(self.place_of(name), as_whom()["user"], as_whom()["group"])

    def recall(self, name):
        with open(self.place_of(name), encoding="utf-8") as file:
            return file.read().rstrip("\n")


# Processes
# --------------------------------------------------------------------------------------------------------------------


def state_of(process):
    """The letter, the parent; None when there is no such process any more."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return fields[0], int(fields[1])


def is_alive(process):
    state = state_of(process)
    return state is not None and state[0] != "Z"


def command_of(process):
    with contextlib.suppress(FileNotFoundError, ProcessLookupError), open(f"/proc/{process}/cmdline", "rb") as file:
        return file.read().decode(errors="replace")
    return ""


def children_of(process):
    every = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [each for each in every if (state := state_of(each)) is not None and state[1] == process]


def send(process, number):
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, number)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in ("start", "replica", "promote", "stop", "remove"):
        verbs.add_parser(verb).add_argument("folder")
    verbs.choices["start"].add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    verbs.choices["replica"].add_argument("of")
    verbs.choices["stop"].add_argument("--mode", default="fast", choices=("smart", "fast", "immediate"))
    told = parser.parse_args()

    server = Server(told.folder)
    if told.verb == "start":
        print(server.start(**dict(setting.split("=", 1) for setting in told.set)).url())
    elif told.verb == "replica":
        print(server.follow(Server(told.of)).url())
    elif told.verb == "promote":
        server.promote()
    elif told.verb == "stop":
        server.stop(told.mode)
    else:
        server.remove()


if __name__ == "__main__":
    try:
        main()
    except CannotRun as reason:
        sys.exit(str(reason))
