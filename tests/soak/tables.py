"""Whether tables stay bounded, from samples of what they take on the disk while as much is cleaned as is written."""

from dataclasses import dataclass

import memory

GROWTH_SHARE_MAX = 0.10
# Of a small table. An outage parks hundreds of deliveries at once, and the largest one so far says what their table
# takes from then on; dead letters stay.
GROWTH_MIB_MAX = 4.0
JUDGED_FROM_SECONDS = 60


@dataclass
class Size:
    mib: float
    live: int = 0
    dead: int = 0


def last_third(samples):
    """Until then the space of the first rows that were removed has been found again."""
    begin, end = samples[0][0], samples[-1][0]
    return [sample for sample in samples if sample[0] >= begin + (end - begin) * 2 / 3]


def growths(samples):
    """Table → MiB by which it grew over the samples, by least squares; samples are (seconds, {table: Size})."""
    minutes = (samples[-1][0] - samples[0][0]) / 60
    return {table: minutes * memory.slope([(at, sizes[table].mib) for at, sizes in samples])
            for table in samples[-1][1]}


def judge(samples):
    """A sentence for each table that grows; none if there is too little to tell."""
    kept = last_third(samples) if samples else []
    if not kept or kept[-1][0] - kept[0][0] < JUDGED_FROM_SECONDS:
        return []
    return [f"{table} grew by {growth:.1f} MiB in the last {kept[-1][0] - kept[0][0]:.0f} s"
            for table, growth in growths(kept).items()
            if growth > max(GROWTH_MIB_MAX, GROWTH_SHARE_MAX * kept[-1][1][table].mib)]


def lines(samples):
    """For people: what each table takes at the end."""
    if not samples:
        return []
    growth = growths(last_third(samples))
    return [f"{table}: {size.mib:.2f} MiB, {growth[table]:+.2f} in the last third; {size.live} rows, {size.dead} dead"
            for table, size in sorted(samples[-1][1].items())]
