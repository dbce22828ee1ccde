#pragma once
// Which parameters matter: for every channel y and parameter p of a run with sensitivities, the
// effect
//   max_t |p y_p| / (max_t y - min_t y),
// the change of the result, relative to its range, for a change of the parameter by its own size. A
// result that does not change with time is compared with its own size. A parameter that is zero
// counts as one of its unit.
#include <string>
#include <vector>

#include "cardan/model/model_variants.h"
#include "cardan/results/sink.h"
#include "cardan/results/summary.h"

namespace cardan {

class Ranking : public Sink {
 public:
  explicit Ranking(const std::vector<ParameterInfo>& parameters) : parameters_(parameters) {}

  Fault open(std::span<const Channel>) override;  // of each analysis; the last one counts
  Fault sample(double t, std::span<const double> row) override;

  std::string quantity(const std::string& channel) const;  // "position", ...

  // The largest effects first.
  std::vector<ParameterEffect> effects() const;

 private:
  struct Pair {
    std::size_t channel, slope, parameter;
    double largest = 0, at = 0;
  };

  const std::vector<ParameterInfo>& parameters_;
  std::vector<Channel> channels_;
  std::vector<Pair> pairs_;
  std::vector<double> least_, most_;
};

}  // namespace cardan
