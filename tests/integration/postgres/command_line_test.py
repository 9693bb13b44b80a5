"""status, doctor, migrate check, adopt and serve on PostgreSQL; and no password in anything that they say."""

import json
import os
import subprocess
import unittest
import urllib.parse

from place import PROGRAM, PostgresCase, clean_environment, events, on_database, psql, require_server

SECRET = "se?cr:et"


class CommandLine(PostgresCase):
    def run_makegood(self, *arguments, store=None, **variables):
        return subprocess.run([PROGRAM, *arguments, "--store", store or self.url], cwd=self.folder, timeout=60,
                              env=clean_environment(**variables), capture_output=True, text=True, check=False)

    def found(self, store=None, *arguments):
        """What the doctor does not like: by check."""
        done = self.run_makegood("doctor", "--json", *arguments, store=store)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["is_ok"], done.returncode == 0)
        return {one["check"]: one for one in answer["diagnoses"] if one["state"] != "ok"}

    def make_role(self, name, *grants):
        role = name + "_" + self.url.rsplit("_", 1)[1]
        psql(self.url, f"CREATE ROLE {role} LOGIN PASSWORD '{SECRET}'", *(grant.format(role) for grant in grants))
        self.addCleanup(psql, self.url, f"DROP OWNED BY {role}", f"DROP ROLE {role}")
        at = urllib.parse.urlsplit(self.url)
        return f"{at.scheme}://{role}:{urllib.parse.quote(SECRET)}@{at.hostname}:{at.port}{at.path}"


class Doctor(CommandLine):
    def test_finds_nothing_wrong_with_a_server_on_which_a_node_works(self):
        node = self.start()
        self.route_to(node, self.receiver())
        self.assertEqual(set(self.found()), {"environment"}, "which has no name here")

    def test_names_the_migrations_that_are_missing(self):
        empty = self.make_database(self.url)
        found = self.found(empty)["migrations of makegood_outbox"]
        self.assertIn("migration 0001 outbox", found["what"])
        self.assertIn("makegood migrate", found["mend"])

    def test_finds_a_sequence_with_a_cache(self):
        psql(self.url, "ALTER SEQUENCE makegood_outbox_number CACHE 20")
        found = self.found()["sequence of makegood_outbox"]
        self.assertIn("20", found["what"])
        self.assertIn("CACHE 1", found["mend"])

    def test_names_rights_that_a_role_lacks(self):
        role = self.make_role("reader", "GRANT SELECT ON ALL TABLES IN SCHEMA public TO {}")
        found = self.found(role)["rights of makegood_outbox"]
        self.assertIn('"makegood_outbox_turn": INSERT', found["what"])
        self.assertIn("makegood migrate grants", found["mend"])

    def test_tells_of_a_prepared_transaction_that_has_not_ended(self):
        psql(self.url, "BEGIN; INSERT INTO makegood_outbox (topic, payload) VALUES ('order.placed', '1');"
                       "PREPARE TRANSACTION 'left behind'")
        self.addCleanup(psql, self.url, "ROLLBACK PREPARED 'left behind'")
        self.assertRegex(self.run_makegood("doctor").stdout, r"ok +two-phase: .*'left behind' is .* old")

    def test_finds_a_database_that_is_set_to_read_only(self):
        psql(self.url, f"ALTER DATABASE {self.url.rsplit('/', 1)[1]} SET default_transaction_read_only = on")
        self.assertIn("target_session_attrs", self.found()["writes"]["mend"])

    def test_warns_of_commits_that_do_not_wait_for_the_disk(self):
        psql(self.url, f"ALTER DATABASE {self.url.rsplit('/', 1)[1]} SET synchronous_commit = off")
        self.assertEqual(self.found()["commits"]["state"], "warning")

    def test_says_that_a_server_cannot_be_reached_and_no_more(self):
        found = self.found("postgres://127.0.0.1:1/nowhere")
        self.assertEqual(list(found), ["server"])


class Check(CommandLine):
    def test_says_what_is_missing_by_its_name(self):
        done = self.run_makegood("migrate", "check", store=self.make_database(self.url))
        self.assertEqual((done.returncode, done.stdout), (1, "makegood_outbox: missing: migration 0001 outbox\n"
                                                               "makegood_outbox: missing: migration 0002 enqueue\n"
                                                               "makegood_outbox: missing: migration 0003 wake_up\n"
                                                               "makegood_outbox: missing: migration 0004 status\n"
                                                               "makegood_outbox: missing: migration 0005 changed_at\n"
                                                               "makegood_outbox: missing: migration 0006 log_mark\n"
                                                               "makegood_outbox: missing: migration 0007 deletes\n"
                                                               "makegood_outbox: missing: migration 0008 answered\n"
                                                               "makegood_outbox: missing: migration 0009 places\n"
                                                               "makegood_outbox: missing: migration 0010 log_oid\n"
                                                               "makegood_outbox: missing: migration 0011 replay\n"))
        psql(self.url, "DROP VIEW makegood_outbox_status_003", "DROP INDEX makegood_outbox_parked_dead",
             "DROP FUNCTION makegood_outbox_enqueue")
        done = self.run_makegood("migrate", "check")
        self.assertEqual((done.returncode, done.stdout),
                         (1, 'makegood_outbox: missing: "makegood_outbox_parked_dead"\n'
                             'makegood_outbox: missing: "makegood_outbox_enqueue"\n'
                             'makegood_outbox: missing: "makegood_outbox_status_003"\n'))

    def test_misses_columns_triggers_and_functions_that_were_there_before(self):
        psql(self.url, "ALTER TABLE makegood_outbox DROP COLUMN envelope_id",
             "ALTER TABLE makegood_outbox DISABLE TRIGGER makegood_immutable",
             "ALTER FUNCTION makegood_event_id RENAME TO gone",
             "ALTER FUNCTION makegood_refuse_update RENAME TO gone_too")
        done = self.run_makegood("migrate", "check")
        self.assertEqual((done.returncode, done.stdout),
                         (1, 'makegood_outbox: missing: "makegood_outbox": column envelope_id\n'
                             'makegood_outbox: missing: "makegood_outbox": trigger makegood_immutable\n'
                             'makegood_outbox: missing: "makegood_refuse_update"\n'
                             'makegood_outbox: missing: "makegood_event_id"\n'))

    def test_is_content_with_what_migrate_has_made(self):
        self.makegood("migrate", "--store", self.url, "--outbox", "other.outbox")
        for outbox in ("makegood_outbox", "other.outbox"):
            done = self.run_makegood("migrate", "check", "--outbox", outbox)
            self.assertEqual((done.returncode, done.stdout), (0, f"{outbox}: the tables are up to date\n"))


class Secrets(CommandLine):
    """A password is in the URL, and in nothing that anybody can read."""

    def said(self, store, *arguments):
        done = self.run_makegood(*arguments, store=store)
        return done.stdout + done.stderr

    def assert_told(self, text):
        self.assertNotIn(SECRET, text)
        self.assertNotIn(urllib.parse.quote(SECRET), text)
        self.assertIn("***", text)

    def urls(self):
        """That work, that do not, and that nobody can read."""
        right = self.make_role("secretive")
        yield right
        yield right.replace("postgres://", "postgress://")
        yield on_database(right, "nowhere")
        yield f"postgres://ann:{SECRET}%zz@127.0.0.1:1/x"
        yield f"postgres://127.0.0.1:1/x?user=ann&password={urllib.parse.quote(SECRET)}"

    def test_are_not_in_the_advice_of_status_and_doctor(self):
        for url in self.urls():
            with self.subTest(url=url):
                self.assert_told(self.said(url, "status"))
                self.assert_told(self.said(url, "status", "--json"))
                self.assert_told(self.said(url, "doctor") + "***")

    def test_are_not_in_an_error_message(self):
        for url in self.urls():
            for verb in (["outbox", "list"], ["migrate", "check"], ["migrate"], ["adopt"], ["dead", "list"]):
                with self.subTest(url=url, verb=verb):
                    self.assert_told(self.said(url, *verb) + "***")

    def test_are_not_in_the_configuration_that_is_shown(self):
        shown = subprocess.run([PROGRAM, "config", "show", "--set", f"store.url={self.make_role('shown')}"],
                               env=clean_environment(), capture_output=True, text=True, timeout=60, check=True)
        self.assert_told(shown.stdout)

    def test_are_not_in_what_a_daemon_says_logs_and_answers(self):
        for url in self.urls():
            with self.subTest(url=url):
                node = self.start(store=url)
                answers = [node.ask("GET", path).body.decode() for path in ("/api/status", "/readyz", "/metrics")]
                answers.append(node.enqueue().body.decode())
                node.end()
                self.assert_told(node.hello + node.log() + "".join(answers))


class Elsewhere(CommandLine):
    def test_a_url_may_leave_to_the_environment_what_libpq_reads_there(self):
        at = urllib.parse.urlsplit(self.url)
        done = self.run_makegood("status", store="postgres://", PGHOST=at.hostname, PGPORT=str(at.port),
                                 PGUSER=at.username, PGPASSWORD=at.password, PGDATABASE=at.path[1:])
        self.assertIn("All is well", done.stdout, done.stderr)

    def test_a_url_may_name_a_service_whose_password_is_in_a_file(self):
        at = urllib.parse.urlsplit(self.url)
        self.write("services", f"[shop]\nhost={at.hostname}\nport={at.port}\nuser={at.username}\n"
                               f"dbname={at.path[1:]}\n")
        self.write("passwords", f"{at.hostname}:{at.port}:*:{at.username}:{at.password}\n")
        os.chmod(self.path("passwords"), 0o600)
        places = {"PGSERVICEFILE": self.path("services"), "PGPASSFILE": self.path("passwords")}
        node, inbox = self.start(store="postgres://?service=shop", **places), self.receiver()
        self.route_to(node, inbox)
        self.enqueue(3)
        self.await_arrival(inbox, events(3))
        self.assertIn("All is well", self.run_makegood("status", store="postgres://?service=shop", **places).stdout)
        missing = self.run_makegood("doctor", store="postgres://?service=office", **places)
        self.assertIn('definition of service "office" not found', missing.stdout)

    def test_the_store_may_be_named_by_the_configuration(self):
        with open(os.path.join(self.folder, "makegood.yaml"), "w", encoding="utf-8") as file:
            file.write(f"store:\n  url: {self.url}\n")
        self.assertIn("All is well", self.makegood("status"))


if __name__ == "__main__":
    require_server()
    unittest.main()
