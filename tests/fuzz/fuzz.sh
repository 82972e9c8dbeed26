#!/bin/sh
# Runs one fuzz target: fuzz.sh PROGRAM CORPUS DIRECTORY. New inputs and crashes go to DIRECTORY; the corpus stays as it is.
# A crash is one file there: run PROGRAM with it as the argument to see it again, then add it to the corpus with a unit test.
set -eu
program=$1
corpus=$2
directory=$3
mkdir -p "$directory/new"
cd "$directory"
# A seed of its own choice would find a different fault on every machine; a long run with others is for the one who looks for them.
exec "$program" -seed="${SCOPE_FUZZ_SEED:-1}" -max_total_time="${SCOPE_FUZZ_SECONDS:-5}" -max_len=65536 -timeout=20 -rss_limit_mb=2048 -verbosity=0 \
  -print_final_stats=1 new "$corpus"
