#!/usr/bin/env python3
"""kafka_server.py VERB FOLDER: an Apache Kafka of a test's own, one node, on loopback.

  start FOLDER    makes its storage if there is none yet, starts it, prints its listeners when it answers
  kill FOLDER     ends it at once, as a crash would, and keeps its data
  remove FOLDER   ends it at once and removes the folder
  jars            prints the folder with its jars, and with its Java client; fetches them if they are not there

What is printed is four words: the listener for everybody, the listener with SASL (PLAIN; alice with the password
`wonderland`), the listener that tells its clients to come to the port of a proxy, and that port, on which a test may
listen. A server in FOLDER has the same ports whenever it is started again. As a module: Server(folder).

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
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
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


class Server:
    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.settings = os.path.join(self.folder, "server.properties")
        self.log = os.path.join(self.folder, "server.log")

    def start(self):
        if not os.path.exists(self.settings):
            self.create()
        with open(self.log, "ab") as log:
            command = self.java("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "kafka.Kafka")
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                       start_new_session=True)
        self.remember("pid", str(process.pid))
        self.await_answer(process)
        return self

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

    def remove(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    # How it is done
    # ----------------------------------------------------------------------------------------------------------------

    def create(self):
        os.makedirs(self.folder, exist_ok=True)
        ports = {name: free_port() for name in PORTS}
        self.remember("ports", "".join(f"{name} {port}\n" for name, port in ports.items()))
        with open(self.settings, "w", encoding="utf-8") as file:
            file.write(SETTINGS.format(data=os.path.join(self.folder, "data"), **ports))
        cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        made = subprocess.run(self.java("kafka.tools.StorageTool", "format", "-t", cluster, "-c"), capture_output=True,
                              text=True, check=False)
        if made.returncode != 0:
            raise CannotRun(f"Kafka cannot make its storage: {(made.stdout + made.stderr)[-500:]}")

    def java(self, *arguments):
        """With the settings at the end."""
        quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
        return ["java", quiet, "-cp", f"{jars()}/*", *arguments, self.settings]

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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in ("start", "kill", "remove"):
        verbs.add_parser(verb).add_argument("folder")
    verbs.add_parser("jars")
    told = parser.parse_args()
    if told.verb == "jars":
        print(jars())
    elif told.verb == "start":
        print(Server(told.folder).start().words())
    elif told.verb == "kill":
        Server(told.folder).kill()
    else:
        Server(told.folder).remove()


if __name__ == "__main__":
    try:
        main()
    except CannotRun as reason:
        sys.exit(str(reason))
