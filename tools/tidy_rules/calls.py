"""Calls that are not made, or only in one place."""

from dataclasses import dataclass

from .tree import Finding, code_only, find, is_cpp

OURS = ("include/", "src/", "sim/")


@dataclass(frozen=True)
class Ban:
    pattern: str
    reason: str
    where: tuple = ("",)
    except_in: tuple = ()


BANS = [
    Ban(r"(?<![\w.>])system\s*\(", "start a program with posix_spawn, without a shell"),
    Ban(r"(?<![\w.>])s?rand\s*\(", "chance is an argument, or an engine of <random>"),
    Ban(r"\b(?:strcpy|strcat|sprintf|vsprintf|gets)\s*\(", "it writes without a bound"),
    Ban(r"(?:\.|->)detach\s*\(", "a thread is joined; only the pool of handlers may give one up",
        except_in=("src/transports/local",)),
    Ban(r"\brandom_device\b", "chance is an argument here", where=OURS, except_in=("src/base/id", "src/engine/")),
    Ban(r"::now\s*\(", "time is an argument in core", where=("src/core/",)),
    Ban(r"\bthis_thread::sleep|\b(?:u|nano)?sleep\s*\(", "core never waits", where=("src/core/",)),
]


def calls(tree):
    findings = []
    for path, text in tree.items():
        if not is_cpp(path):
            continue
        code = code_only(text)
        for ban in BANS:
            if not path.startswith(ban.where) or (ban.except_in and path.startswith(ban.except_in)):
                continue
            for line, match in find(ban.pattern, code):
                findings.append(Finding(path, line, "calls", f"no {match.group().strip(' .>(-:')} here: {ban.reason}"))
    return findings
