#!/usr/bin/env python3
"""broker_servers.py VERB KIND FOLDER: a message broker of a test's own, one node, durable, on loopback.

  start KIND FOLDER    starts it, with the data that it had if there is any, and prints its URL when it answers
  kill KIND FOLDER     ends it at once, as a crash would, and keeps its data
  remove KIND FOLDER   ends it at once and removes the folder

KIND is kafka, nats, amqp (RabbitMQ) or redis. A broker in FOLDER has the same port whenever it is started again.
As a module: BROKERS[kind](folder).
"""

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

import kafka_server
from postgres_server import CannotRun, free_port, is_alive

STARTED_WITHIN = 180
RABBITMQ = "/usr/lib/rabbitmq/bin/rabbitmq-server"


class Broker:
    """One program that listens on one port; what is written down in its folder outlives this process."""
    scheme = ""
    package = ""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)

    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.port()}"

    def start(self):
        os.makedirs(self.folder, exist_ok=True)
        if not os.path.exists(self.command()[0]):
            raise CannotRun(f"{self.command()[0]} is not there: install {self.package}; ./test does")
        with open(self.place("server.log"), "ab") as log:
            process = subprocess.Popen(self.command(), env={**os.environ, **self.environment()}, cwd=self.folder,
                                       stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        self.remember("pid", process.pid)
        self.await_answer(process)
        return self

    def await_answer(self, process):
        until = time.monotonic() + STARTED_WITHIN
        while time.monotonic() < until and process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port()), timeout=1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise CannotRun(f"{self.scheme} does not start; its log: {self.place('server.log')}")

    def kill(self):
        """With all that it has started, which are one session."""
        process = self.recall("pid")
        if process is None or not is_alive(process):
            return
        os.killpg(process, signal.SIGKILL)
        while is_alive(process):
            time.sleep(0.005)

    def freeze(self):
        os.killpg(self.recall("pid"), signal.SIGSTOP)

    def thaw(self):
        os.killpg(self.recall("pid"), signal.SIGCONT)

    def remove(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    # How it is done
    # ----------------------------------------------------------------------------------------------------------------

    def command(self):
        raise NotImplementedError

    def environment(self):
        return {}

    def place(self, name):
        return os.path.join(self.folder, name)

    def port(self, name="port"):
        found = self.recall(name)
        return found if found is not None else self.remember(name, free_port())

    def remember(self, name, number):
        with open(self.place(name), "w", encoding="utf-8") as file:
            file.write(str(number))
        return number

    def recall(self, name):
        try:
            with open(self.place(name), encoding="utf-8") as file:
                return int(file.read())
        except FileNotFoundError:
            return None


class Nats(Broker):
    scheme = "nats"
    package = "nats-server"

    def command(self):
        program = shutil.which("nats-server") or "/usr/sbin/nats-server"
        return [program, "-a", "127.0.0.1", "-p", str(self.port()), "-js", "-sd", self.place("data")]


class Redis(Broker):
    scheme = "redis"
    package = "redis-server"

    def command(self):
        return [shutil.which("redis-server") or "/usr/bin/redis-server", "--bind", "127.0.0.1", "--port",
                str(self.port()), "--dir", self.folder, "--appendonly", "yes", "--appendfsync", "always", "--save", ""]


class RabbitMq(Broker):
    scheme = "amqp"
    package = "rabbitmq-server"

    def start(self):
        os.makedirs(self.folder, exist_ok=True)
        for name, text in (("enabled_plugins", "[].\n"), ("rabbitmq.conf", "loopback_users = none\n")):
            with open(self.place(name), "w", encoding="utf-8") as file:
                file.write(text)
        return super().start()

    def command(self):
        """Not the one in /usr/sbin, which changes its user and where it writes to."""
        return [RABBITMQ]

    def environment(self):
        return {"RABBITMQ_NODENAME": f"makegood{self.port()}@localhost", "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
                "RABBITMQ_NODE_PORT": str(self.port()), "RABBITMQ_DIST_PORT": str(self.port("distribution_port")),
                "RABBITMQ_MNESIA_BASE": self.place("mnesia"), "RABBITMQ_LOG_BASE": self.place("log"),
                "RABBITMQ_ENABLED_PLUGINS_FILE": self.place("enabled_plugins"),
                "RABBITMQ_CONFIG_FILE": self.place("rabbitmq.conf"), "HOME": self.folder,
                "ERL_EPMD_ADDRESS": "127.0.0.1", "ERL_EPMD_PORT": str(self.port("mapper_port")),
                "ERL_EPMD_RELAXED_COMMAND_CHECK": "1",
                "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}"}

    def kill(self):
        """The port mapper of Erlang stays behind in a session of its own."""
        super().kill()
        subprocess.run(["epmd", "-kill"], env={**os.environ, **self.environment()}, capture_output=True, check=False)


class Kafka:
    scheme = "kafka"

    def __init__(self, folder):
        self.server = kafka_server.Server(folder)
        self.kill, self.remove = self.server.kill, self.server.remove
        self.freeze, self.thaw = self.server.freeze, self.server.thaw

    def url(self):
        return f"kafka://{self.server.words().split()[0]}"

    def start(self):
        self.server.start()
        return self


BROKERS = {"kafka": Kafka, "nats": Nats, "amqp": RabbitMq, "redis": Redis}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=["start", "kill", "remove"])
    parser.add_argument("kind", choices=sorted(BROKERS))
    parser.add_argument("folder")
    told = parser.parse_args()
    broker = BROKERS[told.kind](told.folder)
    if told.verb == "start":
        print(broker.start().url())
    elif told.verb == "kill":
        broker.kill()
    else:
        broker.remove()


if __name__ == "__main__":
    try:
        main()
    except CannotRun as reason:
        sys.exit(str(reason))
