"""Endpoints that answer at once and correctly, with every status that means something."""

import time
from email.utils import formatdate

from wire import keeps_answering, response

STATUSES = (200, 201, 202, 204, 400, 401, 403, 404, 408, 409, 410, 413, 418, 422, 425, 429, 500, 501, 502, 503, 504)
LINK_LOCAL = "http://169.254.169.254/latest/meta-data/"


def status(code):
    return keeps_answering(lambda _: response(code, body=b"" if code == 204 else b"the zoo says so"))


def later(code, value):
    """With a Retry-After; a function of now when the value is one."""
    return keeps_answering(lambda _: response(code, [("Retry-After", value() if callable(value) else value)]))


def date_in(seconds):
    return lambda: formatdate(time.time() + seconds, usegmt=True)


def redirect(code, where):
    return keeps_answering(lambda _: response(code, [("Location", where)]))


def animals(neighbour):
    """`neighbour` is the URL of an animal that must not be visited by way of a redirect."""
    named = {"ok": status(200)}
    named |= {f"status-{code}": status(code) for code in STATUSES}
    named |= {
        "retry-after-seconds": later(429, "7"),
        "retry-after-date": later(429, date_in(30)),
        "retry-after-past": later(429, date_in(-3600)),
        "retry-after-absurd": later(429, "9" * 40),
        "retry-after-negative": later(429, "-5"),
        "retry-after-garbage": later(429, "soon, I promise"),
        "unavailable-with-retry-after": later(503, "7"),
        "redirect-to-metadata": redirect(301, LINK_LOCAL),
        "redirect-to-neighbour": redirect(301, neighbour),
        "redirect-with-body": redirect(307, neighbour),
        "redirect-without-end": keeps_answering(lambda request: response(302, [("Location", request.path)])),
    }
    return named
