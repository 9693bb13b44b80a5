"""Whose a key is: a stored answer is given to the one who asked for it, and to nobody else."""

import base64
import hashlib
import hmac
import json
import os
import subprocess
import time
import unittest

from stage import PROGRAM, ProxyCase, clean_environment

SECRET = "0123456789abcdef0123456789abcdef"


def encoded(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=")


def parts(claims, **header):
    return encoded(json.dumps({"typ": "JWT", **header}).encode()) + b"." + encoded(json.dumps(claims).encode())


def hs256(claims, secret=SECRET, alg="HS256"):
    text = parts(claims, alg=alg)
    return (text + b"." + encoded(hmac.new(secret.encode(), text, hashlib.sha256).digest())).decode()


class Principals(ProxyCase):
    def setUp(self):
        super().setUp()
        self.write("secret", SECRET + "\n")

    def post(self, proxy, key="k", **headers):
        return proxy.ask("POST", "/ok", b"x", key, **headers)

    def refused(self, document):
        self.write("wrong.yaml", document)
        done = subprocess.run([PROGRAM, "proxy", "--store", self.store, "--upstream", self.service.url, "--listen",
                               "127.0.0.1:0", "--routes", "wrong.yaml"], cwd=self.folder, env=clean_environment(),
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        return done.stderr

    def test_a_route_without_one_is_refused_unless_it_says_none(self):
        self.assertIn("principal: none", self.refused("routes: [{path: /**}]"))
        self.start_with("routes: [{path: /**, principal: none}]")

    def test_by_credential_headers(self):
        proxy = self.start("--path", "/**", "--principal-header", "Authorization", "--secret-file", "secret")
        self.assertEqual(self.post(proxy, Authorization="Bearer a").word, "stored")
        self.assertEqual(self.post(proxy, Authorization="Bearer a").word, "replayed")
        self.assertEqual(self.post(proxy, Authorization="Bearer b").word, "stored")
        self.assertEqual(self.post(proxy).status, 401)
        self.assertEqual(len(self.service.effects()), 2)

    def test_nothing_of_a_credential_is_in_the_store_or_the_log(self):
        proxy = self.start("--path", "/**", "--principal-header", "Authorization", "--secret-file", "secret")
        self.post(proxy, Authorization="Bearer VERY-SECRET-WORD")
        proxy.end()
        for name in os.listdir(self.folder):
            if name in ("ledger", "secret"):
                continue
            with open(os.path.join(self.folder, name), "rb") as file:
                content = file.read()
            self.assertNotIn(b"VERY-SECRET-WORD", content, name)
            self.assertNotIn(SECRET.encode(), content, name)

    def test_by_a_token_signed_with_a_secret(self):
        proxy = self.start_with("routes: [{path: /**, principal: {jwt: {algorithm: HS256, key_file: secret, "
                                "issuer: me, audience: shop}}}]")
        good = {"sub": "ann", "iss": "me", "aud": ["shop", "x"], "exp": time.time() + 600}

        def ask(claims, **more):
            return self.post(proxy, Authorization="Bearer " + hs256(claims, **more))

        self.assertEqual(ask(good).word, "stored")
        # A new token of the same subject is the same principal.
        self.assertEqual(ask({**good, "exp": time.time() + 900}).word, "replayed")
        self.assertEqual(ask({**good, "sub": "bob"}).word, "stored")
        for wrong in (hs256(good, secret="another secret"), hs256(good, alg="none"), hs256({**good, "exp": 1}),
                      hs256({**good, "nbf": time.time() + 600}), hs256({**good, "iss": "you"}),
                      hs256({**good, "aud": "bank"}), hs256({"iss": "me", "aud": "shop"}), "a.b.c", "none",
                      hs256(good).rsplit(".", 1)[0] + "."):
            self.assertEqual(self.post(proxy, Authorization="Bearer " + wrong).status, 401, wrong)
        self.assertEqual(len(self.service.effects()), 2)

    def test_by_a_token_signed_with_a_private_key(self):
        def openssl(*words, given=None):
            return subprocess.run(["openssl", *words], cwd=self.folder, input=given, capture_output=True,
                                  check=True).stdout

        openssl("genrsa", "-out", "private.pem", "2048")
        openssl("rsa", "-in", "private.pem", "-pubout", "-out", "public.pem")
        proxy = self.start_with("routes: [{path: /**, principal: {jwt: {key_file: public.pem}}}]")
        text = parts({"sub": "ann"}, alg="RS256")
        token = text + b"." + encoded(openssl("dgst", "-sha256", "-sign", "private.pem", given=text))
        self.assertEqual(self.post(proxy, Authorization="Bearer " + token.decode()).word, "stored")
        # The public key is no secret: a token that is signed with it as one must not be believed.
        with open(os.path.join(self.folder, "public.pem"), encoding="utf-8") as file:
            confused = hs256({"sub": "ann"}, secret=file.read())
        self.assertEqual(self.post(proxy, Authorization="Bearer " + confused).status, 401)
        self.assertEqual(self.post(proxy, Authorization="Bearer " + token.decode()[:-8] + "AAAAAAAA").status, 401)
        self.assertIn("no public RSA key",
                      self.refused("routes: [{path: /**, principal: {jwt: {key_file: secret}}}]"))

    def test_by_a_header_of_a_trusted_gateway(self):
        rule = "routes: [{{path: /**, principal: {{gateway: {{header: X-User, from: [{}]}}}}}}]"
        proxy = self.start_with(rule.format("127.0.0.0/8"))
        self.assertEqual(self.post(proxy, X_User="ann").word, "stored")
        self.assertEqual(self.post(proxy, X_User="ann").word, "replayed")
        self.assertEqual(self.post(proxy, X_User="bob").word, "stored")
        self.assertEqual(self.post(proxy).status, 401)
        stranger = self.start_with(rule.format("10.0.0.0/8"))
        self.assertEqual(self.post(stranger, X_User="ann").status, 401)

    def test_mistakes_in_a_document_are_told_with_their_places(self):
        for document, told in (("routes: [{path: orders}]", "begin with a slash"),
                               ("routes: [{path: /a, principal: none, methods: [GET]}]", "never keyed"),
                               ("routes: [{path: /a, principal: none, answers: {401: store}}]", "401 and 403"),
                               ("routes: [{path: /a, principal: none, answers: {often: store}}]", "'often'"),
                               ("routes: [{path: /a, principal: none, answers: {409: keep}}]", "store or release"),
                               ("routes: [{path: /a, principal: none, ttl: 1s}]", "ttl"),
                               ("routes: [{path: /a, principal: {headers: [A]}}]", "secret_file"),
                               ("routs: []", "wrong.yaml:1"),
                               ("idle_timeout: soon", "is not a duration"),
                               ("upstream: https://127.0.0.1", "upstream")):
            with self.subTest(document):
                if document.startswith("upstream"):
                    continue
                self.assertIn(told, self.refused(document))


if __name__ == "__main__":
    unittest.main()
