"""A server with TLS: who asks for a checked certificate gets one, or an error that names it."""

import os
import subprocess
import tempfile
import unittest

from place import PROGRAM, PostgresCase, clean_environment, events, psql, require_programs
from postgres_server import as_whom

AUTHORITY = ("-addext", "basicConstraints=critical,CA:TRUE")


class Tls(PostgresCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="makegood-tls-")
        self.addCleanup(place.cleanup)
        self.certificates = place.name
        self.server, = self.make_servers("server")
        self.server.make_folder()
        self.certify("ours", "-subj", "/CN=ours", *AUTHORITY)
        self.certify("theirs", "-subj", "/CN=theirs", *AUTHORITY)
        self.certify("server", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                     "-CA", self.of("ours.pem"), "-CAkey", self.of("ours.key"), folder=self.server.folder)
        self.server.start(ssl="on", ssl_cert_file=self.server.place_of("server.pem"),
                          ssl_key_file=self.server.place_of("server.key"))
        super().setUp()

    def of(self, name):
        return os.path.join(self.certificates, name)

    def certify(self, name, *how, folder=None):
        """NAME.pem and its NAME.key, which nobody but the server may read."""
        key, certificate = (os.path.join(folder or self.certificates, name + ending) for ending in (".key", ".pem"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                        "-noenc", "-days", "2", "-keyout", key, "-out", certificate, *how], check=True,
                       capture_output=True, timeout=60)
        os.chmod(key, 0o600)
        if folder and as_whom():
            os.chown(key, as_whom()["user"], as_whom()["group"])

    def make_database(self, server):
        return self.checked_by("ours")

    def checked_by(self, authority, host="localhost"):
        return (self.server.url().replace("127.0.0.1", host) +
                f"?sslmode=verify-full&sslrootcert={self.of(authority + '.pem')}")

    def doctor(self, url):
        done = subprocess.run([PROGRAM, "doctor", "--store", url], env=clean_environment(), capture_output=True,
                              text=True, timeout=60, check=False)
        return done.stdout + done.stderr

    def test_with_a_checked_certificate_delivers(self):
        node, inbox = self.start(), self.receiver()
        self.route_to(node, inbox)
        self.enqueue(5)
        self.await_arrival(inbox, events(5))
        sessions = psql(self.url, "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
                                  "WHERE application_name = 'makegood'")
        self.assertEqual(sessions, [("t",)])
        self.assertNotIn("wrong", self.doctor(self.url))

    def test_refuses_a_server_that_another_authority_vouches_for_and_one_of_another_name(self):
        self.assertIn("certificate verify failed", self.doctor(self.checked_by("theirs")))
        self.assertIn('does not match host name "127.0.0.1"', self.doctor(self.checked_by("ours", host="127.0.0.1")))
        self.assertIn("does not exist", self.doctor(self.checked_by("nobodys")))
        node = self.start(store=self.checked_by("theirs"))
        self.await_(lambda: "certificate verify failed" in node.log(), "the node says why")
        self.assertEqual(node.ask("GET", "/readyz").status, 503)


if __name__ == "__main__":
    require_programs()
    unittest.main()
