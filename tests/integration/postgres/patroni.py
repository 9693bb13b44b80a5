"""A Patroni cluster of three PostgreSQL servers with an etcd, on loopback, with synchronous replication."""

import contextlib
import glob
import http.client
import json
import os
import secrets
import shutil
import signal
import subprocess
import time

from place import CannotRun
from postgres_server import as_whom, children_of, command_of, free_port, is_alive, programs, send

MEMBERS = 3
# When the leader has said nothing for so long, it is one no more; how often each looks; how long a call may take.
LEADER_SECONDS, LOOK_SECONDS, CALL_SECONDS = 8, 1, 2
READY_WITHIN = 60
ENDED_WITHIN = 10


def require_cluster_programs():
    programs()
    for name, package in (("patroni", "patroni"), ("etcd", "etcd-server")):
        if shutil.which(name) is None:
            raise CannotRun(f"{name} is not installed: install {package}, or run ./test, which does")


def settings_of(cluster, number):
    """YAML holds JSON."""
    password = cluster.password
    member = cluster.members[number]
    return {
        "scope": "shop",
        "name": f"pg{number}",
        "restapi": {"listen": member["rest"], "connect_address": member["rest"]},
        "etcd3": {"host": cluster.etcd_address},
        "bootstrap": {
            "dcs": {
                "ttl": LEADER_SECONDS,
                "loop_wait": LOOK_SECONDS,
                "retry_timeout": CALL_SECONDS,
                "maximum_lag_on_failover": 1 << 20,
                "synchronous_mode": True,
                "postgresql": {
                    "use_pg_rewind": True,
                    "parameters": {"max_connections": 60, "max_prepared_transactions": 10},
                },
            },
            "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, {"auth": "scram-sha-256"}, "no-sync"],
        },
        "postgresql": {
            "listen": member["postgres"],
            "connect_address": member["postgres"],
            "data_dir": member["data"],
            "bin_dir": programs(),
            "pgpass": os.path.join(cluster.folder, f"pgpass{number}"),
            "authentication": {
                "superuser": {"username": "postgres", "password": password},
                "replication": {"username": "replicator", "password": password},
                "rewind": {"username": "rewinder", "password": password},
            },
            # A killed process loses nothing that the kernel has; a power cut would, and no test makes one.
            "parameters": {"unix_socket_directories": cluster.folder, "fsync": "off", "shared_buffers": "32MB",
                           "wal_keep_size": "256MB"},
            "pg_hba": ["local all all scram-sha-256", "host all all 127.0.0.1/32 scram-sha-256",
                       "host replication all 127.0.0.1/32 scram-sha-256"],
        },
    }


class Cluster:
    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        os.makedirs(self.folder, mode=0o700)
        whom = as_whom()
        if whom:
            os.chown(self.folder, whom["user"], whom["group"])
        self.password = secrets.token_hex(16)
        self.etcd_address = f"127.0.0.1:{free_port()}"
        self.members = [{"postgres": f"127.0.0.1:{free_port()}", "rest": f"127.0.0.1:{free_port()}",
                         "data": os.path.join(self.folder, f"data{number}")} for number in range(MEMBERS)]
        self.etcd = None
        self.patronis = []

    # What others need
    # ----------------------------------------------------------------------------------------------------------------

    def url(self):
        """All hosts; whoever can be written to is meant."""
        hosts = ",".join(member["postgres"] for member in self.members)
        return f"postgres://postgres:{self.password}@{hosts}/postgres?target_session_attrs=read-write"

    def start(self):
        self.start_etcd()
        for number in range(MEMBERS):
            self.start_member(number)
        self.await_(self.is_whole, "one leader, a synchronous standby and another one")
        return self

    def leader(self):
        """Its number; None while there is none."""
        found = [number for number in range(MEMBERS) if self.role(number) == "leader"]
        return found[0] if found else None

    def kill(self, number):
        """The machine of a member is gone: its Patroni, its server and all processes of that, at once."""
        with open(os.path.join(self.members[number]["data"], "postmaster.pid"), encoding="ascii") as file:
            postmaster = int(file.readline())
        for process in (self.patronis[number].pid, postmaster):
            send(process, signal.SIGSTOP)  # They have no more children from here on.
        everyone = [self.patronis[number].pid, postmaster, *children_of(postmaster)]
        for process in everyone:
            send(process, signal.SIGKILL)
        self.patronis[number].wait()
        self.await_(lambda: not any(is_alive(process) for process in everyone), "the killed ones are dead")

    def close(self):
        for patroni in self.patronis:
            send(patroni.pid, signal.SIGTERM)  # Ends its server, and then itself.
        for patroni in self.patronis:
            with contextlib.suppress(subprocess.TimeoutExpired):
                patroni.wait(ENDED_WITHIN)
        for process in (*self.patronis, *filter(None, [self.etcd])):
            if process.poll() is None:
                process.kill()
                process.wait()
        self.end_servers()

    # How it is done
    # ----------------------------------------------------------------------------------------------------------------

    def start_etcd(self):
        peer = f"http://127.0.0.1:{free_port()}"
        client = f"http://{self.etcd_address}"
        self.etcd = self.run("etcd", "etcd", "--name=e1", f"--data-dir={os.path.join(self.folder, 'etcd')}",
                             f"--listen-client-urls={client}", f"--advertise-client-urls={client}",
                             f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
                             f"--initial-cluster=e1={peer}", "--unsafe-no-fsync")
        self.await_(lambda: self.ask(self.etcd_address, "/health") is not None, "etcd answers")

    def start_member(self, number):
        path = os.path.join(self.folder, f"patroni{number}.yml")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(settings_of(self, number), file)
        whom = as_whom()
        if whom:
            os.chown(path, whom["user"], whom["group"])
        process = self.run(f"patroni{number}", "patroni", path)
        if number < len(self.patronis):
            self.patronis[number] = process
        else:
            self.patronis.append(process)

    def run(self, name, *command):
        environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", "HOME": self.folder}
        with open(os.path.join(self.folder, f"{name}.log"), "ab") as log:
            return subprocess.Popen(command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=log,
                                    stderr=log, start_new_session=True, **as_whom())

    def is_whole(self):
        roles = [self.role(number) for number in range(MEMBERS)]
        return sorted(filter(None, roles)) == ["leader", "replica", "sync_standby"]

    def role(self, number):
        member = self.members[number]["rest"]
        if self.ask(member, "/primary") == 200:
            return "leader"
        if self.ask(member, "/sync") == 200:
            return "sync_standby"
        return "replica" if self.ask(member, "/replica") == 200 else None

    def ask(self, address, path):
        connection = http.client.HTTPConnection(address, timeout=CALL_SECONDS)
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def await_(self, is_so, what):
        until = time.monotonic() + READY_WITHIN
        while not is_so():
            if time.monotonic() > until:
                raise CannotRun(f"waited in vain: {what}\n{self.last_words()}")
            time.sleep(0.1)

    def last_words(self):
        words = []
        for path in sorted(glob.glob(os.path.join(glob.escape(self.folder), "*.log"))):
            with open(path, encoding="utf-8", errors="replace") as file:
                words.append(f"--- {os.path.basename(path)}\n" + "".join(file.readlines()[-15:]))
        return "\n".join(words)

    def end_servers(self):
        """Those that Patroni has left behind, because it was killed or too slow."""
        for member in self.members:
            with contextlib.suppress(FileNotFoundError, ValueError), \
                    open(os.path.join(member["data"], "postmaster.pid"), encoding="ascii") as file:
                postmaster = int(file.readline())
                if is_alive(postmaster) and member["data"] in command_of(postmaster):
                    send(postmaster, signal.SIGQUIT)
                    self.await_(lambda process=postmaster: not is_alive(process), "the servers have ended")
