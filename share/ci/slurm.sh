#!/bin/bash
# A performance gate as a Slurm batch script: sbatch share/ci/slurm.sh. The job fails when the program got slower.
#
#   BASE      profile to compare with; where there is none, this run becomes it
#   RUN       what is run, with its launcher
#   REPEAT    repetitions
#SBATCH --job-name=performance
#SBATCH --nodes=1
#SBATCH --ntasks=4
#SBATCH --exclusive
#SBATCH --time=00:30:00
#SBATCH --output=performance-%j.log
set -euo pipefail
base=${BASE:-performance/base.json}
new=performance/${SLURM_JOB_ID:-new}.json

# RUN is a line of words.
# shellcheck disable=SC2086
scope-profiler run --mpi-calls --strict --repeat "${REPEAT:-5}" --warmup 1 -o "$new" ${RUN:-srun ./sim}
if [ ! -e "$base" ]; then
  cp "$new" "$base"
  echo "$base is made from this run"
  exit 0
fi
exec scope-profiler check --strict --junit "${new%.json}.xml" "$base" "$new"
