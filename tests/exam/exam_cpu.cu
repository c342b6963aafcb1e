// Programs of the examination (exam.cu) whose threads work or wait on the CPU.
//
//   exam_cpu CASE [STEPS]     exam_cpu --list

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <sys/mman.h>

#include "exam.h"

namespace {

void Sleep(int us) {
  std::this_thread::sleep_for(std::chrono::microseconds(us));
}

// A thread that does one piece of work for each step.
class Worker {
 public:
  explicit Worker(void (*work)()) : work_(work) {
    std::thread([this] { Loop(); }).detach();
  }
  void Begin() {
    const std::lock_guard lock(mutex_);
    done_ = false;
    condition_.notify_all();
  }
  void Wait() {
    std::unique_lock lock(mutex_);
    condition_.wait(lock, [this] { return done_.load(); });
  }
  void Spin() const {
    while (!done_) {
    }
  }

 private:
  void Loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
      condition_.wait(lock, [this] { return !done_; });
      lock.unlock();
      work_();
      lock.lock();
      done_ = true;
      condition_.notify_all();
    }
  }

  void (*work_)();
  std::mutex mutex_;
  std::condition_variable condition_;
  std::atomic<bool> done_{true};
};

Worker* worker = nullptr;

// As an engine that launches in a thread of its own.
void LaunchMany() {
  for (int i = 0; i < 300; ++i) {
    Tiny<<<1, 32>>>(scratch);
    Spin(0.005);
  }
  CHECK(cudaStreamSynchronize(nullptr));
}

const Case kCases[] = {
    {"cpu_condition",
     [](int) {
       worker->Begin();
       worker->Wait();
     },
     [] { worker = new Worker([] { Spin(4); }); }},
    {"cpu_spins",
     [](int) {
       worker->Begin();
       worker->Spin();
     },
     [] { worker = new Worker([] { Sleep(4000); }); }},
    {"cpu_short_sleeps",
     [](int) {
       // Not launch-bound: the thread sleeps after each launch.
       for (int i = 0; i < 60; ++i) {
         Tiny<<<1, 32>>>(scratch);
         Sleep(1);
       }
     }},
    {"cpu_first_touch",
     [](int) {
       constexpr std::size_t kBytes = 16 * kMega;
       void* fresh = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
       std::memset(fresh, 1, kBytes);
       munmap(fresh, kBytes);
     }},
    {"cpu_other_launches",
     [](int) {
       worker->Begin();
       worker->Wait();
     },
     [] { worker = new Worker(LaunchMany); }},

    // Nothing is wrong
    {"fine_cpu_blocks",
     [](int) {
       // The thread sleeps in the wait for the GPU.
       FmaChains<<<multiprocessors * 8, kThreads>>>(scratch, 20000);
     }},
    {"fine_cpu_beside",
     [](int) {
       // It waits for another thread while the GPU is busy.
       FmaChains<<<multiprocessors * 8, kThreads>>>(scratch, 60000);
       worker->Begin();
       worker->Wait();
     },
     [] { worker = new Worker([] { Spin(1); }); }},
};

void SetUp() {
  CHECK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  SetUpScratch();
}

}  // namespace

int main(int argc, char** argv) {
  return RunExam(kCases, SetUp, argc, argv);
}
