export RANGEFINDER=$PWD/build/portable/rangefinder RANGEFINDER_INJECT_LIBRARY=$PWD/build/portable/librangefinder_inject.so RANGEFINDER_BUILD=$PWD/build/portable; chmod +x build/portable/*
w=/tmp/w; mkdir -p $w; P=tests/gpu/programs
six=sm__inst_executed.sum,dram__bytes_read.sum,dram__bytes_write.sum,sm__cycles_active.avg,lts__t_sectors.sum,sm__pipe_tensor_cycles_active.avg
nvcc -O2 -std=c++17 -arch=native -o $w/two_streams $P/two_streams.cu -ldl
s() { n=$1; shift; /usr/bin/time -f "$n %e s" $RANGEFINDER profile hydra.run.dir=$w/$n "$@" > $w/$n.out 2> $w/$n.err; tail -1 $w/$n.err; }
m() { n=$1; shift; $RANGEFINDER profile hydra.run.dir=$w/$n pipeline.ncu.enable=true pipeline.trace.enable=false "pipeline.ncu.ncu_cli.metrics=[gpu__time_duration.sum,$six]" pipeline.ncu.ncu_cli.clock_control=none pipeline.ncu.ncu_cli.cache_control=none "$@" > $w/$n.out 2> $w/$n.err; tail -1 $w/$n.err; }
time python3 $P/llm_bench.py plain 16 8
time python3 $P/llm_bench.py plain 64 3
s two200 -- $w/two_streams 3000
s two50 pipeline.counters.interval_us=50 -- $w/two_streams 3000
s llm16 -- python3 $P/llm_bench.py plain 16 8
s llm64 -- python3 $P/llm_bench.py plain 64 3
s llm64b pipeline.counters.interval_us=50 -- python3 $P/llm_bench.py plain 64 3
time m two.ncu -- $w/two_streams 16
time m llm.ncu -- python3 $P/llm_bench.py plain 16 0
cd $w; for d in two.ncu llm.ncu; do cp $d/ncu/regions/report.json $d.json; done
for d in two200 two50 llm16 llm64 llm64b; do mkdir -p tr; for f in $d/trace/*.rftrace; do cp $f tr/$d.rftrace; done; done
tar czf $OUT/traces.tgz tr *.json *.out *.err; ls -la $OUT
