#pragma once
// The page of a sweep: all points in a plot, histograms and quantiles of the measures. A point that is
// picked opens its animation, a second one is compared with it. The page is written with the reports of
// some points beside it, or served (`cardan view STORE`), where each point is run when it is picked.
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cardan/analysis/control.h"
#include "cardan/base/result.h"
#include "cardan/study/sweep_store.h"

namespace cardan {

std::string_view sweep_page_text();  // without data

// Points of a sweep that are run again to be looked at; their runs lie in a temporary folder.
class SweepPoints {
 public:
  explicit SweepPoints(std::string store);
  SweepPoints(const SweepPoints&) = delete;
  SweepPoints& operator=(const SweepPoints&) = delete;
  ~SweepPoints();

  // The report of one point, or of two beside each other.
  Result<std::string> report(const std::vector<long>& points, const Control&);

  Result<std::string> page() const;  // whose points are all run when they are picked

 private:
  Result<std::filesystem::path> run_of(long number, const Control&);

  std::string store_;
  std::filesystem::path folder_;  // empty: not made yet
  std::map<long, std::filesystem::path> runs_;
};

// Writes the page and, in a folder beside it, the reports of these points and of each two of them where
// they are few; without a choice those with the least and the largest value of each measure. Failed
// points have none. Returns the points.
Result<std::vector<long>> write_sweep_page(const std::string& store,
                                           const std::filesystem::path& target,
                                           const std::optional<std::vector<long>>& points,
                                           bool force,
                                           const Control&);

}  // namespace cardan
