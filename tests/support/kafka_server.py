#!/usr/bin/env python3
"""kafka_server.py VERB FOLDER: an Apache Kafka of a test's own on loopback, of one node or of three.

  start FOLDER [--nodes 3]   makes its storage if there is none yet, starts it, prints its listeners when it answers
  kill FOLDER [--node N]     ends it, or one of three, at once, as a crash would, and keeps its data
  freeze FOLDER, thaw FOLDER stops it as a machine does that is too busy, and lets it go on
  remove FOLDER              ends it at once and removes the folder
  jars                       prints the folder with its jars, and with its Java client; fetches what is not there

What is printed is four words: the listener for everybody (of three nodes: all, with commas between them), the listener
with SASL (PLAIN; alice with the password `wonderland`), the listener that tells its clients to come to the port of a
proxy, and that port, on which a test may listen. A server in FOLDER has the same ports whenever it is started again.
As a module: Server(folder), Cluster(folder).

The jars come from Maven Central, once, into ~/.cache/makegood. Without Java, Maven or the network there is no server.
"""

import argparse
import base64
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import uuid

from postgres_server import CannotRun, free_port, is_alive

VERSION = "4.3.1"
STARTED_WITHIN = 120
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
 <groupId>makegood</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>
 <dependencies>
  <dependency>
   <groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>{version}</version>
  </dependency>
  <dependency>
   <groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>{version}</version>
  </dependency>
  <dependency>
   <groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version>
  </dependency>
 </dependencies></project>
"""
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
SETTINGS = """process.roles=broker,controller
node.id={node}
controller.quorum.voters={voters}
listeners=ALL://127.0.0.1:{all},SASL://127.0.0.1:{sasl},PROXIED://127.0.0.1:{proxied},\\
  CONTROLLER://127.0.0.1:{controller}
advertised.listeners=ALL://127.0.0.1:{all},SASL://127.0.0.1:{sasl},PROXIED://127.0.0.1:{proxy}
listener.security.protocol.map=ALL:PLAINTEXT,SASL:SASL_PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
inter.broker.listener.name=ALL
sasl.enabled.mechanisms=PLAIN
listener.name.sasl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \\
  user_alice="wonderland";
log.dirs={data}
# A client that asks for it would get one: ours must not.
auto.create.topics.enable=true
num.partitions=3
min.insync.replicas={copies_min}
# A node that is dead is missed soon.
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
group.initial.rebalance.delay.ms=0
log.cleaner.dedupe.buffer.size=2097152
"""
PORTS = ("all", "sasl", "proxied", "proxy", "controller")


def jars():
    """The folder with them."""
    folder = os.path.join(os.path.expanduser("~"), ".cache", "makegood", f"kafka-{VERSION}")
    if not os.path.exists(os.path.join(folder, "complete")):
        fetch(folder)
    return folder


def fetch(folder):
    for program in ("java", "mvn"):
        if shutil.which(program) is None:
            raise CannotRun(f"Kafka needs {program}: install openjdk-17-jdk-headless and maven; ./test does")
    os.makedirs(folder, exist_ok=True)
    pom = os.path.join(folder, "pom.xml")
    with open(pom, "w", encoding="utf-8") as file:
        file.write(POM.format(version=VERSION))
    done = subprocess.run(["mvn", "-q", "-B", "-f", pom, COPY, "-DincludeScope=runtime", f"-DoutputDirectory={folder}"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        raise CannotRun(f"Maven cannot fetch Kafka {VERSION}: {(done.stdout + done.stderr)[-500:]}")
    with open(os.path.join(folder, "complete"), "w", encoding="utf-8"):
        pass


def new_cluster():
    return base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")


class Server:
    def __init__(self, folder, node=1):
        self.folder = os.path.abspath(folder)
        self.node = node
        self.settings = os.path.join(self.folder, "server.properties")
        self.log = os.path.join(self.folder, "server.log")

    def start(self):
        if not self.is_made():
            self.create(new_cluster(), [self])
        self.await_answer(self.spawn())
        return self

    def spawn(self):
        with open(self.log, "ab") as log:
            command = self.java("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "kafka.Kafka")
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                       start_new_session=True)
        self.remember("pid", str(process.pid))
        return process

    def words(self):
        ports = self.ports()
        return " ".join([f"127.0.0.1:{ports[name]}" for name in ("all", "sasl", "proxied")] + [str(ports["proxy"])])

    def kill(self):
        process = self.process_id()
        if process is None or not is_alive(process):
            return
        os.kill(process, signal.SIGKILL)
        while is_alive(process):
            time.sleep(0.005)

    def freeze(self):
        os.kill(self.process_id(), signal.SIGSTOP)

    def thaw(self):
        os.kill(self.process_id(), signal.SIGCONT)

    def remove(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    # How it is done
    # ----------------------------------------------------------------------------------------------------------------

    def is_made(self):
        return os.path.exists(self.settings)

    def create(self, cluster, servers):
        """As one of these."""
        os.makedirs(self.folder, exist_ok=True)
        voters = ",".join(f"{server.node}@127.0.0.1:{server.ports()['controller']}" for server in servers)
        with open(self.settings, "w", encoding="utf-8") as file:
            file.write(SETTINGS.format(data=os.path.join(self.folder, "data"), node=self.node, voters=voters,
                                       copies_min=len(servers) // 2 + 1, **self.ports()))
        # Written so, an id may begin with a dash.
        command = self.java("kafka.tools.StorageTool", "format", f"--cluster-id={cluster}", "-c")
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise CannotRun(f"Kafka cannot make its storage: {(made.stdout + made.stderr)[-500:]}")

    def java(self, *arguments):
        """With the settings at the end."""
        quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
        return ["java", quiet, "-cp", f"{jars()}/*", *arguments, self.settings]

    def is_running(self):
        process = self.process_id()
        return process is not None and is_alive(process)

    def await_answer(self, process):
        until = time.monotonic() + STARTED_WITHIN
        while time.monotonic() < until and process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.ports()["all"]), timeout=1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise CannotRun(f"Kafka does not start; the end of {self.log}:\n{self.last_words()}")

    def last_words(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return "".join(file.readlines()[-20:])

    def ports(self):
        if not os.path.exists(os.path.join(self.folder, "ports")):
            os.makedirs(self.folder, exist_ok=True)
            self.remember("ports", "".join(f"{name} {free_port()}\n" for name in PORTS))
        return {name: int(port) for name, port in (line.split() for line in self.recall("ports").splitlines())}

    def process_id(self):
        try:
            return int(self.recall("pid"))
        except FileNotFoundError:
            return None

    def remember(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def recall(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()


class Cluster:
    """Three nodes, each with a folder of its own; a topic may have three copies, and two must have each record."""
    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.servers = [Server(os.path.join(self.folder, str(node)), node) for node in (1, 2, 3)]

    def start(self):
        cluster = new_cluster()
        for server in self.servers:
            if not server.is_made():
                server.create(cluster, self.servers)
        spawned = [(server, server.spawn()) for server in self.servers if not server.is_running()]
        for server, process in spawned:
            server.await_answer(process)
        return self

    def words(self):
        words = [server.words().split() for server in self.servers]
        return " ".join([",".join(word[0] for word in words), *words[0][1:]])

    def kill(self):
        for server in self.servers:
            server.kill()

    def remove(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def in_folder(folder, nodes=1):
    """What is there, or is to be."""
    is_cluster = nodes > 1 or os.path.exists(os.path.join(folder, "1", "server.properties"))
    return Cluster(folder) if is_cluster else Server(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in ("start", "kill", "freeze", "thaw", "remove"):
        verbs.add_parser(verb).add_argument("folder")
    verbs.choices["start"].add_argument("--nodes", type=int, choices=[1, 3], default=1)
    verbs.choices["kill"].add_argument("--node", type=int, choices=[1, 2, 3])
    verbs.add_parser("jars")
    told = parser.parse_args()
    if told.verb == "jars":
        print(jars())
        return
    server = in_folder(told.folder, getattr(told, "nodes", 1))
    if told.verb == "start":
        print(server.start().words())
    elif getattr(told, "node", None) is not None:
        server.servers[told.node - 1].kill()
    else:
        getattr(server, told.verb)()


if __name__ == "__main__":
    try:
        main()
    except CannotRun as reason:
        sys.exit(str(reason))
