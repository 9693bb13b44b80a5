"""Documents have one title, links that lead somewhere, a place in the list; tables of folders name every layer."""

import os
import re

from .includes import LAYERS
from .tree import Finding, find

_FENCED = re.compile(r"(?ms)^(```|~~~).*?^\1[ \t]*$")
_LINK = r"\[[^\]\n]*\]\((?P<target>[^)\s]+)(?:\s+\"[^\"]*\")?\)"


def prose(text):
    """The text without code blocks and code spans, line for line."""
    text = _FENCED.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    return re.sub(r"`[^`\n]*`", lambda match: " " * len(match.group()), text)


def titles(tree):
    findings = []
    for path, text in tree.items():
        if not path.endswith(".md"):
            continue
        count = len(re.findall(r"(?m)^# \S", prose(text)))
        if count != 1:
            findings.append(Finding(path, 1, "titles", f"{count} titles (# …) instead of one"))
    return findings


def exists(tree, path):
    return path == "." or path in tree or any(other.startswith(path + "/") for other in tree)


def links(tree):
    findings = []
    for path, text in tree.items():
        if not path.endswith(".md"):
            continue
        for line, match in find(_LINK, prose(text)):
            target = match["target"].split("#")[0]
            if not target or re.match(r"[a-z]+:", target):
                continue
            if not exists(tree, os.path.normpath(os.path.join(os.path.dirname(path), target))):
                findings.append(Finding(path, line, "links", f"the link to {target} leads nowhere"))
    return findings


# The page that lists all others of its folder.
LIST_OF_PAGES = "docs/README.md"


def listed(tree):
    """Whether each page below docs/ is a link of the list: what is not there is not found."""
    if LIST_OF_PAGES not in tree:
        return []
    folder = os.path.dirname(LIST_OF_PAGES)
    linked = {os.path.normpath(os.path.join(folder, match["target"].split("#")[0]))
              for _, match in find(_LINK, prose(tree[LIST_OF_PAGES]))}
    return [Finding(path, 1, "listed", f"{LIST_OF_PAGES} has no link to this page")
            for path in tree if path.startswith(folder + "/") and path.endswith(".md")
            and path != LIST_OF_PAGES and path not in linked]


# The tables that tell what each folder is for, and how they call a layer.
TABLES_OF_LAYERS = {
    "ARCHITECTURE.md": lambda layer: [f"`{layer}/`", f"`{layer}`"],
    "src/README.md": lambda layer: [f"`{layer.removeprefix('src/')}`", f"`../{layer}`", f"`{layer}/`"],
}


def layers(tree):
    findings = []
    for path, names_of in TABLES_OF_LAYERS.items():
        for layer in LAYERS:
            if path in tree and not any(name in tree[path] for name in names_of(layer)):
                findings.append(Finding(path, 1, "layers", f"{layer} is missing in the table of folders"))
    return findings
