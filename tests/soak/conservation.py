"""What must hold of transfers at the end, from the books of the banks: money is moved whole, or not at all."""

import collections
from dataclasses import dataclass, field

FEE = 10
UNDONE = ("compensated", "cancelled")


@dataclass
class Transfers:
    """All that is known about them."""
    committed: dict = field(default_factory=dict)  # id → cents, of those whose start was acknowledged.
    states: dict = field(default_factory=dict)  # id → its state, of all that are in the log; None: it has not ended.
    entries: list = field(default_factory=list)  # (transfer, step, cents), of all banks.
    cents: dict = field(default_factory=dict)  # id → cents, of all that anybody tried to start.


def effects_of(cents):
    """Together nothing."""
    return {"withdraw": -cents, "deposit": cents - FEE, "fee": FEE}


def check(transfers):
    """A sentence for each violation."""
    violations = [f"{each} was committed and is gone" for each in transfers.committed if each not in transfers.states]
    moved = collections.defaultdict(collections.Counter)
    for transfer, step, cents in transfers.entries:
        moved[transfer][step] += cents
    violations += [f"{each} was never started and has moved money" for each in moved if each not in transfers.states]
    for transfer, state in transfers.states.items():
        violations += check_transfer(transfer, state, moved[transfer], transfers.cents[transfer])
    left = sum(cents for _, _, cents in transfers.entries)
    if left:
        violations.append(f"the banks have {left:+d} cents together")
    return violations


def check_transfer(transfer, state, moved, cents):
    if state != "completed" and state not in UNDONE:
        return [f"{transfer} has come to no end: {state}"]
    wanted = effects_of(cents) if state == "completed" else {}
    return [f"{transfer} is {state}, and its step {step} has moved {moved[step]:+d} instead of {wanted.get(step, 0):+d}"
            for step in sorted(moved.keys() | wanted.keys()) if moved[step] != wanted.get(step, 0)]
