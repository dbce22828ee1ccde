#pragma once
// The derivative of every channel by every chosen parameter, d(crank.angle)/d(length):
//   y_p = (partial derivative at a fixed state) + y_x x_p,
// both by differences of the recorded row, of fourth order: the first over systems with other values
// of the parameter, the second over states moved along x_p by amounts that are small against the
// mechanism. Residuals and steps of the integrator have no derivative; nor, where they are not
// integrated with it, have energies that are integrals over time.
#include <memory>
#include <vector>

#include "cardan/analysis/record/recorder.h"
#include "cardan/analysis/sensitivity/parameter_slopes.h"

namespace cardan {

class SlopeChannels {
 public:
  struct Setting {
    const std::vector<std::string>& patterns;
    bool redundant = false;
    Recorder::Extent extent = Recorder::Extent::all;
    bool integrals = false;  // states and energies that are integrals have derivatives too
  };

  SlopeChannels(const System&, const ParameterSteps&, const Setting&);

  const std::vector<Channel>& channels() const { return channels_; }

  struct Origin {         // of each of them
    std::string channel;  // that it is the derivative of
    double size;          // of the parameter
  };

  const std::vector<Origin>& origins() const { return origins_; }

  void record(const State&, const std::vector<StateSlope>&, View row);

 private:
  const System& system_;
  const ParameterSteps& steps_;
  std::vector<std::size_t> kept_;  // channels of the recorder that have derivatives
  std::vector<Channel> channels_;
  std::vector<Origin> origins_;
  Recorder here_;
  std::vector<std::vector<std::unique_ptr<Recorder>>> varied_;  // by parameter
  std::vector<double> row_;
  State moved_;
};

}  // namespace cardan
