# The steps of ./test. A step that fails counts as one failed test; the others still run where they can. Sourced.

failed_steps=()
result_folders=()
build_ahead=

# step NAME COMMAND...: notes the name if the command fails.
step() {
  local name=$1
  shift
  if ! "$@"; then
    failed_steps+=(--failed-step "$name")
    return 1
  fi
}

check_format() {
  watched "Checking the format" format.log format_all
}

format_all() {
  local folders=(include src sim bench tests examples) folder there=()
  for folder in "${folders[@]}"; do [[ -d $folder ]] && there+=("$folder"); done
  find "${there[@]}" -type f \( -name '*.cpp' -o -name '*.hpp' -o -name '*.c' -o -name '*.h' \) -print0 |
    xargs -0 -n 16 -P "$jobs" clang-format-19 --dry-run -Werror
}

# It wants to know how each file is compiled alone.
check_with_clang_tidy() {
  watched "Configuring for clang-tidy" configure-tidy.log \
    cmake --preset dev -B build/tidy -DMAKEGOOD_UNITY=OFF || return 1
  watched "Running clang-tidy" clang-tidy.log \
    python3 -B tools/clang_tidy.py --build build/tidy "${tidy_budget[@]}" || return 1
  tail -n 1 "$logs/clang-tidy.log"
}

# test_in PRESET: builds everything and runs all tests in it.
test_in() {
  local choice=()
  if [[ -n $only ]]; then choice+=(--tests-regex "$only"); fi
  if [[ -n $is_fast ]]; then choice+=(--label-exclude package); fi
  step "configure $1" configure "$1" -DMAKEGOOD_BUILD_TESTS=ON || return 0
  step "build $1" build "$1" || return 0
  if [[ -z $is_part ]]; then begin_building_for_threads; fi
  run_ctest "$1" "${choice[@]}"
}

# Only what has threads is worth building a second time; it is built while the tests of the first build mostly wait, and
# behind them.
begin_building_for_threads() {
  step "configure tsan" configure tsan -DMAKEGOOD_BUILD_TESTS=ON || return 0
  mapfile -t with_threads < <(ctest --test-dir build/tsan --show-only --label-regex threads |
    sed -n 's/^ *Test *#[0-9]*: //p')
  if ((${#with_threads[@]} == 0)); then
    step "no test has the label threads" false || return 0
  fi
  nice -n 10 ninja -C build/tsan -j "$jobs" "${with_threads[@]}" > "$logs/build-tsan-ahead.log" 2>&1 < /dev/null &
  build_ahead=$!
}

test_threads() {
  if [[ -z $build_ahead ]]; then return 0; fi
  wait "$build_ahead" || true  # If something is wrong, it is told by whoever looks at what is left to be built.
  build_ahead=
  step "build tsan" build tsan "${with_threads[@]}" || return 0
  run_ctest tsan --label-regex threads
}

# A PostgreSQL for all tests, named to them by MAKEGOOD_POSTGRES. Not below build/: started by root it runs as the user
# postgres, who may not be able to get there; and a socket's path has to be short.
start_postgres() {
  postgres_folder=$(mktemp -d /tmp/makegood-postgres.XXXXXX)
  MAKEGOOD_POSTGRES=$(python3 -B tests/support/postgres_server.py start "$postgres_folder") || return 1
  export MAKEGOOD_POSTGRES
}

remove_postgres() {
  if [[ -z ${postgres_folder:-} ]]; then return 0; fi
  cp "$postgres_folder/server.log" "$logs/postgres.log" 2> /dev/null || true
  python3 -B tests/support/postgres_server.py remove "$postgres_folder" || true
}

# A Kafka for all tests, named to them by MAKEGOOD_KAFKA. Where it cannot be had, its tests are skipped and say why.
start_kafka() {
  kafka_folder=$(mktemp -d /tmp/makegood-kafka.XXXXXX)
  MAKEGOOD_KAFKA=$(python3 -B tests/support/kafka_server.py start "$kafka_folder/server") || return 1
  export MAKEGOOD_KAFKA
}

remove_kafka() {
  if [[ -z ${kafka_folder:-} ]]; then return 0; fi
  cp "$kafka_folder/server/server.log" "$logs/kafka.log" 2> /dev/null || true
  python3 -B tests/support/kafka_server.py remove "$kafka_folder/server" || true
  rm -rf "$kafka_folder"
}

# Test programs write below a folder of their own, which is removed whatever happens. GoogleTest leaves one XML file per
# program, so that single cases can be counted. Most tests wait for something; those that keep a core busy say so
# (PROCESSORS), and count as two of the many that run at once.
run_ctest() {
  local preset=$1 results=build/results/$1 prefix=()
  # ThreadSanitizer of GCC 12 does not bear the widest address randomisation of newer kernels.
  if [[ $preset == tsan ]] && setarch --addr-no-randomize true 2> /dev/null; then
    prefix=(setarch --addr-no-randomize)
  fi
  shift
  rm -rf "$results" && mkdir -p "$results/gtest"
  result_folders+=("$results")
  scratch=$(mktemp -d "$root/build/tmp.XXXXXX")
  log_lines=25 watched "Testing $preset" "test-$preset.log" \
    env TMPDIR="$scratch" GTEST_OUTPUT="xml:$root/$results/gtest/" "${prefix[@]}" \
    ctest --test-dir "build/$preset" --output-on-failure --no-tests=error --parallel "$((2 * jobs))" \
    --output-junit "$root/$results/ctest.xml" "$@" || true
  remove_scratch
  print_seeds "build/$preset/Testing/Temporary/LastTest.log"
}

# print_seeds LOG: the seeds that the simulator drew anew. A test that passes prints them into the log of ctest only.
print_seeds() {
  sed -n -E 's/^(sagas, )?seeds [0-9]+ to /The simulator ran &/p' "$1" 2> /dev/null || true
}

remove_scratch() {
  if [[ -n ${scratch:-} ]]; then rm -rf "$scratch"; fi
}
end_build_ahead() {
  if [[ -n $build_ahead ]]; then kill "$build_ahead" 2> /dev/null || true; fi
}
trap 'end_watched_child; end_build_ahead; remove_scratch; remove_postgres; remove_kafka' EXIT

close_with_the_count() {
  python3 -B tools/count_tests.py "${failed_steps[@]}" "${result_folders[@]}"
}
