# SPDX-License-Identifier: Apache-2.0
# A scheduler for tests: sbatch, squeue, scancel and scontrol that write down what they are asked in $work/calls. Jobs wait until a test calls `run`.

# make_scheduler FOLDER: writes the four commands. A file $work/refuse has the script's part that sbatch refuses; $work/queue is what squeue says.
make_scheduler() {
  mkdir -p "$1"
  cat >"$1/sbatch" <<'END'
#!/bin/bash
echo "sbatch ${*##*/}" >>"$work/calls"
if [ -e "$work/refuse" ] && [[ ${!#} == *$(cat "$work/refuse")* ]]; then
  echo 'sbatch: error: invalid partition specified: moon' >&2
  echo 'sbatch: error: Batch job submission failed: Invalid partition name specified' >&2
  exit 1
fi
job=$(($(cat "$work/last_job" 2>/dev/null || echo 100) + 1))
echo $job >"$work/last_job"
echo $job
END
  cat >"$1/squeue" <<'END'
#!/bin/bash
if [ -e "$work/no_queue" ]; then
  echo 'squeue: error: Unable to contact slurm controller (connect failure)' >&2
  exit 1
fi
cat "$work/queue" 2>/dev/null || true
END
  printf '#!/bin/bash\necho "scancel $*" >>"$work/calls"\n' >"$1/scancel"
  printf '#!/bin/bash\necho "scontrol $*" >>"$work/calls"\n' >"$1/scontrol"
  chmod +x "$1"/*
}

# run SCRIPT JOB [TASK [RESTART]]: what a node does with a script.
run() {
  SLURM_JOB_ID=$2 SLURM_ARRAY_JOB_ID=$2 SLURM_ARRAY_TASK_ID=${3:-} SLURM_RESTART_COUNT=${4:-0} call bash "$1"
}
