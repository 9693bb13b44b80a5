"""A producer's transactions: a business row and a message, in the database that both are in."""

import sqlite3
import time


class SqliteShop:
    def __init__(self, url):
        self.database = sqlite3.connect(url.removeprefix("sqlite:"), timeout=60, isolation_level=None)

    def write(self, event, payload):
        execute = self.database.execute
        execute("BEGIN IMMEDIATE")
        execute("INSERT INTO soak_order (event_id, dispatch_key, place, digest) VALUES (?, ?, ?, ?)",
                (event["event"], event["key"], event["index"], event["digest"]))
        execute("INSERT INTO makegood_outbox (topic, event_id, dispatch_key, payload) VALUES (?, ?, ?, ?)",
                (event["topic"], event["event"], event["key"], payload))

    class Lost(Exception):
        """Of a file nobody loses the other end."""

    def commit(self):
        self.database.execute("COMMIT")

    def roll_back(self):
        self.database.execute("ROLLBACK")


class PostgresShop:
    def __init__(self, url):
        import psycopg2  # Only here: SQLite does without.
        self.Lost = (psycopg2.OperationalError, psycopg2.InterfaceError)
        self.url, self.connect = url, psycopg2.connect
        self.open()

    def open(self):
        self.database = self.connect(self.url)
        self.cursor = self.database.cursor()
        self.commit, self.roll_back = self.database.commit, self.database.rollback

    def has_committed(self, event):
        """Asked when the server was lost: it is waited for, and its business row tells."""
        while True:
            try:
                self.open()
                self.cursor.execute("SELECT count(*) FROM soak_order WHERE event_id = %s", (event["event"],))
                count = self.cursor.fetchone()[0]
                self.roll_back()
                return count == 1
            except self.Lost:
                time.sleep(0.1)

    def write(self, event, payload):
        """The driver begins a transaction by itself."""
        execute = self.cursor.execute
        execute("INSERT INTO soak_order (event_id, dispatch_key, place, digest) VALUES (%s, %s, %s, %s)",
                (event["event"], event["key"], event["index"], event["digest"]))
        execute("INSERT INTO makegood_outbox (topic, event_id, dispatch_key, payload) VALUES (%s, %s, %s, %s)",
                (event["topic"], event["event"], event["key"], payload))


def open_shop(url):
    return SqliteShop(url) if url.startswith("sqlite:") else PostgresShop(url)
