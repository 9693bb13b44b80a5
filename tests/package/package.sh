#!/usr/bin/env bash
# package.sh ROOT VERB KIND [COMPILER]: one step of the package test. KIND is static, shared or embedded.
#   install       builds Makegood for release and installs it into a prefix in build/package
#   find_package  builds each example outside the tree through CMake, and runs it
#   pkg_config    builds the first example with one plain compiler line, and runs it
#   program       runs the installed program
#   embedded      builds the library with SQLite and handlers only, where nothing else is to be found, and the first
#                 example with it
set -euo pipefail
root=$1 verb=$2 kind=$3 compiler=${4:-}
build=$root/build/package/build  # One for both kinds: only the last steps differ.
prefix=$root/build/package/$kind
example=$root/examples/1_hello_outbox

outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT

if [[ -n $compiler ]] && ! command -v "$compiler" > /dev/null; then
  echo "skipped: $compiler is not installed"
  exit 77
fi

install_package() {
  local shared=OFF
  if [[ $kind == shared ]]; then shared=ON; fi
  # Optimised so far that the compiler warns as in a release; how well is not the question here.
  cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=$shared \
    -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" \
    -DMAKEGOOD_BUILD_TESTS=OFF -DCMAKE_CXX_COMPILER=g++ -DCMAKE_C_COMPILER=gcc > "$outside/configure.log" ||
    { cat "$outside/configure.log" && exit 1; }
  # Behind the other tests, which measure time.
  CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=$root nice -n 10 ninja -C "$build" makegood makegood_cli
  rm -rf "$prefix"
  cmake --install "$build" --prefix "$prefix"
  refuse_what_leaked
}

# Nobody else has our folders, and our layers are nobody's business.
refuse_what_leaked() {
  local texts=("$prefix"/lib/cmake/makegood/*.cmake "$prefix"/lib/pkgconfig/makegood.pc)
  # A path of ours begins with the root and goes on below it; a root of one short name may be part of other words.
  local ours="(^|-[IL]|[^[:alnum:]_./}-])$root(/|[\";) ]|$)"
  if grep -nE -e "$ours" -e makegood_compile -e makegood_core "${texts[@]}"; then
    echo "the lines above must not be in an installed file"
    exit 1
  fi
}

expect_hello() {
  local program=$1 output
  output=$("$program" "$outside/hello.db")
  echo "$output"
  grep -qx 'committed: the order and its message, number 1' <<< "$output"
  grep -qx 'delivered: {"item":"a good book"}' <<< "$output"
}

expect_messages() {
  local program=$1 database=$outside/shop.db
  "$prefix/bin/makegood" migrate --store "sqlite:$database"
  "$program" "$database" | grep -x 'inv-1: generated, paid and refunded; three messages are committed with it'
}

# In a database of its own, where there is a server.
expect_order() {
  local program=$1 database=makegood_package_$$ url
  local MAKEGOOD_POSTGRES=${MAKEGOOD_POSTGRES:-${OUTBOX_TEST_DSN:-}}
  if [[ -z $MAKEGOOD_POSTGRES ]]; then
    echo "not run: $program, because MAKEGOOD_POSTGRES names no server"
    return 0
  fi
  url=$(sed -E "s#(://[^/]*)/[^?]*#\\1/$database#" <<< "$MAKEGOOD_POSTGRES")
  psql -qc "CREATE DATABASE $database" "$MAKEGOOD_POSTGRES"
  "$prefix/bin/makegood" migrate --store "$url"
  "$program" "$url" | grep -x 'order-1: placed; its message is committed with it'
  psql -qAtc "SELECT topic, dispatch_key FROM makegood_outbox" "$url" | grep -x 'shop.order.placed.v1|order-1'
  psql -qc "DROP DATABASE $database WITH (FORCE)" "$MAKEGOOD_POSTGRES"
}

expect_sagas() {
  local program=$1 output
  output=$(mkdir "$outside/saga" && cd "$outside/saga" && "$program")
  echo "$output"
  grep -qx 'Order 1 is on its way.' <<< "$output"
  grep -qx 'ann: completed' <<< "$output"
  grep -qx 'broke: compensated' <<< "$output"
  "$prefix/bin/makegood" saga show broke --store "sqlite:$outside/saga/shop.db" | grep 'createOrder *undone'
}

# The same request again tells the same and changes nothing; the same key with other content is refused.
expect_one_payment() {
  local program=$1 database=$outside/payment.db
  "$program" "$database" request-7 | grep -x 'charge: charge 17'
  "$program" "$database" request-7 > "$outside/again"
  cat "$outside/again"
  grep -qx 'charge: charge 17, as it was answered before' "$outside/again"
  grep -qx 'withdraw: 10 withdrawn, as before' "$outside/again"
  grep -qx 'balance: 91' "$outside/again"
  "$program" "$database" request-7 other > "$outside/other"
  grep -qx 'charge: refused, TX.IDEMPOTENT_MISMATCH' "$outside/other"
  grep -qx 'withdraw: refused' "$outside/other"
}

# As a stranger would: a copy, somewhere else, against the installed package.
build_outside() {
  cp -r "$root/examples/$1" "$outside/$1"
  cmake -S "$outside/$1" -B "$outside/$1-build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_STANDARD=20 \
    -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror"
  ninja -C "$outside/$1-build"
}

with_find_package() {
  build_outside 1_hello_outbox
  expect_hello "$outside/1_hello_outbox-build/hello_outbox"
  build_outside 2_order_producer
  expect_messages "$outside/2_order_producer-build/order_producer"
  build_outside 3_postgres_producer
  expect_order "$outside/3_postgres_producer-build/postgres_producer"
  build_outside 4_own_transport
  mkdir -p "$outside/lines"
  "$outside/4_own_transport-build/own_transport" "$outside/lines" | grep -x 'written: order-1 {"item":"a good book"}'
  build_outside 5_saga_order
  expect_sagas "$outside/5_saga_order-build/saga_order"
  build_outside 6_idempotent_payment
  expect_one_payment "$outside/6_idempotent_payment-build/idempotent_payment"
}

with_pkg_config() {
  local flags
  flags=$(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags --libs --static makegood sqlite3)
  # shellcheck disable=SC2086 # flags are words
  "$compiler" -std=c++20 -Wall -Wextra -Werror "$example/main.cpp" $flags -o "$outside/hello_outbox"
  expect_hello "$outside/hello_outbox"
}

# embedded_flags: what CONTRIBUTING tells people to configure with, one flag per line.
embedded_flags() {
  sed -n '/^cmake .* -B build\/embedded /,/[^\\]$/p' "$root/CONTRIBUTING.md" | grep -oE -e '-DMAKEGOOD_[A-Z_]+=[A-Z]+'
}

# What only other parts need is hidden: CMake may not find it, and pkg-config knows nothing.
embedded_only() {
  local hidden=(yaml-cpp prometheus-cpp spdlog CURL OpenSSL PkgConfig Boost CLI11) package
  local flags=(-G Ninja -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-O0")
  for package in "${hidden[@]}"; do flags+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON"); done
  mapfile -t -O "${#flags[@]}" flags < <(embedded_flags)
  cmake -S "$root" -B "$root/build/package/embedded-build" --fresh "${flags[@]}"
  CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=$root nice -n 10 ninja -C "$root/build/package/embedded-build"
  rm -rf "$prefix"
  cmake --install "$root/build/package/embedded-build" --prefix "$prefix"
  refuse_what_leaked
  refuse_other_libraries
  build_outside 1_hello_outbox
  expect_hello "$outside/1_hello_outbox-build/hello_outbox"
}

refuse_other_libraries() {
  if grep -nE -e 'pq|curl|cares|ssl|crypto|rdkafka|yaml|prometheus|spdlog' "$prefix/lib/pkgconfig/makegood.pc"; then
    echo "the lines above must not be in the package of an embedded build"
    exit 1
  fi
  for header in postgres.hpp postgres_saga.hpp http.hpp brokers.hpp telemetry.hpp; do
    if [[ -e $prefix/include/makegood/$header ]]; then echo "$header is installed" && exit 1; fi
  done
}

case $verb in
  install) install_package ;;
  find_package) with_find_package ;;
  pkg_config) with_pkg_config ;;
  embedded) embedded_only ;;
  program) "$prefix/bin/makegood" --version ;;
  *) echo "there is no verb $verb" && exit 1 ;;
esac
