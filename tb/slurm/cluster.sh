# SPDX-License-Identifier: Apache-2.0
# A cluster of four nodes with a core each on this machine, in $work/cluster. Needs $work.
cluster=$work/cluster
export SLURM_CONF=$cluster/slurm.conf
nodes=4
PATH=$PATH:/usr/sbin:/sbin

free_ports() {
  python3 - "$1" <<'END'
import socket, sys
held = [socket.socket() for _ in range(int(sys.argv[1]))]
for one in held: one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in held))
END
}

start_cluster() {
  local port
  mkdir -p "$cluster"/{state,log}
  chmod 755 "$work" "$cluster"
  read -ra port < <(free_ports $((nodes + 1)))
  head -c 1024 /dev/urandom >"$cluster/key"
  chmod 600 "$cluster/key"
  cat >"$SLURM_CONF" <<END
ClusterName=qsm
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=${port[0]}
AuthType=auth/munge
AuthInfo=socket=$cluster/munge,cred_expire=10
CredType=cred/munge
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool-%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/%n.pid
SlurmctldLogFile=$cluster/log/slurmctld
SlurmdLogFile=$cluster/log/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=2,bf_interval=2,sched_min_interval=0,requeue_setup_env_fail
ReturnToService=2
SlurmdTimeout=6
KillWait=5
MessageTimeout=30
UnkillableStepTimeout=120
JobRequeue=1
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
MailProg=/bin/true
$(for i in $(seq $nodes); do echo "NodeName=n$i NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=${port[$i]} CPUs=1 State=UNKNOWN"; done)
PartitionName=short Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
  munged --force --key-file="$cluster/key" --socket="$cluster/munge" --pid-file="$cluster/munged.pid" --log-file="$cluster/log/munged" \
    --seed-file="$cluster/seed" 2>>"$cluster/log/start" || return
  slurmctld 2>>"$cluster/log/start" || return
  for i in $(seq $nodes); do start_node "$i" || return; done
  wait_for 300 all_idle
}

start_node() {
  mkdir -p "$cluster/spool-n$1"
  slurmd -N "n$1" 2>>"$cluster/log/start"
}

all_idle() { [ "$(sinfo --noheader --format=%T --Node 2>/dev/null | grep -c '^idle$')" -eq $nodes ]; }

# wait_for SECONDS COMMAND...: until it says yes; real time, for what never comes.
wait_for() {
  local tries=$(($1 * 2))
  shift
  for _ in $(seq "$tries"); do
    "$@" && return
    sleep 0.5
  done
  echo "# waited in vain for: $*"
  return 1
}

daemon() { cat "$cluster/$1.pid" 2>/dev/null; }

# Processes of jobs on a node of this cluster.
jobs_on() {
  grep -lzx "SLURMD_NODENAME=n$1" /proc/[0-9]*/environ 2>/dev/null | while IFS=/ read -r _ _ pid _; do
    grep -qzx "SLURM_CONF=$SLURM_CONF" "/proc/$pid/environ" 2>/dev/null && echo "$pid"
  done
}

# As if its power had gone: the daemon, what watches its jobs (their first process's parent), and the jobs.
kill_node() {
  local pid parent all
  kill -9 "$(daemon "n$1")"
  all=$(jobs_on "$1")
  for pid in $all; do
    parent=$(awk '/^PPid:/ { print $2 }' "/proc/$pid/status" 2>/dev/null)
    [[ $(cat "/proc/${parent:-0}/comm" 2>/dev/null) == slurmstepd* ]] && kill -9 "$parent"
  done
  for pid in $all; do kill -9 "$pid" 2>/dev/null; done
  true
}

stop_cluster() {
  local pid
  for i in $(seq $nodes); do
    pid=$(daemon "n$i")
    [ -n "$pid" ] && kill -CONT "$pid" 2>/dev/null
    [ -n "$pid" ] && kill_node "$i" 2>/dev/null
  done
  for name in slurmctld munged; do [ -n "$(daemon $name)" ] && kill "$(daemon $name)" 2>/dev/null; done
  sleep 1
}
