"""Tables of sagas that are of another version: nothing is carried out, and everybody is told."""

import json
import subprocess
import tempfile
import unittest

from ground import PROGRAM, Node, clean_environment, on_both_stores

STOPPED = "Sagas are not carried out"


@on_both_stores
class OtherTables:
    def setUp(self):
        if not self.ground.nodes:
            self.node = None
            super().setUp()
            self.node.clear_away()
        else:
            super().setUp()

    def serve(self):
        node = Node(tempfile.mkdtemp(dir=self.ground.folder), "--no-migrate", store=self.ground.url)
        self.addCleanup(node.clear_away)
        assert node.address, node.log()
        return node

    def diagnosed(self):
        done = subprocess.run([PROGRAM, "doctor", "--store", self.ground.url, "--json"], capture_output=True, text=True,
                              timeout=60, check=False, env=clean_environment())
        return [one for one in json.loads(done.stdout)["diagnoses"] if one["check"] == "sagas"]

    def assert_told(self, version):
        node = self.serve()
        self.await_(lambda: "sagas are not carried out" in node.log(), "its log says it")
        status = node.ask("GET", "/api/status").json()
        self.assertFalse(status["is_ok"])
        told = [trouble for trouble in status["troubles"] if trouble["what"].startswith(STOPPED)]
        self.assertEqual([trouble["severity"] for trouble in told], ["critical"], status)
        self.assertIn(version, told[0]["what"])
        self.assertIn("makegood migrate --saga-log makegood_saga", told[0]["advice"])
        found = self.diagnosed()
        self.assertEqual([one["state"] for one in found], ["wrong"], found)
        self.assertEqual(node.ask("GET", "/api/saga/executions").status, 503)

    def test_that_are_older(self):
        newest = self.sql("SELECT max(number) FROM makegood_migration WHERE outbox = 'makegood_saga_journal'")[0][0]
        number = "UPDATE makegood_migration SET number = {} WHERE outbox = 'makegood_saga_journal' AND number = {}"
        self.sql(number.format(-1, newest))
        self.assert_told("of an older version")
        self.sql(number.format(newest, -1))

    def test_that_are_newer(self):
        self.sql("INSERT INTO makegood_migration (outbox, number, name) VALUES ('makegood_saga_journal', 999, 'later')")
        self.assert_told("of a newer version")
        self.sql("DELETE FROM makegood_migration WHERE number = 999")


if __name__ == "__main__":
    unittest.main()
