#include "cardan/study/sweep.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace cardan {

namespace {

class PointLoop {
 public:
  PointLoop(const Design& design,
            const PointRunner& runner,
            const std::vector<char>& done,
            const PointTarget& target,
            const SweepControl& control)
      : design_(design), runner_(runner), done_(done), target_(target), control_(control) {
    tally_.points = design.count();
    tally_.before = std::count(done.begin(), done.end(), 1);
  }

  Result<SweepTally> run() {
    const unsigned here = std::max(1U, std::thread::hardware_concurrency());
    const auto workers = control_.workers > 0 ? static_cast<unsigned>(control_.workers) : here;
    std::vector<std::thread> threads;
    for (unsigned k = 1; k < workers; ++k) threads.emplace_back([this] { work(); });
    work();
    for (std::thread& thread : threads) thread.join();
    if (fault_) return *fault_;
    tally_.interrupted = stop_;
    tally_.seconds = elapsed();
    return tally_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  void work() {
    Control control;
    control.cancelled = [this] {
      return asked_to_stop();
    };
    while (!asked_to_stop()) {
      const long number = next_++;
      if (number >= design_.count()) return;
      if (done_[static_cast<std::size_t>(number)] != 0) continue;
      const std::vector<double> values = design_.point(number);
      const PointResult result = runner_.run(values, control);
      if (result.status == "interrupted") return;
      keep(number, values, result);
    }
  }

  bool asked_to_stop() {
    if (stop_) return true;
    // After every step of every point: who finds another asking goes on.
    const std::unique_lock alone(asking_, std::try_to_lock);
    if (alone && control_.cancelled && control_.cancelled()) stop_ = true;
    return stop_;
  }

  void keep(long number, const std::vector<double>& values, const PointResult& result) {
    const std::lock_guard alone(keeping_);
    if (fault_) return;
    fault_ = target_(number, values, result);
    if (fault_) {
      stop_ = true;
      return;
    }
    if (result.status == "complete")
      ++tally_.complete;
    else if (result.status == "doubtful")
      ++tally_.doubtful;
    else {
      ++tally_.failed;
      ++tally_.causes[result.cause];
    }
    tally_.seconds = elapsed();
    if (control_.progress) control_.progress(tally_);
  }

  const Design& design_;
  const PointRunner& runner_;
  const std::vector<char>& done_;
  const PointTarget& target_;
  const SweepControl& control_;
  std::atomic<long> next_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex asking_, keeping_;
  std::optional<Diagnostic> fault_;
  SweepTally tally_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

Result<SweepTally> run_points(const Design& design,
                              const PointRunner& runner,
                              const std::vector<char>& done,
                              const PointTarget& target,
                              const SweepControl& control) {
  return PointLoop(design, runner, done, target, control).run();
}

}  // namespace cardan
