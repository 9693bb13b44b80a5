"""Roles of a producer and of the relay, with what `makegood migrate grants` grants and nothing else."""

import secrets
import subprocess
import urllib.parse

from place import PostgresCase, clean_environment, psql

PASSWORD = secrets.token_hex(16)


class GrantedCase(PostgresCase):
    """`self.producer` and `self.relay` are their URLs."""

    def setUp(self):
        super().setUp()
        ending = secrets.token_hex(4)
        self.producer, self.relay = (self.make_role(f"{name} {ending}") for name in ("the shop", "the relay"))
        # Nothing comes from being somebody.
        psql(self.url, "REVOKE ALL ON SCHEMA public, makegood FROM public",
             "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public, makegood FROM public",
             f"GRANT USAGE ON SCHEMA public TO {self.roles()}")
        self.grant("makegood_outbox")

    def make_role(self, name):
        psql(self.url, f"CREATE ROLE \"{name}\" LOGIN PASSWORD '{PASSWORD}' CONNECTION LIMIT 50")
        self.addCleanup(psql, self.url, f'DROP OWNED BY "{name}"', f'DROP ROLE "{name}"')
        at = urllib.parse.urlsplit(self.url)
        return f"postgres://{urllib.parse.quote(name)}:{PASSWORD}@{at.hostname}:{at.port}{at.path}"

    def grant(self, outbox, url=None):
        """Answers what the server says to it."""
        shop, relay = self.names()
        grants = self.makegood("migrate", "grants", "--producer", shop, "--relay", relay, "--outbox", outbox)
        return subprocess.run(["psql", "-Xq", "-v", "ON_ERROR_STOP=1", url or self.url], input=grants, text=True,
                              check=True, env=clean_environment(), timeout=60, stderr=subprocess.PIPE).stderr

    def names(self):
        return [urllib.parse.unquote(urllib.parse.urlsplit(url).username) for url in (self.producer, self.relay)]

    def roles(self):
        return ", ".join(f'"{name}"' for name in self.names())
