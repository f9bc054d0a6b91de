// SPDX-License-Identifier: Apache-2.0
#include "compile_subnets/in_parallel.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace dycl::compile_subnets {
namespace {

class Pieces {
 public:
  Pieces(std::size_t count, const std::function<Status(std::size_t)>& work) : count_(count), work_(&work) {}

  void run_some() {
    std::unique_lock lock(mutex_);
    while (next_ < count_ && failures_.empty()) {
      const std::size_t piece = next_++;
      lock.unlock();
      Status status = (*work_)(piece);
      lock.lock();
      if (!status) failures_.emplace(piece, std::move(status));
      ++done_;
      changed_.notify_one();
    }
    ++ended_;
    changed_.notify_one();
  }

  // Until all of `threads` threads have ended.
  void wait(std::size_t threads, const std::function<void(std::size_t)>& finished) {
    std::unique_lock lock(mutex_);
    for (std::size_t told = 0; ended_ < threads;) {
      changed_.wait(lock, [&] { return done_ > told || ended_ == threads; });
      told = done_;
      lock.unlock();
      finished(told);
      lock.lock();
    }
  }

  Status outcome() { return failures_.empty() ? Status() : std::move(failures_.begin()->second); }

 private:
  std::size_t count_;
  const std::function<Status(std::size_t)>* work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0;
  std::size_t done_ = 0;
  std::size_t ended_ = 0;  // threads
  std::map<std::size_t, Status> failures_;
};

}  // namespace

Status in_parallel(std::size_t count, std::size_t threads, const std::function<Status(std::size_t)>& work,
                   const std::function<void(std::size_t)>& finished) {
  finished(0);
  Pieces pieces(count, work);
  std::vector<std::jthread> running;
  const std::size_t used = std::min(count, std::max<std::size_t>(1, threads));
  for (std::size_t index = 0; index < used; ++index) running.emplace_back([&] { pieces.run_some(); });
  pieces.wait(used, finished);
  running.clear();
  return pieces.outcome();
}

}  // namespace dycl::compile_subnets
