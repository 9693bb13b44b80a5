"""Named cases of steps over a bus: asked by a message of the outbox, answered later; with real nodes on both stores."""

import signal
import time
import unittest

from ground import BROKEN, OK, SagaCase, on_both_stores, step


def mail(**more):
    return {"name": "mail", "action": "bus:shop.mail.wanted", "compensation": "bus:shop.mail.unwanted",
            "timeout": "4s", "compensation_timeout": "4s", "retry": {"base": "50ms", "cap": "200ms"}, **more}


@on_both_stores
class Bus:
    def setUp(self):
        super().setUp()
        self.desk = self.participants("mail").open()
        self.settle(self.node, self.node.ask("PUT", "/api/outboxes/makegood_outbox/routes", {"routes": [
            {"pattern": "shop.mail.*", "destination": f"http:{self.desk.name}"}]}))

    def asked(self, direction="action", count=1):
        """The newest message that asks for it."""
        def those():
            return [call for call in self.desk.at("/") if call.headers["saga-direction"] == direction]
        self.await_(lambda: len(those()) >= count, f"a message asks for the {direction}")
        return those()[count - 1]

    def answer(self, message, outcome="ok", **more):
        path = "/" + message.headers["saga-callback"].split("/", 3)[3]
        return self.node.ask("POST", path, {"outcome": outcome, **more})

    def test_is_asked_by_a_message_and_answered_by_its_callback(self):
        self.define(step("reserve"), mail(input={"to": "${input.cents}"}), output={"mail": "${mail.id}"})
        self.execute()
        message = self.asked()
        self.assertEqual(message.body, {"to": 100})
        self.assertEqual(message.headers["saga-execution"], self.id)
        self.assertEqual(message.headers["saga-key"], f"default/{self.id}/mail/action/1")
        self.assertEqual(self.show()["waitsFor"], "callback")
        self.assertEqual(self.answer(message, output={"id": "m-9"}).status, 200)
        self.assertEqual(self.await_state("completed")["output"], {"mail": "m-9"})

    def test_is_answered_by_a_message_that_names_the_address(self):
        """As a route leads it here that was taken in from a broker: one address for all of them."""
        self.define(mail(), output={"mail": "${mail.id}"})
        self.execute()
        address = self.asked().headers["saga-callback"]
        said = {"callback": address, "outcome": "ok", "output": {"id": "m-9"}}
        wrong = self.node.ask("POST", "/api/saga/answers", {**said, "callback": address.replace(self.id, "other")})
        self.assertEqual(wrong.status, 403)
        self.assertEqual(self.node.ask("POST", "/api/saga/answers", {**said, "callback": "x"}).status, 400)
        for was_there in (False, True):
            taken = self.node.ask("POST", "/api/saga/answers", said)
            self.assertEqual((taken.status, taken.json()["wasThere"]), (200, was_there))
        self.assertEqual(self.await_state("completed")["output"], {"mail": "m-9"})

    def test_is_undone_by_a_message_after_its_action(self):
        self.define(mail(), step("charge"))
        self.shop.script("/charge", (422, {"code": "NO_FUNDS"}))
        self.execute()
        action = self.asked()
        self.answer(action, output={"id": "m-9"})
        undo = self.asked("compensation")
        self.assertEqual(undo.headers["saga-action-key"], action.headers["saga-key"])
        self.assertEqual(undo.body["output"], {"id": "m-9"})
        self.answer(undo)
        self.await_state("compensated")

    def test_is_not_sent_again_after_its_compensation(self):
        """A dead bus action replayed after its compensation: it has expired, and says so."""
        self.define(mail(timeout="2s", retry={"attempts_max": 1}))
        self.desk.script("/", (400, {"code": "BAD"}), OK)
        self.execute()
        undo = self.asked("compensation")
        self.answer(undo)
        self.await_state("compensated")
        dead = self.node.ask("GET", "/api/outboxes/makegood_outbox/dead").json()["items"]
        letter = next(one for one in dead if one["event_id"].startswith(f"saga:{self.id}:mail:action"))
        seen = len(self.desk.calls)
        self.settle(self.node, self.node.ask(
            "POST", f"/api/outboxes/makegood_outbox/dead/{letter['sequence']}/http:{self.desk.name}/replay", {}))
        self.await_(lambda: self.code_of(letter) == "TX.EXPIRED", "it has expired")
        self.assertEqual(len(self.desk.calls), seen, "nobody got it again")

    def code_of(self, letter):
        dead = self.node.ask("GET", "/api/outboxes/makegood_outbox/dead").json()["items"]
        return next((one["error_code"] for one in dead if one["sequence"] == letter["sequence"]), None)

    def test_survives_the_death_of_its_owner(self):
        """The message was written with the turn that has begun it: once, whoever owns the shard."""
        self.define(mail(timeout="20s"))
        self.desk.script("/", BROKEN, OK)
        self.execute()
        self.asked()
        self.node.end(signal.SIGKILL)
        self.node = self.start_node()
        message = self.asked(count=2)
        self.assertEqual(message.headers["saga-attempt"], "1", "handed over again, and not begun again")
        self.answer(message)
        self.await_state("completed")
        self.assertLess(time.monotonic() - message.at, 10)


if __name__ == "__main__":
    unittest.main()
