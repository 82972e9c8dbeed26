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
    for room in $(sed -n 's/^ *# *include "\(wire\|support\|model\|launch\|analyze\|compare\|render\|region\)\/.*/\1/p' "$file" | sort -u); do
      case " $allowed " in *" $room "*) ;; *) complain "$file includes $room/, its room may include: $allowed" ;; esac
    done
  done
}
check "lib/wire/*" "wire"
check "lib/support/*" "support"
check "lib/model/*" "model wire support"
check "lib/launch/*" "launch wire support"
check "lib/analyze/*" "analyze model support"
check "lib/compare/*" "compare model support"
check "lib/render/*" "render compare analyze model support"
check "preload/*" "wire"
check "apps/scope-profiler/*" "render compare analyze launch model support"

# header: the only files that may include it
only() {
  found=$(grep -rlE "^ *# *include <($1)" lib apps preload | grep -vE "^($2)$")
  [ -z "$found" ] || complain "<$1> is included by $found; only $2 may"
}
only 'CLI/' 'apps/scope-profiler/cli[a-z_]*\.cpp'
only 'spdlog/' 'apps/scope-profiler/[a-z_]*\.[ch]pp'
only 'nlohmann/' 'lib/model/[a-z_]*json[a-z_]*\.[ch]pp|lib/render/[a-z_]*json[a-z_]*\.[ch]pp'
only 'mpi\.h>' 'lib/region/.*'
exits=$(grep -nE '(^|[^_a-z:.])(std::)?exit\(' -r apps lib --include='*.cpp' --include='*.hpp' | grep -v 'main\.cpp' | grep -vE ':\s*//|///')
[ -z "$exits" ] || complain "exit is called outside main.cpp: $exits"
[ $bad = 0 ] && echo "every include stays within its walls"
exit $bad
