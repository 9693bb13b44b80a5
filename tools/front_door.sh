# What ./run and ./test have in common: one line per thing that is being done, the details in a log. Sourced.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
logs=$root/build/logs
jobs=$(nproc)
started=$SECONDS
watched_child=

say() { printf '%s\n' "$*"; }
fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

# The comment at the top of the script is its help.
print_help() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$1"; }

end_watched_child() {
  if [[ -n $watched_child ]]; then kill "$watched_child" 2> /dev/null || true; fi
}

# How far ninja or ctest has come, from the end of its log: "[12/80]", "12/80 Test".
progress_of() { tail -c 2000 "$1" | grep -oE '^ *\[?[0-9]+/[0-9]+' | tail -1 | tr -d ' [' || true; }

# A person sees the line change; a log file gets a new line now and then.
show_progress() {
  local text=$1 seconds=$2
  if [[ -t 1 ]]; then
    printf '\r\033[K%s' "$text"
  elif ((seconds % 30 == 0)); then
    printf '%s\n' "$text"
  fi
}

# Sets cpu_seconds to the CPU time of all children that have ended. By a file, since a subshell would tell its own.
measure_cpu() {
  times > "$logs/times"
  cpu_seconds=$(awk 'NR == 2 { split($1, own, /[ms]/); split($2, kernel, /[ms]/)
    printf "%d", 60 * (own[1] + kernel[1]) + own[2] + kernel[2] }' "$logs/times")
}

# What each step has cost: "TITLE|SECONDS|CPU SECONDS".
costs=()
print_costs() {
  say "What it cost (work behind a step counts where it is waited for; servers do not count):"
  printf '%s\n' "${costs[@]}" | awk -F'|' '
    BEGIN { printf "  %-40s %8s %8s\n", "step", "seconds", "CPU s" }
    { printf "  %-40s %8d %8d\n", substr($1, 1, 40), $2, $3; seconds += $2; cpu += $3 }
    END { printf "  %-40s %8d %8d\n", "all", seconds, cpu }'
}

# watched TITLE LOG COMMAND...: runs the command quietly, shows progress, and the end of the log if it fails.
watched() {
  local title=$1 log=$logs/$2 began=$SECONDS seconds=0 status=0 cpu_began
  shift 2
  mkdir -p "$logs"
  measure_cpu && cpu_began=$cpu_seconds
  [[ -t 1 ]] && printf '%s' "$title …" || say "$title …"
  "$@" > "$log" 2>&1 < /dev/null &
  watched_child=$!
  while kill -0 "$watched_child" 2> /dev/null; do
    sleep 0.2
    if ((SECONDS - began == seconds)); then continue; fi
    seconds=$((SECONDS - began))
    show_progress "$title … $(progress_of "$log") ${seconds} s" "$seconds"
  done
  wait "$watched_child" || status=$?
  watched_child=
  measure_cpu && costs+=("$title|$((SECONDS - began))|$((cpu_seconds - cpu_began))")
  [[ -t 1 ]] && printf '\r\033[K'
  if ((status == 0)); then
    say "$title: done in $((SECONDS - began)) s"
  else
    say "$title: FAILED after $((SECONDS - began)) s. The end of the log:"
    tail -n "${log_lines:-60}" "$log" | sed 's/^/  | /'
    say "The whole log: ${log#"$root"/}"
  fi
  return "$status"
}

# configure PRESET [CMAKE OPTION...]
configure() {
  local preset=$1
  shift
  watched "Configuring $preset" "configure-$preset.log" cmake --preset "$preset" "$@"
}

# build PRESET [TARGET...]
build() {
  local preset=$1
  shift
  watched "Building $preset" "build-$preset.log" ninja -C "build/$preset" -j "$jobs" "$@"
}

trap end_watched_child EXIT
trap 'exit 130' INT TERM
cd "$root"
# Compiled files are the same whatever folder the clone is in, so that the cache serves all of them.
export CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=$root
# What was included is read from the compiler's own list, instead of preprocessing each file once more.
export CCACHE_DEPEND=1
