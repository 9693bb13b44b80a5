"""What status says of sagas, made real; the command that it advises is run and lists what it speaks of."""

import json
import shlex
import subprocess
import unittest

from ground import BROKEN, OK, PROGRAM, clean_environment, on_both_stores, step


@on_both_stores
class Sagas:
    def advised(self, words):
        """What the command lists that stands below the sentence of `makegood status`."""
        lines = self.makegood("status", "--server", f"http://{self.node.address}").splitlines()
        at = next(number for number, line in enumerate(lines) if words in line)
        self.assertTrue(lines[at].startswith("warning"), lines[at])
        command = next(line for line in lines[at:] if "→ " in line).partition("→ ")[2]
        program, *arguments = shlex.split(command)
        self.assertEqual(program, "makegood")
        return [item["executionId"] for item in json.loads(self.makegood(*arguments, "--json"))["items"]]

    def makegood(self, *arguments):
        door = f"{self.ground.nodes[-1].log_path.rpartition('/')[0]}/door"
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60, check=False,
                              env=clean_environment(MAKEGOOD_SERVER_DOOR_FOLDER=door))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def diagnosed(self, words):
        """What `makegood doctor` says of sagas, with a command that is run: what it lists."""
        done = subprocess.run([PROGRAM, "doctor", "--store", self.ground.url, "--json"], capture_output=True, text=True,
                              timeout=60, check=False, env=clean_environment())
        found = [one for one in json.loads(done.stdout)["diagnoses"]
                 if one["check"] == "sagas" and words in one["what"]]
        self.assertEqual([one["state"] for one in found], ["warning"], done.stdout)
        program, *arguments = shlex.split(found[0]["mend"].partition(" --store ")[0])
        self.assertEqual(program, "makegood")
        listed = self.makegood(*arguments, "--store", self.ground.url, "--json")
        return [item["executionId"] for item in json.loads(listed)["items"]]

    def test_that_wait_for_a_person(self):
        self.shop.script("/reserve", (422, {"code": "NEEDS_A_LOOK"}))
        self.define(step("reserve", on_failure={"NEEDS_A_LOOK": {"manual": "look at it"}}))
        self.execute()
        self.await_state("manual")
        self.assertEqual(self.advised(f"1 execution of saga {self.order} waits for a person."), [self.id])
        self.assertEqual(self.diagnosed(f"1 execution of saga {self.order} waits for a person."), [self.id])

    def test_that_could_not_be_undone(self):
        self.shop.script("/charge", (422, {"code": "DECLINED"}))
        self.shop.script("/undo-reserve", BROKEN)
        self.define(step("reserve"), step("charge"), give_up_after="1s")
        self.execute()
        self.await_state("failed")
        self.assertEqual(self.advised(f"1 execution of saga {self.order} has failed: something is open that could not "
                                      "be undone."), [self.id])
        self.assertEqual(self.diagnosed(f"1 execution of saga {self.order} has failed"), [self.id])
        self.shop.script("/undo-reserve", OK)

    def test_that_wait_for_a_destination_that_nobody_has_registered(self):
        self.define(step("reserve", service=f"later-{self.id}"))
        self.execute()
        self.await_(lambda: self.show().get("waitsFor") == "participant", "it waits for it")
        self.assertEqual(self.advised(f"1 execution of saga {self.order} waits for a destination that is not "
                                      "registered"), [self.id])
        self.assertEqual(self.node.log().count(f"http:later-{self.id}, which is not registered"), 1)
        self.register(f"later-{self.id}", self.shop)
        self.await_state("completed")


if __name__ == "__main__":
    unittest.main()
