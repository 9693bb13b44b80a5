"""What a key means: 400, 409, 422, replay; and what each answer of the service means for its key."""

import json
import os
import subprocess
import threading
import time
import unittest

from stage import PROGRAM, ProxyCase, ask, clean_environment, on_postgres

OPEN = ("--no-principal", "--path", "/**")

TABLE = """
principal: none
routes:
  - path: /status/409
    answers: {{409: store}}
  - path: /status/500
    answers: {{500: release}}
  - path: /cut
    answers: {{cut: release}}
  - path: /half
    answers: {{cut: store}}
  - path: /slow/**
    timeout: 400ms
    answers: {{timeout: {timeout}}}
  - path: /required
    required: true
  - path: /**
    methods: [POST, PUT]
"""


class Keys(ProxyCase):
    def test_a_repeated_request_is_answered_as_the_first_and_has_no_second_effect(self):
        proxy = self.start(*OPEN)
        first = proxy.ask("POST", "/ok", b"order 7", "k1")
        second = proxy.ask("POST", "/ok", b"order 7", "k1")
        self.assertEqual((first.status, first.word), (200, "stored"))
        self.assertEqual((second.status, second.body), (first.status, first.body))
        self.assertEqual(second.headers["Idempotency-Replayed"], "true")
        self.assertNotIn("Idempotency-Replayed", first.headers)
        self.assertEqual(second.headers.get_all("X-Twice"), ["a", "b"])
        self.assertEqual(second.headers["Content-Type"], "application/json")
        self.assertEqual(len(self.service.effects()), 1)

    def test_a_quoted_key_and_a_bare_one_are_the_same(self):
        proxy = self.start(*OPEN)
        proxy.ask("POST", "/ok", b"x", '"a key"')
        self.assertEqual(proxy.ask("POST", "/ok", b"x", "a key").word, "replayed")

    def test_the_same_key_with_another_body_path_or_type_is_422(self):
        proxy = self.start(*OPEN)
        proxy.ask("POST", "/ok", b"x", "k")
        for path, body, headers in (("/ok", b"y", {}), ("/ok?a=1", b"x", {}), ("/ok/2", b"x", {}),
                                    ("/ok", b"x", {"Content_Type": "text/x"})):
            answer = proxy.ask("POST", path, body, "k", **headers)
            self.assertEqual((answer.status, answer.json()["code"]), (422, "TX.IDEMPOTENT_MISMATCH"), path)
        self.assertEqual(len(self.service.effects()), 1)

    def test_a_missing_key_is_400_where_one_is_required_and_passes_elsewhere(self):
        proxy = self.start_with(TABLE.format(timeout="hold"))
        self.assertEqual(proxy.ask("POST", "/required", b"x").status, 400)
        self.assertEqual(proxy.ask("GET", "/required").status, 200)
        self.assertEqual(proxy.ask("POST", "/ok", b"x").status, 200)
        self.assertEqual([effect["path"] for effect in self.service.effects()], ["/required", "/ok"])

    def test_a_key_that_cannot_be_read_is_400(self):
        proxy = self.start(*OPEN)
        for key in ('"open', "", "x" * 256, '""'):
            self.assertEqual(proxy.ask("POST", "/ok", b"x", key).status, 400, key)
        self.assertEqual(self.service.effects(), [])

    def test_while_the_first_is_under_way_others_are_409(self):
        proxy = self.start(*OPEN, "--admin", "127.0.0.1:0")
        told = []
        first = threading.Thread(target=lambda: told.append(proxy.ask("POST", "/slow/1.5", b"x", "k")))
        first.start()
        self.await_(lambda: b"tx_proxy_exchanges 1" in ask(proxy.admin, "GET", "/metrics").body, "it is under way")
        answer = proxy.ask("POST", "/slow/1.5", b"x", "k")
        self.assertEqual((answer.status, answer.json()["code"]), (409, "TX.IDEMPOTENT_BUSY"))
        self.assertEqual(answer.headers["Retry-After"], "1")
        first.join()
        self.assertEqual(told[0].word, "stored")
        self.assertEqual(proxy.ask("POST", "/slow/1.5", b"x", "k").word, "replayed")
        self.assertEqual(len(self.service.effects()), 1)

    def test_thirty_two_at_once_have_one_effect(self):
        proxy = self.start(*OPEN)
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(proxy.ask("POST", "/slow/0.2", b"x", "one")))
                   for _ in range(32)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(self.service.effects()), 1)
        self.assertLessEqual({answer.status for answer in answers}, {200, 409})
        self.assertEqual(len({answer.body for answer in answers if answer.status == 200}), 1)

    def test_a_claim_is_renewed_while_the_service_works(self):
        proxy = self.start_with("principal: none\nroutes:\n  - {path: /**, lease: 300ms, timeout: 10s}\n")
        told = []
        first = threading.Thread(target=lambda: told.append(proxy.ask("POST", "/slow/1.5", b"x", "k")))
        first.start()
        time.sleep(1)  # Three leases: without renewal the key would be in doubt.
        self.assertEqual(proxy.ask("POST", "/slow/1.5", b"x", "k").json()["code"], "TX.IDEMPOTENT_BUSY")
        first.join()
        self.assertEqual(told[0].word, "stored")

    def test_a_client_that_hangs_up_does_not_cancel_the_service(self):
        proxy = self.start(*OPEN)
        with self.assertRaises(TimeoutError):
            proxy.ask("POST", "/slow/0.6", b"x", "k", timeout=0.2)
        self.await_(lambda: len(self.service.effects()) == 1, "the service has done it")
        self.await_(lambda: proxy.ask("POST", "/slow/0.6", b"x", "k").word == "replayed", "it is stored")
        self.assertEqual(len(self.service.effects()), 1)

    def test_a_replay_has_no_cookie_and_a_date_of_its_own(self):
        proxy = self.start(*OPEN)
        self.assertIn("Set-Cookie", proxy.ask("POST", "/cookie", b"", "k").headers)
        replay = proxy.ask("POST", "/cookie", b"", "k")
        self.assertNotIn("Set-Cookie", replay.headers)
        self.assertEqual(len(replay.headers.get_all("Date")), 1)
        self.assertEqual(replay.headers["Content-Length"], str(len(replay.body)))

    def test_an_answer_without_a_body_is_replayed_without_one(self):
        proxy = self.start(*OPEN)
        for word in ("stored", "replayed"):
            answer = proxy.ask("POST", "/none", b"", "k")
            self.assertEqual((answer.status, answer.body, answer.word), (204, b"", word))

    def test_an_answer_above_the_limit_is_passed_on_and_its_replay_says_so(self):
        proxy = self.start_with(
            "principal: none\nresult_bytes_max: 1000\nanswer_bytes_max: 100000\nroutes:\n  - {path: /**}\n")
        for path in ("/large/5000", "/large/3000000"):
            first = proxy.ask("POST", path, b"", path)
            self.assertEqual((first.status, len(first.body), first.word), (201, int(path[7:]), "stored"))
            replay = proxy.ask("POST", path, b"", path)
            self.assertEqual((replay.status, replay.word), (201, "result_truncated"))
            self.assertEqual(replay.headers["Location"], "/things/7")
            self.assertNotIn("ETag", replay.headers)
            self.assertTrue(replay.json()["result_truncated"])
        self.assertEqual(len(self.service.effects()), 2)

    def test_a_body_above_the_limit_is_413_before_anything_is_claimed(self):
        proxy = self.start_with("principal: none\nbody_bytes_max: 1000\nroutes:\n  - {path: /**}\n")
        self.assertEqual(proxy.ask("POST", "/ok", b"x" * 1001, "k").status, 413)
        self.assertEqual(proxy.ask("POST", "/ok", iter([b"x" * 600, b"x" * 600]), "k").status, 413)
        self.assertEqual(proxy.ask("POST", "/ok", b"x" * 1000, "k").word, "stored")
        self.assertEqual(len(self.service.effects()), 1)

    def test_what_the_service_is_asked(self):
        proxy = self.start(*OPEN)
        proxy.ask("POST", "/ok", iter([b"in ", b"chunks"]), "k", Accept_Encoding="gzip", Connection="keep-alive, X-Hop",
                  X_Hop="mine", X_Forwarded_For="10.1.2.3", X_End="kept", TE="trailers")
        effect = self.service.effects()[0]
        headers = {name.lower(): value for name, value in effect["headers"]}
        self.assertEqual(effect["body"], "in chunks")
        self.assertEqual(headers["accept-encoding"], "identity")
        self.assertEqual(headers["content-length"], "9")
        self.assertEqual(headers["x-forwarded-for"], "10.1.2.3, 127.0.0.1")
        self.assertEqual(headers["x-end"], "kept")
        self.assertEqual(headers["idempotency-key"], "k")
        self.assertFalse({"x-hop", "te", "connection", "transfer-encoding"} & set(headers))


class Sealed(ProxyCase):
    def test_a_stored_answer_is_read_by_nobody_else_and_replayed_after_a_rotation(self):
        document = "principal: none\nseal_file: seal\nroutes:\n  - {path: /**}\n"
        keys = [f"{number} " + f"{number:02x}" * 32 + "\n" for number in (1, 2)]
        self.write("seal", keys[0])
        os.chmod(os.path.join(self.folder, "seal"), 0o644)
        proxy = self.start_with(document)
        first = proxy.ask("POST", "/ok", b"VERY-SECRET-WORD", "k")
        self.assertIn(b"VERY-SECRET-WORD", first.body)
        self.assertEqual(proxy.ask("POST", "/ok", b"VERY-SECRET-WORD", "k").body, first.body)
        proxy.end()
        self.assertIn("everybody on this machine may read seal;", proxy.log())
        for name in os.listdir(self.folder):
            if name.startswith("keys.db"):
                with open(os.path.join(self.folder, name), "rb") as file:
                    self.assertNotIn(b"VERY-SECRET-WORD", file.read(), name)
        self.write("seal", keys[1] + keys[0])
        rotated = self.start_with(document)
        self.assertEqual(rotated.ask("POST", "/ok", b"VERY-SECRET-WORD", "k").body, first.body)
        rotated.end()
        self.write("seal", keys[1])
        late = self.start_with(document)
        answer = late.ask("POST", "/ok", b"VERY-SECRET-WORD", "k")
        self.assertEqual((answer.status, answer.word), (200, "result_truncated"))
        self.assertIn("is sealed with the key 1, which is not in the seal file", late.log())
        self.assertEqual(len(self.service.effects()), 1)


class Answers(ProxyCase):
    """Each path has keys of its own; `again` is whether the next request reaches the service."""

    def check(self, proxy, path, word, again):
        first = self.post(proxy, path)
        self.assertEqual(first.word, word, path)
        self.post(proxy, path)
        self.assertEqual(len(self.service.effects(path)), 2 if again else 1, path)
        return first

    def post(self, proxy, path):
        return proxy.ask("POST", path, b"x", "key of " + path)

    def test_by_the_usual_table(self):
        proxy = self.start(*OPEN)
        for status in (200, 201, 202, 303, 400, 404, 410, 422):
            self.assertEqual(self.check(proxy, f"/status/{status}", "stored", False).status, status)
        for status in (425, 429, 503, 401, 403):
            self.assertEqual(self.check(proxy, f"/status/{status}", "released", True).status, status)
        for status in (408, 409, 500, 502, 504, 507):
            self.assertEqual(self.check(proxy, f"/status/{status}", "in_doubt", False).status, status)

    def test_a_cut_answer_is_in_doubt_until_an_operator_has_spoken(self):
        proxy = self.start(*OPEN)
        for path in ("/cut", "/half"):
            answer = self.check(proxy, path, "in_doubt", False)
            self.assertEqual((answer.status, answer.json()["code"]), (502, "TX.IN_DOUBT"))
        doubt = self.post(proxy, "/cut")
        self.assertEqual((doubt.status, doubt.json()["code"], doubt.word), (409, "TX.IN_DOUBT", "in_doubt"))
        self.resolve("/cut", "--not-done")
        self.assertEqual(self.post(proxy, "/cut").status, 502)
        self.assertEqual(len(self.service.effects("/cut")), 2)
        self.resolve("/half", "--done")
        done = self.post(proxy, "/half")
        self.assertEqual((done.status, done.word), (200, "result_truncated"))

    def makegood(self, *words):
        return subprocess.run([PROGRAM, "idempotency", *words, "--store", self.store], cwd=self.folder,
                              env=clean_environment(), check=True, stdout=subprocess.PIPE).stdout

    def resolve(self, path, word):
        held = json.loads(self.makegood("list", "--in-doubt", "--json"))["items"]
        scope = next(one["scope"] for one in held if one["key"] == "key of " + path)
        self.makegood("resolve", "key of " + path, "--scope", scope, word)

    def test_a_route_has_a_table_of_its_own(self):
        proxy = self.start_with(TABLE.format(timeout="release"))
        self.check(proxy, "/status/409", "stored", False)
        self.check(proxy, "/status/500", "released", True)
        self.check(proxy, "/cut", "released", True)
        self.assertEqual(self.check(proxy, "/half", "stored", False).status, 502)
        self.assertEqual(self.check(proxy, "/status/502", "in_doubt", False).status, 502)
        self.assertEqual(self.post(proxy, "/slow/0.9").status, 504)
        self.assertEqual(self.post(proxy, "/slow/0.9").word, "released")

    def test_a_timeout_is_in_doubt(self):
        proxy = self.start_with(TABLE.format(timeout="hold"))
        answer = proxy.ask("POST", "/slow/0.9", b"x", "k")
        self.assertEqual((answer.status, answer.word), (504, "in_doubt"))
        self.assertEqual(proxy.ask("POST", "/slow/0.9", b"x", "k").status, 409)
        self.await_(lambda: len(self.service.effects()) == 1, "the service has done it all the same")

    def test_what_never_left_is_released(self):
        proxy = self.start(*OPEN)
        self.service.kill()
        answer = proxy.ask("POST", "/ok", b"x", "k")
        self.assertEqual((answer.status, answer.word), (502, "released"))
        self.service.start()
        self.assertEqual(proxy.ask("POST", "/ok", b"x", "k").word, "stored")


class Neighbours(ProxyCase):
    """On a file as well, where they share one machine."""

    def test_two_proxies_of_one_store_are_as_one(self):
        proxies = [self.start(*OPEN) for _ in range(2)]
        answers = []

        def send(proxy):
            answers.append(proxy.ask("POST", "/slow/0.2", b"x", "one"))

        threads = [threading.Thread(target=send, args=(proxy,)) for proxy in proxies * 8]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(self.service.effects()), 1)
        self.assertLessEqual({answer.status for answer in answers}, {200, 409})
        replays = [proxy.ask("POST", "/slow/0.2", b"x", "one") for proxy in proxies]
        self.assertEqual({(replay.word, replay.body) for replay in replays}, {("replayed", replays[0].body)})
        self.assertEqual(len(self.service.effects()), 1)


KeysOnPostgres = on_postgres(Keys)
NeighboursOnPostgres = on_postgres(Neighbours)
SealedOnPostgres = on_postgres(Sealed)
AnswersOnPostgres = on_postgres(Answers)

if __name__ == "__main__":
    unittest.main()
