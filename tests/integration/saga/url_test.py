"""Actions that are whole URLs: a registered destination carries them, or nobody does."""

import signal
import unittest

from ground import on_both_stores, step


@on_both_stores
class Urls:
    def calling(self, name):
        made = step(name)
        for field in ("action", "compensation"):
            made[field] = made[field].replace("http:shop/", f"http://127.0.0.1:{self.shop.port}/api/")
        return made

    def carrier(self, **settings):
        self.settle(self.node, self.node.ask(
            "PUT", f"/api/outboxes/makegood_outbox/destinations/http:{self.order}",
            {"http": {"url": f"http://127.0.0.1:{self.shop.port}/api", **settings}}))

    def remove_carrier(self):
        self.settle(self.node, self.node.ask(
            "DELETE", f"/api/outboxes/makegood_outbox/destinations/http:{self.order}"))

    def read_participants_anew(self):
        """A node asks every two seconds which there are; one that begins asks at once."""
        self.node.end(signal.SIGTERM)
        self.node = self.start_node()

    def test_are_carried_by_the_longest_with_its_headers(self):
        self.carrier(headers={"X-Shop": "ours"})
        self.read_participants_anew()
        self.define(self.calling("reserve"))
        self.assertEqual(self.execute(wait=20).json()["state"], "completed")
        self.assertEqual(self.shop.await_calls("/api/reserve").headers["X-Shop"], "ours")
        self.remove_carrier()

    def test_wait_when_their_destination_is_removed_and_go_on_when_it_is_there_again(self):
        self.carrier()
        self.define(self.calling("reserve"))
        self.register("shop", self.participants("elsewhere"))  # Its URL would carry them too.
        self.remove_carrier()
        self.read_participants_anew()
        self.execute()
        self.await_(lambda: self.show().get("waitsFor") == "participant", "it waits")
        self.assertIn("no registered destination has a URL that it begins with", self.node.log())
        self.carrier()
        self.await_state("completed")
        self.register("shop", self.shop)
        self.remove_carrier()

    def test_are_refused_where_nobody_carries_them(self):
        answer = self.node.ask("PUT", f"/api/saga/definitions/{self.order}", {"steps": [
            {"name": "mail", "action": "https://mail.example/send", "effect": "none"}]})
        self.assertEqual(answer.status, 400)
        self.assertIn("no registered destination has a URL that it begins with", answer.json()["detail"])


if __name__ == "__main__":
    unittest.main()
