#include <chrono>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "counters/cuda_driver.h"

namespace rangefinder {
namespace {

ChildAnswer Ask(const std::function<void(const Say& say)>& work,
                double timeout_s = 30) {
  const auto answer = AskChild(work, timeout_s);
  EXPECT_TRUE(answer.ok());
  return answer.ok() ? answer.value() : ChildAnswer{};
}

TEST(Child, ItsTextArrivesWhole) {
  const std::string large(1 << 20, 'x');  // more than a pipe holds
  const ChildAnswer answer = Ask([&](const Say& say) {
    say("first ");
    say(large);
  });
  EXPECT_TRUE(answer.complete());
  EXPECT_EQ(answer.text, "first " + large);
}

TEST(Child, ACrashKeepsTheTextBeforeIt) {
  const ChildAnswer answer = Ask([](const Say& say) {
    say("before");
    ::raise(SIGKILL);
    say("after");
  });
  EXPECT_FALSE(answer.complete());
  EXPECT_EQ(answer.signal, SIGKILL);
  EXPECT_EQ(answer.text, "before");
}

TEST(Child, AHangEndsAtTheTimeLimit) {
  const ChildAnswer answer = Ask(
      [](const Say& say) {
        say("before");
        while (true) ::pause();
      },
      0.3);
  EXPECT_TRUE(answer.timed_out);
  EXPECT_EQ(answer.text, "before");
}

TEST(Child, AnExceptionAndOutputStayInTheChild) {
  testing::internal::CaptureStdout();
  const ChildAnswer answer = Ask([](const Say&) {
    std::puts("noise");
    std::fflush(stdout);
    throw std::runtime_error("lost");
  });
  EXPECT_FALSE(answer.complete());
  EXPECT_EQ(answer.status, 1);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

}  // namespace
}  // namespace rangefinder
