#pragma once
// The largest reaction of every joint and the largest drive of every driver over the rows of an
// analysis, with the times: of a joint the sizes of force and torque on its second body.
#include <string>
#include <vector>

#include "cardan/analysis/record/recorder.h"
#include "cardan/ode/archive.h"

namespace cardan {

class ReactionPeaks {
 public:
  explicit ReactionPeaks(const Recorder&);

  void take(double t, const Recorder&);  // the row that was recorded last

  // open: channels whose values are not unique. Torques of round-off alone are left out.
  std::vector<ReactionPeak> peaks(const std::vector<char>& open, double length) const;

  void serialize(Archive&);

 private:
  struct Entry {
    std::string element;
    bool turns = false, drive = false;
    std::string unit;
    std::vector<std::size_t> channels;  // components
  };

  std::vector<Entry> entries_;
  std::vector<double> largest_, at_;
};

}  // namespace cardan
