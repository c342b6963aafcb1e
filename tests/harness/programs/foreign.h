// A program that does what its command line says: threads, children, signals,
// limits and ends of every kind, with NVTX in all of them. Its output is the
// same in every run, traced or not; `../harness.py` compares it.
//
//   foreign ACTOR DESCRIPTION
//
// A description is actions, one after the other: `name:number:number{block}`.
// docs/verification.md lists them.

#pragma once

#include <string>
#include <vector>

namespace foreign {

struct Action {
  std::string name{};
  long first = 0, second = 0;
  std::vector<Action> block{};
  std::string text{};  // of the block, for programs that are started
  void (*run)(const Action&) = nullptr;
};

using Block = std::vector<Action>;

// Nothing here allocates: it also runs in signal handlers, and in children
// whose parent had other threads.
void Run(const Block& block);

struct Row {
  const char* name;
  void (*run)(const Action&);
};

// The tables of actions: one of each file.
extern const std::vector<Row> kNvtxActions;     // nvtx_actions.cc
extern const std::vector<Row> kThreadActions;   // thread_actions.cc
extern const std::vector<Row> kProcessActions;  // process_actions.cc
extern const std::vector<Row> kSignalActions;   // signal_actions.cc
extern const std::vector<Row> kLimitActions;    // limit_actions.cc
extern const std::vector<Row> kEndActions;      // end_actions.cc
extern const std::vector<Row> kStateActions;    // state_actions.cc

// The calling thread's name: "0", of its second thread "0.t1", of the first
// child of that "0.t1.c0".
const char* Actor();
// Names the calling thread or process after its maker.
void BecomeActor(const char* maker, char kind, long number);
// The number of the next thread or child of this actor.
long NextNumber();

// Writes a line, "ACTOR text", at once.
__attribute__((format(printf, 1, 2))) void Say(const char* format, ...);
inline constexpr int kReport = 9;  // the descriptor of these lines

const char* Environment(const char* name);  // never null

// How often each kind of call was begun and done, in memory that is shared with
// the harness: it outlives any end. `loose`: of a child made behind the C
// library's back, which may have no trace.
enum Kind { kPush, kPop, kStart, kEnd, kMark, kOther, kKernel, kKinds };
void OpenTally();
void ClaimTally(bool loose);
void Begun(Kind kind);
void Done(Kind kind);

}  // namespace foreign
