#pragma once
// Where results go. A sink cannot influence a run; it can only fail, and then the run stops with
// what it said.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cardan/base/diagnostic.h"

namespace cardan {

struct Channel {
  std::string name;      // "crank.x", "main bearing.force_x"
  std::string unit;      // "m", "rad", "N"
  std::string element;   // "body crank", "joint main bearing", "" for the whole system
  std::string quantity;  // "position", "velocity", "reaction", "energy", "residual", "step", ...
};

struct Event {
  double t = 0;
  std::string kind;  // "start", "stop", "event", "repartition", ...
  std::string element;
  std::string text;
};

class Sink {
 public:
  virtual ~Sink() = default;
  using Fault = std::optional<Diagnostic>;  // nothing: all went well
  // Begins the next analysis of the run. A run that is resumed first opens the analysis of its
  // checkpoint again, even when that had nothing left to do.
  virtual Fault open(std::span<const Channel>) = 0;
  virtual Fault sample(double t, std::span<const double> row) = 0;  // one number per channel

  virtual Fault event(const Event&) { return {}; }

  virtual Fault diagnostic(const Diagnostic&) { return {}; }

  // Everything before this call is durable together with the checkpoint, or neither is.
  virtual Fault checkpoint(double /*t*/, std::span<const std::byte>) { return {}; }

  // Whether enough has gathered since the last checkpoint to be worth one. Only a hint: a
  // checkpoint may be taken at any step and changes nothing in the run.
  virtual bool checkpoint_due() const { return false; }

  virtual Fault close() { return {}; }
};

}  // namespace cardan
