"""What must hold at the end, from the ledgers alone.

They were written by producers and receivers, who know nothing of the relay."""

import bisect
import collections
from dataclasses import dataclass, field

ROUTES = {"soak.order.v1": ("faulty", "steady"), "soak.refund.v1": ("faulty",), "soak.rest.v1": ("steady",)}
CLEAN = ("ok", "slow")  # Answered with 200, in full.
TAKEN = (*CLEAN, "lost answer", "cut answer")  # Done by the receiver, whatever the sender was told.
SLACK = 1.0  # A request of a process that has just been killed may still lie in the receiver's socket.
TIMEOUT = 2.0
POISONOUS_DEATHS = 3


@dataclass
class Message:
    event: str
    key: str
    index: int
    topic: str
    digest: str


@dataclass
class Receipt:
    at: float
    to: str
    event: str
    verdict: str
    digest: str
    end: float = 0.0  # When the answer had gone out; 0: it never had.


@dataclass
class Story:
    """All that is known about a run."""
    messages: dict = field(default_factory=dict)  # event → Message, of what was committed.
    rolled_back: set = field(default_factory=set)
    log: dict = field(default_factory=dict)  # event → its number, from the outbox.
    business: set = field(default_factory=set)  # Events of the business rows.
    receipts: list = field(default_factory=list)
    dead: set = field(default_factory=set)  # (event, destination), at the end.
    cleaned: int = 0  # Messages that the cleaner has taken out of the log.
    unfinished: int = 0  # Messages that are neither done nor dead, at the end.
    kills: list = field(default_factory=list)  # When, ascending.
    freezes: list = field(default_factory=list)  # (from, until).
    replays: list = field(default_factory=list)  # (when, event or "" for all).


class Verdict:
    def __init__(self, story):
        self.story = story
        self.violations = []
        self.explained = collections.Counter()
        self.by_delivery = collections.defaultdict(list)
        for receipt in sorted(story.receipts, key=lambda receipt: receipt.at):
            self.by_delivery[receipt.to, receipt.event].append(receipt)

    def violated(self, sentence):
        self.violations.append(sentence)

    def kills_between(self, begin, end):
        kills = self.story.kills
        return bisect.bisect_right(kills, end) - bisect.bisect_left(kills, begin)


def check_store(verdict):
    """The business rows, the log and the producers' own accounts tell the same."""
    story = verdict.story
    for event, message in story.messages.items():
        if event not in story.log:
            verdict.violated(f"{event} was committed and is not in the log")
        if message.topic != "soak.rest.v1" and event not in story.business:
            verdict.violated(f"{event} was committed and has no business row")
    for event in story.rolled_back & story.log.keys():
        verdict.violated(f"{event} was rolled back and is in the log")
    for event in story.log.keys() - story.messages.keys() - story.rolled_back:
        verdict.violated(f"{event} is in the log and nobody has written it")


def check_loss(verdict):
    for event, message in verdict.story.messages.items():
        for to in ROUTES[message.topic]:
            receipts = verdict.by_delivery.get((to, event), [])
            is_taken = any(receipt.verdict in TAKEN for receipt in receipts)
            is_refused = any(receipt.verdict == "refused" for receipt in receipts)
            is_dead = (event, to) in verdict.story.dead
            if not is_taken and not is_dead:
                verdict.violated(f"{event} was committed, and {to} has never taken it")
            if is_dead and not is_refused:
                verdict.violated(f"{event} is a dead letter for {to}, which has never refused it")
    if verdict.story.unfinished:
        verdict.violated(f"the backlog was not drained: {verdict.story.unfinished} messages are neither done nor dead")


def check_phantoms(verdict):
    for receipt in verdict.story.receipts:
        message = verdict.story.messages.get(receipt.event)
        if message is None:
            verdict.violated(f"{receipt.to} received {receipt.event}, which was never committed")
        elif receipt.to not in ROUTES[message.topic]:
            verdict.violated(f"{receipt.to} received {receipt.event}, which was not for it")
        elif receipt.digest != message.digest:
            verdict.violated(f"{receipt.to} received {receipt.event} with other bytes than were committed")


def check_order(verdict):
    """A message of a key is first sent when the one before it has ended there."""
    by_key = collections.defaultdict(list)
    for message in verdict.story.messages.values():
        for to in ROUTES[message.topic]:
            by_key[to, message.key].append(message)
    for (to, key), messages in by_key.items():
        messages.sort(key=lambda message: verdict.story.log.get(message.event, 0))
        indexes = [message.index for message in messages]
        if indexes != sorted(indexes):
            verdict.violated(f"the log has {key} in another order than it was committed")
        for before, after in zip(messages, messages[1:]):
            check_pair(verdict, to, before.event, after.event)


def check_pair(verdict, to, before, after):
    earlier, later = verdict.by_delivery.get((to, before)), verdict.by_delivery.get((to, after))
    if not earlier or not later:
        return  # That is a loss, and told as one.
    first = later[0].at
    if earlier[0].at > first:
        verdict.violated(f"{to} received {after} before {before}, which has the same key and came first")
        return
    has_ended = any(receipt.at < first and receipt.verdict in (*TAKEN, "refused") for receipt in earlier)
    # Who was under way at three deaths is given up as the one who may have caused them.
    if not has_ended and verdict.kills_between(earlier[0].at - SLACK, first) < POISONOUS_DEATHS:
        verdict.violated(f"{to} received {after} while {before}, which has the same key, had not ended")


def check_duplicates(verdict):
    for (to, event), receipts in verdict.by_delivery.items():
        for before, again in zip(receipts, receipts[1:]):
            why = explanation(verdict, before, again)
            if why is None:
                verdict.violated(f"{to} received {event} again, {again.at - before.at:.3f} s after its answer"
                                 f" '{before.verdict}', and nothing explains it")
            verdict.explained[why] += 1


def explanation(verdict, before, again):
    story = verdict.story
    if verdict.kills_between(before.at - SLACK, again.at):
        return "kill"
    if any(begin < again.at and end > before.at - SLACK for begin, end in story.freezes):
        return "freeze"
    if before.verdict == "refused":
        asked = any(before.at <= at <= again.at and event in ("", before.event) for at, event in story.replays)
        return "replay" if asked else None
    if before.verdict not in CLEAN:
        return "retry"
    if before.end == 0 or before.end - before.at > TIMEOUT / 2:
        return "late answer"
    return None


def check(story):
    verdict = Verdict(story)
    for part in (check_store, check_loss, check_phantoms, check_order, check_duplicates):
        part(verdict)
    return verdict
