"""A shop whose customers are keys, and its books: what was committed is in the database, in a table of its own.

Whoever writes for a key takes its next number first, which locks the key's row: so the numbers of a key are the order
in which its messages were committed, and the log has them in that order.
"""

import itertools
import threading

import psycopg2

from place import psql

TABLES = """
    CREATE TABLE shop_key (key text PRIMARY KEY, n bigint NOT NULL DEFAULT 0);
    CREATE TABLE shop_fact (event_id text PRIMARY KEY, key text NOT NULL, n bigint NOT NULL);
"""
CONNECT_SECONDS = 2
AGAIN_SECONDS = 0.1


class Shop:
    """What all its clerks share. `committed`: what the server has acknowledged; `undone`: what it never may deliver."""

    def __init__(self, url, keys):
        self.url = url
        self.keys = keys
        self.lock = threading.Lock()
        self.committed, self.undone = set(), set()
        self.numbers = itertools.count(1)
        psql(url, TABLES, "INSERT INTO shop_key (key) VALUES " + ", ".join(f"('{key}')" for key in keys))

    def new_event(self, key, n):
        """Says of itself where it belongs; never twice the same, so that an undone one is known from its successor."""
        return f"{key}-{n}-{next(self.numbers)}"

    def is_committed(self, events):
        with self.lock:
            self.committed |= set(events)

    def is_undone(self, events):
        with self.lock:
            self.undone |= set(events)

    def committed_count(self):
        with self.lock:
            return len(self.committed)

    def newest(self):
        """The event that was made last, of those that are committed."""
        with self.lock:
            return max(self.committed, key=lambda event: int(event.rpartition("-")[2]))

    def facts(self):
        """What the database says was committed, by those whose commit was lost on the way too."""
        return {event for event, in psql(self.url, "SELECT event_id FROM shop_fact")}


class Clerk(threading.Thread):
    """A session that is opened again whenever it is lost. `work` is called with it, until the clerk is sent home."""

    def __init__(self, shop):
        super().__init__(daemon=True)
        self.shop = shop
        self.is_over = threading.Event()
        self.session = None
        self.error = None

    def work(self):
        raise NotImplementedError

    def run(self):
        try:
            while not self.is_over.is_set():
                self.serve()
        except Exception as error:  # pylint: disable=broad-exception-caught
            self.error = error  # Told by `finish`, in the thread of the test.
        finally:
            self.leave()

    def serve(self):
        try:
            if self.session is None:
                self.session = psycopg2.connect(self.shop.url, connect_timeout=CONNECT_SECONDS)
            self.work()
        except (psycopg2.OperationalError, psycopg2.InterfaceError):
            self.leave()
            self.is_over.wait(AGAIN_SECONDS)  # The server is away: do not spin.

    def leave(self):
        if self.session is not None:
            self.session.close()
            self.session = None

    def finish(self, seconds=30):
        self.is_over.set()
        self.join(seconds)
        if self.is_alive():
            raise AssertionError(f"{self.name} does not come to an end")
        if self.error is not None:
            raise self.error

    # What every clerk can do
    # ----------------------------------------------------------------------------------------------------------------

    def next_number(self, cursor, key):
        cursor.execute("UPDATE shop_key SET n = n + 1 WHERE key = %s RETURNING n", (key,))
        return cursor.fetchone()[0]

    def enqueue(self, cursor, key, topic="order.placed"):
        n = self.next_number(cursor, key)
        event = self.shop.new_event(key, n)
        cursor.execute("""
            INSERT INTO shop_fact VALUES (%(event)s, %(key)s, %(n)s);
            INSERT INTO makegood_outbox (topic, event_id, dispatch_key, payload)
            VALUES (%(topic)s, %(event)s, %(key)s, '{}')""", {"event": event, "key": key, "n": n, "topic": topic})
        return event

    def commit(self, *events):
        self.session.commit()
        self.shop.is_committed(events)

    def undo(self, *events):
        self.shop.is_undone(events)
        self.session.rollback()


def out_of_order(arrivals):
    """Events that first arrived after a later one of their key. `arrivals`: events, in order, without repetitions."""
    last, late = {}, []
    for event in arrivals:
        key, n, _ = event.split("-")
        if int(n) < last.get(key, 0):
            late.append(event)
        last[key] = max(last.get(key, 0), int(n))
    return late
