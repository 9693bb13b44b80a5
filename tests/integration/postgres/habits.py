"""How clerks of the shop write: every way in which a number can be drawn long before its row is seen, or in vain."""

import io
import random
import secrets
import time

import psycopg2

from shop import Clerk

OPEN_SECONDS = (0.3, 1.2)  # Missing for longer than 200 ms, a number is noticed.
LEFT_PREPARED_SECONDS = (0, 2)
VAST = 200_000
VAST_PAUSE_SECONDS = 6

# Between the number, which is a default, and the row.
SLEEPING_TRIGGER = """
    CREATE FUNCTION shop_sleep() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(0.2 + random() * 0.4); RETURN NEW; END $$;
    CREATE TRIGGER shop_sleep BEFORE INSERT ON makegood_outbox FOR EACH ROW WHEN (NEW.topic = 'order.slow')
    EXECUTE FUNCTION shop_sleep();
"""


class Writer(Clerk):
    """Each transaction is of one of its kinds, chosen by chance."""

    def __init__(self, shop, name, chance, kinds, keys):
        super().__init__(shop)
        self.name = name
        self.chance = chance
        self.kinds = kinds
        self.keys = keys
        self.counts = dict.fromkeys(kinds, 0)
        self.left = []  # Prepared, and somebody else is to decide.

    def work(self):
        kind = self.chance.choice(self.kinds)
        key = self.chance.choice(self.keys)
        with self.session.cursor() as cursor:
            getattr(self, kind)(cursor, key)
        self.counts[kind] += 1

    def stay_open(self):
        self.is_over.wait(self.chance.uniform(*OPEN_SECONDS))

    # Kinds
    # ----------------------------------------------------------------------------------------------------------------

    def plain(self, cursor, key):
        self.commit(self.enqueue(cursor, key))
        self.is_over.wait(0.005)

    def held_open(self, cursor, key):
        event = self.enqueue(cursor, key)
        self.stay_open()
        self.commit(event)

    def rolled_back(self, cursor, key):
        event = self.enqueue(cursor, key)
        if self.chance.random() < 0.3:
            self.stay_open()
        self.undo(event)

    def partly_rolled_back(self, cursor, key):
        before = self.enqueue(cursor, key)
        cursor.execute("SAVEPOINT here")
        self.shop.is_undone([self.enqueue(cursor, key)])
        if self.chance.random() < 0.3:
            self.stay_open()
        cursor.execute("ROLLBACK TO here")
        self.commit(before, self.enqueue(cursor, key))

    def prepared_at_once(self, cursor, key):
        self.prepare(cursor, self.enqueue(cursor, key))

    def prepared_when_noticed(self, cursor, key):
        event = self.enqueue(cursor, key)
        self.stay_open()
        self.prepare(cursor, event)

    def copied(self, cursor, key):
        events = []
        for _ in range(20):
            n = self.next_number(cursor, key)
            events.append((self.shop.new_event(key, n), key, n))
        copy(cursor, "shop_fact (event_id, key, n)", events)
        copy(cursor, "makegood_outbox (topic, event_id, dispatch_key, payload)",
             [("order.placed", event, key, "{}") for event, key, _ in events])
        self.commit(*(event for event, _, _ in events))

    def said_twice(self, cursor, key):
        """The second time draws a number, and has no row."""
        event = self.enqueue(cursor, key)
        cursor.execute("""INSERT INTO makegood_outbox (topic, event_id, dispatch_key, payload)
                          VALUES ('order.placed', %s, %s, '{}') ON CONFLICT (tenant_id, event_id) DO NOTHING""",
                       (event, key))
        self.commit(event)

    def slow_trigger(self, cursor, key):
        self.commit(self.enqueue(cursor, key, topic="order.slow"))

    def vast_hole(self, cursor, _):
        cursor.execute("INSERT INTO makegood_outbox (topic, event_id, payload) "
                       "SELECT 'order.placed', 'vast-0-' || i, '{}' FROM generate_series(1, %s) AS i", (VAST,))
        self.undo()
        self.is_over.wait(VAST_PAUSE_SECONDS)

    def prepare(self, cursor, event):
        name = secrets.token_hex(8)
        is_kept = self.chance.random() < 0.6
        cursor.execute("PREPARE TRANSACTION %s", (name,))
        self.session.rollback()  # It is the driver only that still thinks of a transaction.
        if not is_kept:
            self.shop.is_undone([event])
        due = time.monotonic() + self.chance.uniform(*LEFT_PREPARED_SECONDS)
        self.left.append((due, name, is_kept, event))


class Coordinator(Clerk):
    """Ends what others have prepared, some time later and in a session of its own; after a restart too."""

    def __init__(self, shop, writers):
        super().__init__(shop)
        self.writers = writers

    def work(self):
        self.session.autocommit = True
        for writer in self.writers:
            for left in [each for each in writer.left if each[0] <= time.monotonic()]:
                self.end(*left[1:])
                writer.left.remove(left)
        self.is_over.wait(0.02)

    def end(self, name, is_kept, event):
        try:
            with self.session.cursor() as cursor:
                cursor.execute("COMMIT PREPARED %s" if is_kept else "ROLLBACK PREPARED %s", (name,))
        except psycopg2.errors.UndefinedObject:
            return  # Done before the answer was lost.
        if is_kept:
            self.shop.is_committed([event])

    def end_all(self):
        """What nobody knows of any more, because the answer to PREPARE was lost, is undone."""
        for writer in self.writers:
            for _, name, is_kept, event in writer.left:
                self.end(name, is_kept, event)
            writer.left.clear()
        with self.session.cursor() as cursor:
            cursor.execute("SELECT gid FROM pg_prepared_xacts WHERE database = current_database()")
            for name, in cursor.fetchall():
                cursor.execute("ROLLBACK PREPARED %s", (name,))


def copy(cursor, table, rows):
    text = io.StringIO("".join("\t".join(map(str, row)) + "\n" for row in rows))
    cursor.copy_expert(f"COPY {table} FROM STDIN", text)


def staff(shop, seed):
    """Who writes at the same time. Most keep to keys of their own temper, or the slow would hold everybody up."""
    quick = ["plain"] * 12 + ["rolled_back", "partly_rolled_back", "copied", "said_twice"]
    slow = ["held_open", "rolled_back", "partly_rolled_back", "slow_trigger", "prepared_when_noticed",
            "prepared_at_once"]
    half = len(shop.keys) // 2
    quick_keys, slow_keys = shop.keys[:half], shop.keys[half:]
    kinds = [(quick, quick_keys)] * 3 + [(slow, slow_keys)] * 6
    kinds += [(slow + quick, shop.keys), (["vast_hole"], slow_keys)]
    return [Writer(shop, f"writer {number}", random.Random(f"{seed} {number}"), *each)
            for number, each in enumerate(kinds)]
