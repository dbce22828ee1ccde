#pragma once
// A number that is taken of a run:
//
//   peak = max(abs("wrist pin.force"))
//   lift = max("valve.y") - min("valve.y")
//
// Channels stand in quotes. These functions take the course of a formula of channels and t over the
// last analysis (row_functions.h): max, min, time_of_max, time_of_min, mean, rms, integral, initial,
// final of one argument; at(x, time); crossing(x, level) and crossing(x, level, number). Around them
// any formula. max and min of two arguments are ordinary functions. "JOINT.force" and "JOINT.torque"
// are the size of a joint's reaction, from the components that are channels.
#include <memory>
#include <string>
#include <vector>

#include "cardan/base/result.h"
#include "cardan/results/sink.h"

namespace cardan {

class Measures {
 public:
  // Each "name = formula"; channels: of the last analysis. All faults; an unknown channel with the
  // nearest name.
  static Result<Measures> read(const std::vector<std::string>& texts,
                               const std::vector<Channel>& channels);
  Measures(Measures&&) noexcept;
  Measures& operator=(Measures&&) noexcept;
  ~Measures();

  struct Info {
    std::string name, text, unit;
  };

  const std::vector<Info>& list() const;

  // The channels that they read, by name, each once.
  std::vector<std::string> channels() const;

  // Initial and final values only: rows between the ends are not read.
  bool of_ends() const;

  // Takes the rows of one run. Several threads may have one each.
  class Taking : public Sink {
   public:
    // With derivatives by these parameters, where the run has channels d(NAME)/d(PARAMETER).
    explicit Taking(const Measures&, std::vector<std::string> parameters = {});
    ~Taking() override;
    Fault open(std::span<const Channel>) override;
    Fault sample(double t, std::span<const double> row) override;
    std::vector<double> values() const;  // of the rows so far; NaN: there are none
    // For each measure its derivatives by the parameters; NaN: not known.
    std::vector<double> slopes() const;

   private:
    struct Courses;
    const Measures& of_;
    std::vector<std::string> parameters_;
    std::unique_ptr<Courses> courses_;
  };

 private:
  struct Parts;
  explicit Measures(std::unique_ptr<Parts>);
  std::unique_ptr<Parts> parts_;
};

}  // namespace cardan
