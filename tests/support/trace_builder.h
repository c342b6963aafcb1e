// Traces drawn as text, for tests. Times are in microseconds since the trace
// began.
//
//   process pid=7 rank=1 exe=/bin/app              where it is not 1, -1, "app"
//   thread 11                                      of what follows; else 1
//   10 push A                                      or of a domain: LLM@A; any
//                                                  byte of a name is %00 to %ff
//   fact api launches                              what the library recorded
//   11 message abc 4096                            of the range just opened:
//                                                  NCCL's communicator, bytes
//   12 launch 1                                    CUPTI's correlation id
//   13 launched                                    its call returned
//   13 cpu 9                                       the thread ran so long
//   synchronise cudaDeviceSynchronize 14-16        a timed call of the thread;
//                                                  load, allocate, other too
//   migration 14-15                                of pages
//   own_work 14-15                                 of the library, in a call of
//                                                  the thread
//   20 pop
//   21 start S1 id=5
//   29 end id=5
//   kernel f 15-40 of=1 stream=7 device=0 grid=4 block=64 shared=9 registers=8
//   copy 41-43 of=2 bytes=4096 kind=1 from=2 to=3  stream and device as above;
//                                                  kinds as CUPTI numbers them
//   set 44-45 of=3 bytes=64
//   gpu 0 NVIDIA_H200                              a device's name
//   source _Z4gemmv /home/a/gemm.cu 17             where a kernel begins
//   bus 0 65                                       its place, in all processes
//   peaks 0 memory_khz=3201000 bus=6144 sms=132 khz=1980000    and what it can
//   sampling 0 interval=200 chip=GH100 metrics=a.sum,b.avg     of device 0;
//                                                  at=900 held_up=600: begins
//                                                  at 900, held up since 300
//   sample 0 100-300 5,0.25                        a value of each metric
//   gap 0 300-700 missing=2 why=1                  why: wire::SampleLoss
//   stopped 0 900 reason=busy                      without one: the end
//   counting 0 metrics=a.sum,b.sum                 regions of device 0: all
//   else
//                                                  of the trace is set aside
//   row A/LLM@B                                    the next row, from 0
//   count 1 5 8,0.5                                of row 1, its instance 5
//   count 1 5 8,0.5 in=0 of=3                      in instance 3 of row 0
//   skipped 1 7 why=3                              wire::CountSkip

#pragma once

#include <string>
#include <string_view>

namespace rangefinder::testing {

std::string BuildTrace(std::string_view text);

}  // namespace rangefinder::testing
