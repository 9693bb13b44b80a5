"""goose, Alembic and Liquibase, fetched once into the folder that MAKEGOOD_FETCHED names.

Each function answers how the tool is started, or raises CannotRun.
"""

import fcntl
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples"))

from producers import FETCHED, GO_COMPILER, CannotRun, fetch_jar, need  # noqa: E402

FETCHED_WITHIN = 280
GOOSE = "github.com/pressly/goose/v3/cmd/goose@v3.16.0"  # The last that Debian 12's Go can compile.
# Its drivers for other databases take minutes to compile.
WITHOUT = "no_clickhouse no_libsql no_mssql no_mysql no_sqlite3 no_vertica no_ydb"
ALEMBIC = ("alembic==1.14.0", "SQLAlchemy==2.0.36", "psycopg[binary]==3.2.3")
LIQUIBASE = {
    "org/liquibase/liquibase-core/4.20.0/liquibase-core-4.20.0.jar":
        "c78cf089ed18a8ca3329b960e2400b13ea4b21fd86ef2fb6c151fc587baaeecd",
    "org/yaml/snakeyaml/1.33/snakeyaml-1.33.jar":
        "11ff459788f0a2d781f56a4a86d7e69202cebacd0273d5269c4ae9f02f3fd8f0",
    "com/opencsv/opencsv/5.7.1/opencsv-5.7.1.jar":
        "d05a7bd25fd62bf27803d71b80f98ad2d929420072648c09a26d45344d25d6b8",
    "javax/xml/bind/jaxb-api/2.3.1/jaxb-api-2.3.1.jar":
        "88b955a0df57880a26a74708bc34f74dcaf8ebf4e78843a28b50eae945732b06",
    "info/picocli/picocli/4.7.0/picocli-4.7.0.jar":
        "3f6ffb10ce853ef2f6f934b467ccc13c9c1708b4d83a1a5664fdb07e078e8e1c",
    "org/postgresql/postgresql/42.7.4/postgresql-42.7.4.jar":
        "188976721ead8e8627eb6d8389d500dccc0c9bebd885268a3047180274a6031e",
}


def fetch(command, folder, mark, **environment):
    """Once, also when several tests ask at the same time."""
    os.makedirs(folder, exist_ok=True)
    with open(folder + ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(os.path.join(folder, mark)):
            return
        try:
            done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True,
                                  timeout=FETCHED_WITHIN, check=False)
        except (OSError, subprocess.TimeoutExpired) as reason:
            raise CannotRun(f"{command[0]}: {reason}") from reason
        if done.returncode != 0:
            raise CannotRun(f"{' '.join(command)} failed:\n{done.stderr[-600:]}")


def goose():
    need("go")
    folder = os.path.join(FETCHED, "goose-3.16.0")
    fetch(["go", "install", "-tags", WITHOUT, GOOSE], folder, "goose", GOBIN=folder, GOFLAGS="-modcacherw",
          GOPATH=os.path.join(FETCHED, "go"), GOCACHE=os.path.join(FETCHED, "go-cache"), **GO_COMPILER)
    return [os.path.join(folder, "goose")]


def alembic():
    folder = os.path.join(FETCHED, "alembic-1.14.0")
    fetch([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", folder,
           *ALEMBIC], folder, "alembic/__init__.py")
    return ["env", f"PYTHONPATH={folder}", sys.executable, "-m", "alembic"]


def liquibase():
    need("java")
    libraries = os.pathsep.join(fetch_jar(path, digest) for path, digest in LIQUIBASE.items())
    return ["java", "-cp", libraries, "liquibase.integration.commandline.LiquibaseCommandLine"]
