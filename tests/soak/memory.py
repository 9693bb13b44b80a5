"""Whether a process's memory is flat, from samples of its resident set."""

import statistics

WARM_UP_SHARE = 0.3
GROWTH_MIB_MAX = 4.0
JUDGED_FROM_SECONDS = 60


def slope(samples):
    """MiB per minute, by least squares; samples are (seconds, MiB)."""
    if len(samples) < 2:
        return 0.0
    return statistics.linear_regression([at / 60 for at, _ in samples], [size for _, size in samples]).slope


def warmed_up(samples):
    if not samples:
        return []
    begin, end = samples[0][0], samples[-1][0]
    return [sample for sample in samples if sample[0] >= begin + WARM_UP_SHARE * (end - begin)]


def judge(samples):
    """A sentence if it grows; None if it is flat, or if there is too little to tell."""
    kept = warmed_up(samples)
    if not kept or kept[-1][0] - kept[0][0] < JUDGED_FROM_SECONDS:
        return None
    growth = slope(kept) * (kept[-1][0] - kept[0][0]) / 60
    if growth <= GROWTH_MIB_MAX:
        return None
    return f"the daemon's memory grew by {growth:.1f} MiB in {kept[-1][0] - kept[0][0]:.0f} s after its warm-up"
