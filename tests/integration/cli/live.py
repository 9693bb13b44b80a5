"""A daemon in a situation that is made real: what status says of it, and the command that it advises."""

import shlex

from server import ServerCase

DESTINATION = "http:in"


class LiveCase(ServerCase):
    def trouble(self, words, *flags):
        """What status says with these words; it is awaited."""
        found = []

        def is_told():
            found[:] = [one for one in self.json("status", *(flags or self.server))["troubles"] if words in one["what"]]
            return bool(found)

        self.await_that(is_told)
        return found[0]

    def no_trouble(self):
        self.await_that(lambda: self.json("status", *self.server)["troubles"] == [])

    def advised(self, words, *flags, **replaced):
        """The command below the sentence, as a person would copy it."""
        lines = self.succeed("status", *(flags or self.server)).splitlines()
        at = next(number for number, line in enumerate(lines) if words in line)
        command = next(line for line in lines[at:] if "→ " in line).partition("→ ")[2]
        for name, value in replaced.items():
            command = command.replace(name, value)
        program, *arguments = shlex.split(command)
        self.assertEqual(program, "makegood")
        return arguments

    def run_advice(self, words, *flags, exits=(0,), **replaced):
        done = self.makegood(*self.advised(words, *flags, **replaced))
        self.assertIn(done.returncode, exits, done.stdout + done.stderr)
        return done.stdout

    def route_to(self, endpoint, *flags, pattern="order.*"):
        self.succeed("destinations", "add", DESTINATION, "--url", endpoint.url, "--route", pattern, "--operator", "ann",
                     *flags, *self.server)

    def enqueue(self, topic="order.placed", *flags):
        self.succeed("outbox", "enqueue", topic, *flags, *self.server)

    def not_ready(self, code):
        done = self.makegood("status", *self.server)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"[{code}]", done.stdout)
        self.await_that(lambda: any("not ready" in line and code in line for line in self.log))

    def expect_stopped(self, words, code):
        trouble = self.trouble(words)
        self.assertEqual((trouble["severity"], trouble["code"]), ("critical", code))
        self.assertIsNotNone(trouble["since"])
        whats = [one["what"] for one in self.json("status", *self.server)["troubles"]]
        self.assertFalse([what for what in whats if "Nobody owns" in what], "its relay runs, and has said why not")
        self.not_ready(code)
