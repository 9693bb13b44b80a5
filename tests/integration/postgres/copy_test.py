"""A copy of a database sends nothing until it is adopted; what changes without a hand goes on by itself."""

import json
import os
import shutil
import subprocess
import unittest

from place import (PROGRAM, PostgresCase, clean_environment, events, program, psql, require_programs,
                   url_of)
from postgres_server import free_port

PRODUCTION, STAGING = ({"MAKEGOOD_STORE_ENVIRONMENT": name} for name in ("production", "staging"))


class CopyCase(PostgresCase):
    def setUp(self):
        self.server, self.other = self.make_servers("server", "other")
        self.server.start()
        super().setUp()
        self.inbox = self.receiver()

    def make_database(self, server):
        return self.server.url()

    def deliver_one_and_leave_one(self, store=None, **environment):
        """A database that has been in use: a route, a message that was sent, and one that was not."""
        node = self.start(store=store, **environment)
        self.await_(node.owns, "it works")
        self.route_to(node, self.inbox)
        self.enqueue(1)
        self.await_arrival(self.inbox, events(1))
        self.assertEqual(node.end()[0], 0)
        self.enqueue(1, 2)

    def expect_nothing(self, copy, **environment):
        node = self.start(store=copy, **environment)
        self.await_(lambda: "STORAGE.FOREIGN" in node.ask("GET", "/readyz").body.decode(), "it says why it is idle")
        self.assertEqual(self.arrived(self.inbox), ["e-1"])
        node.end()
        self.assertEqual(self.diagnosis(copy, **environment)["state"], "wrong")

    def expect_nothing_until_adopted(self, copy, **environment):
        self.expect_nothing(copy, **environment)
        self.adopt(copy, **environment)
        self.expect_going_on(copy, **environment)

    def expect_going_on(self, store, sent=2, **environment):
        node = self.start(store=store, **environment)
        self.await_arrival(self.inbox, events(sent))
        self.assertEqual(sorted(self.arrived(self.inbox)), sorted(events(sent)))
        self.assertEqual(node.ask("GET", "/readyz").status, 200)
        self.assertEqual(node.end()[0], 0)
        self.assertEqual(self.diagnosis(store, **environment)["state"], "ok")

    def run_makegood(self, *arguments, **environment):
        return subprocess.run([PROGRAM, *arguments], env=clean_environment(**environment), timeout=60,
                              capture_output=True, text=True, check=False)

    def adopt(self, store, **environment):
        done = self.run_makegood("adopt", "--store", store, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)

    def diagnosis(self, store, **environment):
        done = self.run_makegood("doctor", "--json", "--store", store, **environment)
        found = {one["check"]: one for one in json.loads(done.stdout)["diagnoses"]}
        return found["copy of makegood_outbox"]


class LogicalCopies(CopyCase):
    def dump(self, *how):
        return subprocess.run(["pg_dump", *how, self.server.url()], stdout=subprocess.PIPE, env=clean_environment(),
                              timeout=60, check=True).stdout

    def test_send_nothing_until_they_are_adopted(self):
        self.deliver_one_and_leave_one()
        self.other.start()
        subprocess.run(["psql", "-Xq", "-v", "ON_ERROR_STOP=1", self.other.url()], input=self.dump(),
                       stdout=subprocess.DEVNULL, env=clean_environment(), timeout=60, check=True)
        self.expect_nothing_until_adopted(self.other.url())

    def test_made_within_the_server_send_nothing_until_they_are_adopted(self):
        self.deliver_one_and_leave_one()
        psql(self.server.url("template1"), "CREATE DATABASE staging TEMPLATE postgres")
        self.expect_nothing_until_adopted(self.server.url("staging"))

    def test_over_a_database_that_was_in_use_send_nothing(self):
        """As staging that is refreshed from production every night."""
        self.deliver_one_and_leave_one(**PRODUCTION)
        staging = self.other.start().url()
        node = self.start(store=staging, **STAGING)
        self.await_(node.owns, "staging works")
        self.assertEqual(node.end()[0], 0)
        subprocess.run(["pg_restore", "--clean", "--if-exists", "--no-owner", "--dbname", staging],
                       input=self.dump("-Fc"), env=clean_environment(), timeout=60, check=True)
        self.expect_nothing(staging, **STAGING)
        self.expect_nothing(staging)


class RestoredOverItself(CopyCase):
    def restore(self, dump):
        subprocess.run(["pg_restore", "--clean", "--if-exists", "--no-owner", "--dbname", self.url], input=dump,
                       env=clean_environment(), timeout=60, check=True)

    def dump(self):
        return subprocess.run(["pg_dump", "-Fc", self.url], stdout=subprocess.PIPE, env=clean_environment(),
                              timeout=60, check=True).stdout

    def test_a_database_sends_nothing_until_it_is_adopted(self):
        self.deliver_one_and_leave_one()
        self.restore(self.dump())
        self.assertIn("oid of the log", self.diagnosis(self.url)["what"])
        self.expect_nothing_until_adopted(self.url)

    def test_a_database_with_the_name_of_its_environment_goes_on(self):
        self.deliver_one_and_leave_one(**PRODUCTION)
        self.restore(self.dump())
        self.expect_going_on(self.url, **PRODUCTION)

    def test_an_outbox_that_is_dropped_and_made_anew_goes_on(self):
        node = self.start()
        self.await_(node.owns, "it works")
        self.assertEqual(node.end()[0], 0)
        self.assertEqual(self.run_makegood("migrate", "--down", "--yes", "--store", self.url).returncode, 0)
        self.deliver_one_and_leave_one()
        self.expect_going_on(self.url)


class PhysicalCopies(CopyCase):
    def test_started_as_they_are_send_nothing_until_they_are_adopted(self):
        self.deliver_one_and_leave_one()
        self.other.copy_all_of(self.server).start()
        self.expect_nothing_until_adopted(self.other.url())

    def test_recovered_and_promoted_send_nothing_until_they_are_adopted(self):
        self.deliver_one_and_leave_one()
        self.other.follow(self.server)
        self.other.promote()
        self.expect_nothing_until_adopted(self.other.url())

    def test_do_not_send_when_the_original_is_silent(self):
        self.deliver_one_and_leave_one()
        self.other.copy_all_of(self.server).start()
        self.server.stop()
        self.expect_nothing_until_adopted(self.other.url())

    def test_are_the_real_one_under_the_name_of_the_original_and_copies_under_another(self):
        self.deliver_one_and_leave_one(**PRODUCTION)
        self.other.copy_all_of(self.server).start()
        self.server.stop()
        self.expect_nothing(self.other.url(), **STAGING)
        self.expect_nothing(self.other.url())
        self.expect_going_on(self.other.url(), **PRODUCTION)

    def take_the_place_of_the_original(self):
        """The same host name and port lead to the copy, as in another cluster where both are called `db`."""
        self.other.copy_all_of(self.server)
        self.other.remember("port", str(self.server.port()))
        self.server.stop()
        self.other.start()

    def test_at_the_same_host_name_are_noticed_by_the_environment(self):
        self.deliver_one_and_leave_one(**PRODUCTION)
        self.take_the_place_of_the_original()
        self.expect_nothing(self.url, **STAGING)
        self.expect_nothing(self.url)

    def test_at_the_same_host_name_are_not_noticed_without_one_and_doctor_warns(self):
        self.deliver_one_and_leave_one()
        self.take_the_place_of_the_original()
        self.expect_going_on(self.url)
        told = self.run_makegood("doctor", "--store", self.url).stdout
        self.assertRegex(told, "warning +environment: store.environment is not set")
        self.assertNotIn("environment is not set", self.run_makegood("doctor", "--store", self.url, **STAGING).stdout)

    def test_that_take_over_an_upgraded_server_are_adopted_or_have_its_name(self):
        upgrade = os.path.join(os.path.dirname(program("initdb")), "pg_upgrade")
        if not os.path.exists(upgrade):
            self.skipTest("these programs of PostgreSQL have no pg_upgrade")
        self.deliver_one_and_leave_one(**PRODUCTION)
        self.other.start()
        self.other.stop()
        self.server.stop()
        self.other.run("pg_upgrade", f"--old-bindir={os.path.dirname(upgrade)}", f"--old-datadir={self.server.data}",
                       f"--new-datadir={self.other.data}", "--username=postgres", f"--old-port={free_port()}",
                       f"--new-port={free_port()}")
        self.other.start()
        shutil.copy(self.server.place_of("password"), self.other.place_of("password"))
        upgraded = self.other.url()
        self.expect_nothing(upgraded)
        self.expect_going_on(upgraded, **PRODUCTION)


class WithoutAHand(CopyCase):
    """What must not alarm."""

    def test_a_promoted_standby_goes_on_where_the_url_names_both(self):
        self.other.follow(self.server)
        cluster = url_of(self.server, self.other)
        self.deliver_one_and_leave_one(store=cluster)
        self.enqueue(1, 3)
        sent = psql(self.server.url(), "SELECT pg_current_wal_lsn()")[0][0]
        self.await_(lambda: psql(self.other.url(), f"SELECT pg_last_wal_replay_lsn() >= '{sent}'") == [("t",)],
                    "the standby has it")
        self.assertRegex(self.run_makegood("doctor", "--store", self.other.url()).stdout, "writes.*standby")
        self.server.crash()
        self.other.promote()
        self.expect_going_on(cluster, sent=3)

    def test_a_promoted_standby_under_an_edited_url_is_adopted_by_hand(self):
        self.deliver_one_and_leave_one()
        self.other.follow(self.server)
        self.server.crash()
        self.other.promote()
        self.expect_nothing_until_adopted(self.other.url())

    def test_a_new_address_of_the_server_changes_nothing(self):
        self.server.stop()
        self.server.start(listen_addresses="127.0.0.1,127.0.0.2")
        for address, sent in (("127.0.0.1", 1), ("127.0.0.2", 2)):
            named = self.server.url().replace("@127.0.0.1:", "@db.internal:") + f"?hostaddr={address}"
            if sent == 1:
                self.deliver_one_and_leave_one(store=named)
                continue
            self.expect_going_on(named)
            self.assertIn(f"server's own address {address}:", self.diagnosis(named)["what"])

    def test_a_second_way_to_the_same_server_is_found_out_by_asking_the_first(self):
        self.deliver_one_and_leave_one()
        by_socket = self.server.url().replace(f"@127.0.0.1:{self.server.port()}/", "@/") + \
            f"?host={self.server.folder}&port={self.server.port()}"
        self.expect_going_on(by_socket)
        recorded = psql(self.url, "SELECT jsonb_array_length(places) FROM makegood_store")
        self.assertEqual(recorded, [("2",)])

    def test_a_record_of_an_older_version_is_completed_at_the_first_start(self):
        self.deliver_one_and_leave_one()
        psql(self.url, "UPDATE makegood_store SET places = NULL, environment = NULL, database = NULL")
        self.expect_going_on(self.url, **PRODUCTION)
        recorded = psql(self.url, "SELECT environment, places -> 0 ->> 'port' FROM makegood_store")
        self.assertEqual(recorded, [("production", str(self.server.port()))])

    def test_nothing_secret_is_recorded(self):
        self.deliver_one_and_leave_one()
        recorded = psql(self.url, "SELECT makegood_store::text FROM makegood_store")[0][0]
        self.assertNotIn(self.server.recall("password"), recorded)


if __name__ == "__main__":
    require_programs()
    unittest.main()
