"""The packages of requirements.txt, from PyPI, in the folder that MAKEGOOD_PYPI_FOLDER names.

Without PyPI a test that needs them is skipped, and says so.
"""

import fcntl
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.environ.get("MAKEGOOD_PYPI_FOLDER", "")
REQUIREMENTS = os.path.join(HERE, "requirements.txt")
INSTALLED_WITHIN = 240
SKIPPED = 77


def wanted():
    with open(REQUIREMENTS, encoding="utf-8") as file:
        return file.read()


def is_installed(mark):
    if not os.path.exists(mark):
        return False
    with open(mark, encoding="utf-8") as file:
        return file.read() == wanted()


def install(mark):
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade",
               "--target", FOLDER, "--requirement", REQUIREMENTS]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALLED_WITHIN, check=False)
    except subprocess.TimeoutExpired:
        return f"pip took longer than {INSTALLED_WITHIN} s"
    if done.returncode != 0:
        return done.stderr.strip()[-600:]
    with open(mark, "w", encoding="utf-8") as file:
        file.write(wanted())
    return None


def require_packages():
    """Makes them importable, or ends the process as skipped."""
    if not FOLDER:
        sys.exit("MAKEGOOD_PYPI_FOLDER is not set: start this with ctest.")
    os.makedirs(FOLDER, exist_ok=True)
    mark = os.path.join(FOLDER, "installed.txt")
    with open(os.path.join(FOLDER, ".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # Tests that start together install once.
        trouble = None if is_installed(mark) else install(mark)
    if trouble:
        print(f"SKIPPED: the packages of {REQUIREMENTS} could not be installed from PyPI:\n{trouble}", file=sys.stderr)
        sys.exit(SKIPPED)
    sys.path.insert(0, FOLDER)
