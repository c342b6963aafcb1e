#!/bin/bash
. "$(dirname "$0")/common.sh"
needs_tracer

cat > program << 'PROGRAM'
#!/bin/bash
echo "${MASTER_PORT-none} ${TORCHELASTIC_USE_AGENT_STORE-none}" >> starts
PROGRAM
chmod +x program

# torchrun keeps a store for its workers, in which keys of the run under the
# tracer would still be: ncu's run has one of its own.
TORCHELASTIC_RUN_ID=x TORCHELASTIC_USE_AGENT_STORE=True MASTER_PORT=29500 \
  RANK=0 WORLD_SIZE=2 LOCAL_RANK=0 profile -- ./program > out 2> err
[ "$(sort -u starts)" = "$(printf '29500 True\n29702 False')" ]

# An MPI launcher lets a process start MPI once: one run, and a message with the
# alternative.
rm -rf run starts
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 profile -- ./program > out 2> err
[ "$(cat starts)" = "none none" ]
has err "start MPI only once" "-- mpirun -n 2 ./program"
[ "$(json run/ncu/manifest.rank0.json 'd["trace"]["status"]')" = none ]

# So the kernels of a list cannot be measured one by one.
rm -rf run starts
export OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2
"$rangefinder" kernels "$fixtures/nested_basic.ncu-rep" --format yaml > list.yaml
status 2 profile pipeline.ncu.kernel_config=list.yaml -- ./program > out 2> err
has err "the plan starts the program 3 times" "start MPI only once"
[ ! -e starts ]
