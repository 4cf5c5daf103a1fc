#!/bin/bash
# A tinytf cluster as a Slurm job: sbatch slurm.sh train.py
# The first node has the parameter server, every other one a worker; the client runs on the first.
#SBATCH --nodes=3
#SBATCH --ntasks-per-node=1
#SBATCH --time=00:30:00
set -euo pipefail

program=$1
port=${PORT:-2221}
folder=${SLURM_SUBMIT_DIR:-$PWD}

mapfile -t hosts < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
workers=("${hosts[@]:1}")
addresses=$(printf '"%s:'"$port"'", ' "${workers[@]}")
cluster="$folder/cluster-$SLURM_JOB_ID.json"
printf '{"ps": ["%s:%s"], "worker": [%s]}\n' "${hosts[0]}" "$port" "${addresses%, }" > "$cluster"

# One certificate for each host, made beforehand: tinytf certificates --host node1 --host node2 ...
tls=()
if [ -d "$folder/certs" ]; then tls=(--tls "$folder/certs/"); fi

serve() {  # serve JOB TASK HOST: one task, on its node, in the background
    srun --nodes=1 --ntasks=1 --overlap --nodelist="$3" \
        tinytf serve --cluster-file "$cluster" --job "$1" --task "$2" \
        --allow-remote-clients ${tls[@]+"${tls[0]}" "${tls[1]}$3"} &
    tasks+=($!)
}

tasks=()
trap 'kill "${tasks[@]}" 2>/dev/null || true' EXIT
serve ps 0 "${hosts[0]}"
for index in "${!workers[@]}"; do
    serve worker "$index" "${workers[$index]}"
done

srun --nodes=1 --ntasks=1 --overlap --nodelist="${hosts[0]}" \
    python "$program" "grpc://${workers[0]}:$port"
