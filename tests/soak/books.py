"""Closes the books of a run: reads all ledgers and the store, has them checked, and puts the figures together."""

import os
import statistics

import memory
import tables
from checker import TAKEN, Message, Receipt, Story, check
from ledger import read

MANY_KILLS = 20  # With fewer, it may be that none of them hit a delivery.


def read_receipts(path):
    receipts = {}
    for line in read(path):
        if "end" in line:
            receipts[line["n"]].end = line["end"]
        else:
            receipts[line["n"]] = Receipt(line["at"], line["to"], line["event"], line["verdict"], line["digest"])
    return list(receipts.values())


def read_store(story, soak):
    query, log = soak.store.query, soak.store.log
    story.log = dict(query(f"SELECT event_id, sequence FROM {log}"))
    story.business = {event for (event,) in query("SELECT event_id FROM soak_order")}
    story.dead = {(event, to.removeprefix("http:")) for event, to in query(
        f"SELECT event_id, destination FROM makegood_outbox_parked JOIN {log} USING (sequence, event_id)"
        " WHERE state IN ('dead', 'quarantined')")}
    story.cleaned = len(story.log) - query("SELECT count(*) FROM makegood_outbox")[0][0]
    story.unfinished = soak.unfinished()


def read_story(soak):
    story = Story(kills=soak.kills, freezes=soak.daemon.freezes, replays=soak.callers.replays)
    committed_at = {}
    read_store(story, soak)
    for name in sorted(os.listdir(soak.folder)):
        if not name.endswith(".jsonl") or name == "receipts.jsonl":
            continue
        for line in read(soak.path(name)):
            # Unknown is a call that was never answered: the log itself says whether it was committed.
            is_in_log = line["outcome"] == "unknown" and line["event"] in story.log
            if line["outcome"] == "committed" or is_in_log:
                story.messages[line["event"]] = Message(line["event"], line["key"], line["index"], line["topic"],
                                                        line["digest"])
                committed_at[line["event"]] = line["at"]
            elif line["outcome"] == "rolled back":
                story.rolled_back.add(line["event"])
    story.receipts = read_receipts(soak.path("receipts.jsonl"))
    return story, committed_at


def check_that_it_happened(story, verdict, is_cleaned):
    """A run in which nothing went wrong proves nothing."""
    happened = {
        "a kill": bool(story.kills),
        "a rollback": bool(story.rolled_back),
        "a retry": verdict.explained["retry"] > 0,
        "a refusal": any(receipt.verdict == "refused" for receipt in story.receipts),
        "a removal by the cleaner": story.cleaned > 0 or not is_cleaned,
        "a duplicate by a kill": verdict.explained["kill"] > 0 or len(story.kills) < MANY_KILLS,
    }
    return [f"the run proves little: {name} never happened" for name, it_has in happened.items() if not it_has]


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0


def latencies(story, committed_at, since):
    """From the commit to when `steady` had it, while nobody was killed."""
    first = {}
    for receipt in story.receipts:
        if receipt.to == "steady" and receipt.verdict in TAKEN and receipt.at >= since:
            first[receipt.event] = min(receipt.at, first.get(receipt.event, receipt.at))
    return [1000 * (at - committed_at[event]) for event, at in first.items() if committed_at.get(event, 0) >= since]


def memory_line(soak):
    kept = memory.warmed_up(soak.memory)
    peaks = [life.peak_mib for life in soak.daemon.lives[:-1] if life.peak_mib]
    lives = f"median peak of the lives before {statistics.median(peaks):.1f} MiB" if peaks else "one life"
    if not kept:
        return f"memory: {lives}"
    return (f"memory: {kept[0][1]:.1f} MiB after the warm-up, {kept[-1][1]:.1f} MiB at the end, "
            f"{memory.slope(kept):+.2f} MiB/min over {kept[-1][0] - kept[0][0]:.0f} s; {lives}")


def close_the_books(soak):
    story, committed_at = read_story(soak)
    verdict = check(story)
    judged = memory.judge(soak.memory)
    of_transfers, transfers_line = soak.transfers.check()
    violations = [*soak.problems, *soak.broker.check(story), *of_transfers, *soak.callers.surprises,
                  *verdict.violations, *([judged] if judged else []), *tables.judge(soak.tables),
                  *check_that_it_happened(story, verdict, bool(soak.tables))]
    starts = [1000 * (life.ready - life.started) for life in soak.daemon.lives if life.ready]
    waits = latencies(story, committed_at, soak.calm_from or 0)
    calls = ", ".join(f"{count} × {status}" for status, count in sorted(soak.callers.statuses.items(), key=str))
    duplicates = ", ".join(f"{count} by {why}" for why, count in verdict.explained.most_common())
    return violations, "\n".join([
        f"{len(story.messages)} messages committed, {len(story.rolled_back)} rolled back, "
        f"{len(story.receipts)} receipts, {len(story.dead)} dead letters left, {story.cleaned} cleaned away",
        f"{len(soak.daemon.lives) - 1} kills, {len(story.freezes)} freezes, {soak.server_kills} kills of the "
        f"database's server; received again: {duplicates or 'nothing'}",
        soak.broker.line(),
        transfers_line,
        f"start to ready: median {statistics.median(starts):.0f} ms, at most {max(starts):.0f} ms; "
        f"stop: {soak.stop_seconds or 0:.2f} s",
        f"commit to receipt without kills: p50 {percentile(waits, 0.5):.1f} ms, p99 {percentile(waits, 0.99):.1f} ms",
        f"REST: {calls}",
        memory_line(soak),
        *tables.lines(soak.tables),
    ])
