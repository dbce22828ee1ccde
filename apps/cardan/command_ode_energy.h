#pragma once
// Equations from energies: the table of a run, and a run in which events report, end or change the
// motion.
#include <nlohmann/json.hpp>

#include "cardan/model/model.h"
#include "cardan/ode/events.h"
#include "cardan/results/sink.h"
#include "command_ode_text.h"

namespace cardan::app {

// Prints the wanted channels as they come.
class EnergyTable final : public Sink {
 public:
  EnergyTable(std::vector<std::string> wanted, bool csv, const Console& console)
      : wanted_(std::move(wanted)), csv_(csv), console_(console) {}

  Fault open(std::span<const Channel>) override;
  Fault sample(double t, std::span<const double> row) override;

  OdePath path;

  nlohmann::ordered_json last() const;

 private:
  std::string text(double v) const;
  void line(const std::vector<std::string>& words) const;

  std::vector<std::string> wanted_, names_;
  std::vector<std::size_t> places_;
  std::vector<double> last_;
  bool csv_;
  const Console& console_;
};

// One event as the model has it: requests for its value and for what coordinates and rates become,
// and a first-order state whose rate jumps where the value passes zero, so that the run finds it.
struct EnergyEvent {
  std::string text;  // "x falling"
  std::string side;  // the state
  Crossing direction = Crossing::either;
  bool stop = false;

  struct Change {
    std::size_t coordinate = 0;
    bool rate = false;
    std::string request;
  };

  std::vector<Change> changes;
};

struct EventRun {
  Diagnostics diagnostics{};  // notes, warnings, faults
  bool complete = false;
  double t = 0;
  std::string formulation{}, integrator{};
  double imbalance = 0, violation = 0;
  std::vector<std::pair<double, std::string>> seen{};
  int exit_code = 0;
};

EventRun run_with_events(const Model&, const std::vector<EnergyEvent>&, Sink&);

}  // namespace cardan::app
