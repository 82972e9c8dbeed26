#!/bin/sh
# Who may include whom: each room's #include lines against the table of the house. Argument: the source directory.
set -u
cd "$1" || exit 2
bad=0
complain() { echo "$1"; bad=1; }

# room: rooms that it may include
check() {
  files=$1
  allowed=$2
  for file in $files; do
    [ -f "$file" ] || continue
    for room in $(sed -n 's/^ *# *include "\(wire\|support\|model\|timeline\|launch\|analyze\|compare\|render\|region\|symbols\|preload\)\/.*/\1/p' "$file" | sort -u); do
      case " $allowed " in *" $room "*) ;; *) complain "$file includes $room/, its room may include: $allowed" ;; esac
    done
  done
}
check "lib/wire/*" "wire"
check "lib/support/*" "support"
check "lib/model/*" "model wire support region"
check "lib/symbols/*" "symbols support"
check "lib/launch/*" "launch wire support"
check "lib/timeline/*" "timeline model wire support"
check "lib/analyze/*" "analyze timeline model wire support"
check "lib/compare/*" "compare model support"
check "lib/render/*" "render compare analyze timeline model support"
check "preload/*" "wire"
check "lib/region/include/*" ""
check "lib/region/recorder/*" "region wire preload"  # both run in the program's process: time, memory, the block's file
check "apps/scope-profiler/*" "render compare analyze launch timeline model symbols support"

# header: the only files that may include it
only() {
  found=$(grep -rlE "^ *# *include <($1)" lib apps preload | grep -vE "^($2)$")
  [ -z "$found" ] || complain "<$1> is included by $found; only $2 may"
}
only 'CLI/' 'apps/scope-profiler/cli[a-z_]*\.cpp'
only 'spdlog/' 'apps/scope-profiler/[a-z_]*\.[ch]pp'
only 'nlohmann/' 'lib/model/[a-z_]*json[a-z_]*\.[ch]pp|lib/timeline/[a-z_]*json[a-z_]*\.[ch]pp|lib/render/[a-z_]*json[a-z_]*\.[ch]pp'
only 'rapidjson/' 'lib/model/[a-z_]*json[a-z_]*\.[ch]pp'
only 'zstd' 'lib/timeline/[a-z_]*\.cpp'
only 'toml../' 'lib/support/toml\.hpp'
only 'elfutils/' 'lib/symbols/.*'
only 'mpi\.h>' 'lib/region/.*'
# The form of region names is a fact of the public headers; the model takes that one, and nothing else of lib/region.
other=$(grep -hE '^ *# *include "region/' lib/model/* | grep -v scope_profiler_mpi_names.hpp)
[ -z "$other" ] || complain "lib/model includes $other"
other=$(grep -hE '^ *# *include "preload/' lib/region/recorder/* | grep -vE 'preload/(clock|live_block|memory|place|procfs|trace)\.hpp')
[ -z "$other" ] || complain "lib/region/recorder includes $other"
exits=$(grep -nE '(^|[^_a-z:.])(std::)?exit\(' -r apps lib --include='*.cpp' --include='*.hpp' | grep -v 'main\.cpp' | grep -vE ':\s*//|///')
[ -z "$exits" ] || complain "exit is called outside main.cpp: $exits"
[ $bad = 0 ] && echo "every include stays within its walls"
exit $bad
