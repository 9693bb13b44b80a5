"""A psql that stays: a session with a transaction of its own, which others have to wait for."""

import subprocess

from daemon import clean_environment

DONE = "-- done --"


class Session:
    def __init__(self, url):
        self.process = subprocess.Popen(["psql", "-XqAt", url], env=clean_environment(), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def say(self, statements):
        """Answers what psql prints; returns when it is through."""
        self.begin_to_say(statements)
        return self.hear()

    def begin_to_say(self, statements):
        self.process.stdin.write(f"{statements};\n\\echo {DONE}\n")
        self.process.stdin.flush()

    def hear(self):
        lines = []
        while (line := self.process.stdout.readline().rstrip("\n")) != DONE:
            if not line and self.process.poll() is not None:
                break
            lines.append(line)
        return lines

    def close(self):
        """Whatever it has begun is rolled back."""
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()
