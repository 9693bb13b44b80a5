"""Who carries an outbox on PostgreSQL to Kafka: Makegood, and Debezium's outbox event router."""

import os
import shutil
import signal
import subprocess

from contenders import FOLDER, HERE, ROOT, run

MAKEGOOD = ROOT / "build" / "release" / "bin" / "makegood"
ROWS_OF_A_TRANSACTION = 1000
PAYLOAD = '{"order":"1234567","amount":4200,"currency":"EUR","fill":"' + "Ab3+" * 48 + '"}'
KEYS = 1000
STOPPED_WITHIN = 60
DEBEZIUM = "3.3.1.Final"
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"

# As Debezium's page of the outbox event router makes it.
DEBEZIUM_TABLE = """
CREATE TABLE outbox (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), aggregatetype varchar(255) NOT NULL,
  aggregateid varchar(255) NOT NULL, type varchar(255) NOT NULL, payload jsonb);
CREATE PUBLICATION bench FOR TABLE outbox;
SELECT pg_create_logical_replication_slot('bench', 'pgoutput');"""
CONNECTOR = {
    "name": "bench", "connector.class": "io.debezium.connector.postgresql.PostgresConnector", "tasks.max": "1",
    "plugin.name": "pgoutput", "slot.name": "bench", "publication.name": "bench",
    "publication.autocreate.mode": "disabled", "snapshot.mode": "no_data", "topic.prefix": "bench",
    "table.include.list": "public.outbox",
    "tombstones.on.delete": "false", "transforms": "outbox",
    "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter",
}
WORKER = {"key.converter": "org.apache.kafka.connect.storage.StringConverter",
          "value.converter": "org.apache.kafka.connect.storage.StringConverter",
          "plugin.discovery": "only_scan"}
# More in hand, larger batches, no pause between two looks; as its own page on performance advises.
TUNED_CONNECTOR = {"max.batch.size": "16384", "max.queue.size": "65536", "poll.interval.ms": "5"}
TUNED_WORKER = {"producer.batch.size": "1000000", "producer.linger.ms": "5", "producer.buffer.memory": "134217728"}


def properties(path, settings):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{name}={value}\n" for name, value in settings.items())


class Contender:
    """A process from its start until it is ended."""

    def __init__(self, folder):
        self.folder = folder
        self.process = None

    def spawn(self, command):
        with open(os.path.join(self.folder, "contender.log"), "wb") as log:
            self.process = subprocess.Popen([*map(str, command)], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            start_new_session=True)

    def is_alive(self):
        return self.process.poll() is None

    def last_words(self):
        with open(os.path.join(self.folder, "contender.log"), encoding="utf-8", errors="replace") as log:
            return log.read()[-400:]

    def end(self):
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOPPED_WITHIN)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class Makegood(Contender):
    name, settings = "Makegood", "as it comes"

    def load(self, arena, rows, broker, topic):
        store = arena.url()
        run(MAKEGOOD, "migrate", "--store", store)
        run(MAKEGOOD, "destinations", "add", "kafka:bench", "--broker", broker, "--topic", topic, "--route", "bench.*",
            "--store", store)
        insert(arena, rows, "makegood_outbox (topic, dispatch_key, payload)",
               f"SELECT 'bench.evt', 'order-' || (i % {KEYS}), '{PAYLOAD}'")

    def start(self, arena, _broker, _topic):
        self.spawn([MAKEGOOD, "serve", "--store", arena.url(), "--listen", "127.0.0.1:0", "--set",
                    f"server.door_folder={self.folder}/door"])


class Debezium(Contender):
    name, settings = f"Debezium {DEBEZIUM}", "as it comes"
    connector, worker = {}, {}

    def load(self, arena, rows, _broker, _topic):
        for statement in DEBEZIUM_TABLE.split(";"):
            if statement.strip():
                arena.ask(statement)
        insert(arena, rows, "outbox (aggregatetype, aggregateid, type, payload)",
               f"SELECT 'order', 'order-' || (i % {KEYS}), 'bench.evt', '{PAYLOAD}'")

    def start(self, arena, broker, topic):
        parts = arena.server.parts("arena")
        database = {"database.hostname": "127.0.0.1", "database.port": parts.port, "database.user": parts.username,
                    "database.password": parts.password, "database.dbname": "arena",
                    "transforms.outbox.route.topic.replacement": topic}
        worker = {"bootstrap.servers": broker.split("://")[1], "listeners": "http://127.0.0.1:0",
                  "offset.storage.file.filename": os.path.join(self.folder, "offsets")}
        properties(os.path.join(self.folder, "connector"), {**CONNECTOR, **database, **self.connector})
        properties(os.path.join(self.folder, "worker"), {**WORKER, **worker, **self.worker})
        self.spawn(["java", "-Xmx1g", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", f"{jars()}/*",
                    "org.apache.kafka.connect.cli.ConnectStandalone", os.path.join(self.folder, "worker"),
                    os.path.join(self.folder, "connector")])


class TunedDebezium(Debezium):
    settings = "warm; batches of 16384, queue of 65536, 1 MB of the producer"
    connector, worker = TUNED_CONNECTOR, TUNED_WORKER


def insert(arena, rows, table, select):
    """As many transactions as an application would not dare."""
    arena.ask(f"DO $load$ BEGIN FOR round IN 0 .. {rows // ROWS_OF_A_TRANSACTION - 1} LOOP"
              f" INSERT INTO {table} {select} FROM generate_series(1, {ROWS_OF_A_TRANSACTION}) AS i; COMMIT;"
              " END LOOP; END $load$")


def jars():
    folder = FOLDER / f"debezium-{DEBEZIUM}"
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        run("mvn", "-q", "-B", "-f", HERE / "debezium.xml", COPY, "-DincludeScope=runtime",
            f"-DoutputDirectory={folder}")
        (folder / "complete").touch()
    return folder


CONTENDERS = [Makegood, Debezium, TunedDebezium]
