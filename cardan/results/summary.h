#pragma once
// The outcome of a run in a page: what summary.json holds.
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cardan/base/diagnostic.h"

namespace cardan {

struct RunStatistics {
  long steps = 0, rejected = 0, rhs = 0, jacobians = 0, factorizations = 0, newton_iterations = 0;
  double cpu_seconds = 0, wall_seconds = 0;
};

struct BodyState {  // in the user's frame
  std::string body;
  std::vector<double> q, v, a;
};

struct ChannelError {  // the largest estimate over time
  std::string channel, unit;
  double largest = 0, at = 0;
};

struct ErrorEstimate {
  std::string method;                  // how it was made; empty: there is none
  std::vector<ChannelError> channels;  // those that have an estimate
  long rows = 0, unmatched = 0;        // unmatched: samples that the finer run does not have
};

// Violation of the equations of joints and drivers at many times: m or m/s.
struct ViolationMeasure {
  double largest = std::numeric_limits<double>::quiet_NaN();  // of a single equation
  double mean = largest;                                      // of the largest single one
  double largest_norm = largest, mean_norm = largest;         // of the 2-norms of all equations
  long times = 0;
};

struct JointViolation {  // 2-norms of the equations of one joint, the largest over time
  std::string element;   // "joint 'crank pin'"
  double position = 0, velocity = 0;                                 // at output points
  double steps_position = std::numeric_limits<double>::quiet_NaN();  // at accepted steps
  double steps_velocity = steps_position;
};

struct ConstraintViolation {  // m and m/s, the largest over time
  double max_position = std::numeric_limits<double>::quiet_NaN();
  double max_velocity = std::numeric_limits<double>::quiet_NaN();
  ViolationMeasure rows_position, rows_velocity;  // at output points
  // At accepted steps, as the next one begins; of rates where residuals are asked for.
  ViolationMeasure steps_position, steps_velocity;
  // As steps ended, before positions and velocities were put back: of "hybrid".
  ViolationMeasure before_position, before_velocity;
  long corrections = -1;  // how often they were put back; -1: not told
  std::vector<JointViolation> joints;
};

// Of constraint stabilisation, as used: phi'' + 2 alpha phi' + beta^2 phi = 0.
struct StabilisationGains {
  double alpha = std::numeric_limits<double>::quiet_NaN(), beta = alpha;  // at the end
  double least_alpha = alpha, most_alpha = alpha;                         // over all steps
  std::string chosen_by;                                                  // given, stability, ...
};

// What the integrator can follow, and what the motion has.
struct StabilityFacts {
  double step = std::numeric_limits<double>::quiet_NaN();   // s, that was given
  double limit = std::numeric_limits<double>::quiet_NaN();  // of step times rate
  double rate = std::numeric_limits<double>::quiet_NaN();   // 1/s, the fastest that was seen
  bool decays = false;                                      // it: rather than oscillates
};

struct EnergyBalance {  // J
  double initial = std::numeric_limits<double>::quiet_NaN();
  double final = std::numeric_limits<double>::quiet_NaN();
  double max_imbalance = std::numeric_limits<double>::quiet_NaN();
};

// Of one channel over all accepted steps and between them, whatever rows were stored.
struct ChannelStatistics {
  std::string channel, unit;
  double least = std::numeric_limits<double>::quiet_NaN(), t_least = least;
  double largest = least, t_largest = least;
  double mean = least, rms = least;  // over time
};

struct ChangedSetting {  // what was said beside the model file
  std::string name;      // of a parameter or an option
  std::string value;     // as it was said
  std::string before;    // in the model file, as it stands there; empty: it does not say
  int line = 0;          // of the model file; 0: none
};

struct StoredRowsFacts {
  long stored = 0;
  // Lines through the rows leave the motion by at most this share of a channel's range; unknown:
  // the rows are a fixed grid, whatever happens between them.
  double error = std::numeric_limits<double>::quiet_NaN();
};

struct NamedValue {
  std::string name;
  double value = 0;
};

struct SingularPose {  // passed or reached
  double t = 0;
  std::string kind;           // lock-up, dead centre, bifurcation
  std::string joint, driver;  // whose equations depend on each other; no driver: joints alone
  std::vector<NamedValue> sensitivities;  // of t to parameters that were asked for, SI
};

using ComplexNumber = std::array<double, 2>;            // re, im
using NumberMatrix = std::vector<std::vector<double>>;  // by rows

struct VibrationMode {
  ComplexNumber eigenvalue{};
  double omega = 0, frequency = 0;  // |eigenvalue|: rad/s, Hz
  double damping_ratio = 0;
  // Of each body: shift of its frame (2 or 3 numbers) and turn (1 or 3), ground axes; the largest
  // is one.
  std::map<std::string, std::vector<ComplexNumber>> shape;
};

struct ResponsePoint {
  double frequency = 0;                              // Hz
  std::vector<std::vector<ComplexNumber>> response;  // outputs x inputs
};

struct SignalName {
  std::string name, unit;
};

struct EigenvalueSlopes {  // derivatives of all eigenvalues by a parameter
  std::string parameter, unit;
  std::vector<ComplexNumber> derivatives;
};

struct ParameterEffect {  // of a parameter on a channel, see analysis/sensitivity/ranking.h
  std::string parameter, channel;
  double effect = 0;   // largest |p dy/dp| over time, relative to the range of y
  double largest = 0;  // dy/dp there
  double at = 0;       // s
};

struct LocusPoint {  // the linear equations with one value of the parameter
  double value = 0;
  std::string about, stability;
  std::vector<ComplexNumber> eigenvalues;  // in the same order in all points
};

struct StabilityChange {  // between two words of stability
  double value = 0;       // of the parameter
  std::string from, to;   // below and above it
};

struct RootLocus {  // eigenvalues over a parameter, each followed by continuity
  std::string parameter, unit;
  std::vector<LocusPoint> points;  // by value
  std::vector<StabilityChange> changes;
};

struct LinearInstant {  // small motions about the state at one time of a motion
  double t = 0;
  std::string about, stability;
  std::vector<ComplexNumber> eigenvalues;  // by size
  NumberMatrix M, C_damping, K, A;
};

struct LinearModel {      // small motions about a state
  std::string about;      // equilibrium, steady motion, motion
  std::string stability;  // stable, neutral, unstable; empty: not judged
  int neutral = 0;        // eigenvalues that are exactly zero
  std::vector<SignalName> states, inputs, outputs;
  int coordinates = 0, rates = 0;          // the first of the states
  std::vector<ComplexNumber> eigenvalues;  // by size
  std::vector<VibrationMode> modes;        // one of each conjugate pair
  NumberMatrix M, C_damping, K;            // M w' + C w + K x = 0
  NumberMatrix A, B, C, D;
  NumberMatrix D_rate, D_acceleration;  // where outputs follow u' and u'' too
  std::vector<ResponsePoint> frequency_response;
  std::vector<EigenvalueSlopes> sensitivities;  // to parameters that were asked for
  std::optional<RootLocus> locus;               // where it was asked for
  std::vector<LinearInstant> along;             // a motion, at the times that were asked for
};

struct BodyPose {  // in the user's frame
  std::string body;
  std::vector<double> q;
};

struct EquilibriumPoint {
  std::string kind;    // stable, saddle, maximum, neutral, unstable, unknown
  std::string method;  // that found it, or the one from which others were looked for
  double potential = std::numeric_limits<double>::quiet_NaN();  // J; unknown: there is none
  std::vector<BodyPose> coordinates;
  std::vector<NamedValue> reactions;  // of joints and drivers, by channel; its unit is there
};

struct AssemblyBranch {  // one way to put the mechanism together
  int number = 0;
  bool chosen = false;             // the run starts from it
  std::vector<NamedValue> values;  // of the quantities of the list
  std::vector<BodyPose> coordinates;
};

struct BranchQuantity {  // joint coordinates, requests, and rates where motions differ
  std::string name, unit;
  bool differs = false;  // between branches
};

struct BranchList {
  std::vector<AssemblyBranch> branches;
  std::vector<BranchQuantity> quantities;
  // Freedoms that nothing prescribes: kept as the first branch has them.
  std::vector<std::string> held;
  int starts = 0;     // poses the search began from
  bool more = false;  // the search was ended: there may be more
};

struct RangePlace {  // an extreme value, and the driver's value there
  double value = 0, driver = 0;
};

struct RangeOutput {  // what a joint or a request does while a driver goes through its range
  std::string name, unit;
  std::string kind;  // crank (turns fully), rocker, slider; request: value
  RangePlace least, most;
  double stroke = std::numeric_limits<double>::quiet_NaN();  // most - least; unknown: a crank's
  std::vector<RangePlace> dead_centres;                      // its rate is zero there
  RangePlace least_ratio, most_ratio;                        // of its rate to the driver's
  double time_ratio =
      std::numeric_limits<double>::quiet_NaN();  // of the two strokes, at constant speed
  std::vector<std::array<double, 2>> course{};   // driver's value and its own
};

struct TransmissionAngle {      // between a coupler and the link it moves, 0 to pi rad
  std::string coupler, output;  // bodies, or the joint that is a massless link
  RangePlace least, most;
  RangePlace worst;  // farthest from a right angle: the smaller of the angle and pi less it
  std::vector<std::array<double, 2>> course{};  // driver's value and the angle
};

struct DriverRange {
  std::string driver, unit;
  std::string kind;                  // crank, rocker, slider
  double from = 0, to = 0;           // of a crank one turn
  std::string from_end, to_end;      // what ends it: lock-up, full turn, not found
  std::string from_joint, to_joint;  // that locks up
  double start = 0;
  std::vector<RangeOutput> outputs;
  std::vector<TransmissionAngle> transmission;
  std::vector<SingularPose> singular_poses;  // passed; t is the driver's value
};

struct ReactionPeak {    // the largest reaction of a joint, or drive of a driver, over the rows
  std::string element;   // "joint crank pin"
  std::string quantity;  // force, torque
  std::string unit;
  double largest = 0;  // of a joint the size of a vector, of a driver with its sign
  double at = 0;       // s
  bool unique = true;  // false: equations are redundant, and rigid bodies do not tell it
};

struct SolvedSetting {  // equilibrium: what makes the drawn pose the equilibrium
  std::string name, unit;
  double value = 0, before = 0;
  double force_left = 0;
};

struct Summary {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();  // null in the file

  std::string status = "complete";  // complete, doubtful, failed, interrupted
  std::string analysis;             // "dynamic"
  std::string formulation, integrator;
  double t_end = unknown;
  int dof = 0;
  int redundant = 0;
  int fixed_order = 0;  // of a method with fixed step; 0: its step is controlled
  RunStatistics stats;
  ErrorEstimate error_estimate;

  ConstraintViolation constraint;
  EnergyBalance energy;
  std::optional<StabilisationGains> gains;  // of formulations that have them
  std::optional<StabilityFacts> stability;  // of steps that were given
  std::vector<std::string> independent;     // coordinates that were chosen first

  // Spatial: largest deviation of a quaternion's length from one.
  double quaternion_drift = unknown;

  std::vector<SingularPose> singular_poses;  // of driven motions
  double power_imbalance = unknown;  // inverse: largest over rows, relative to the largest power
  std::vector<ReactionPeak> reaction_peaks;  // inverse
  std::vector<std::string> not_unique;  // channels of reactions that redundant equations leave open
  std::optional<LinearModel> linear;    // linearise

  std::vector<EquilibriumPoint> equilibria;
  std::vector<ParameterEffect> ranking;  // of parameters, where it was asked for
  std::optional<SolvedSetting> solved;   // equilibrium with solve_for

  std::optional<BranchList> branches;  // assembly that was asked for them
  std::vector<DriverRange> range;      // kinematic, swept

  std::vector<ChangedSetting> changed;
  StoredRowsFacts rows;
  std::vector<ChannelStatistics> channels;
  double watched_until = unknown;  // how far the statistics of the channels go

  std::vector<BodyState> final;
  Diagnostics diagnostics;
  std::vector<Summary> earlier;  // the analyses that ran before this one
};

// To the end; what makes it doubtful is among the diagnostics.
inline bool ended_well(const Summary& s) {
  return s.status == "complete" || s.status == "doubtful";
}

nlohmann::ordered_json to_json(const Summary&);

// Throws nlohmann::json::exception on anything else than what to_json made.
Summary summary_from_json(const nlohmann::ordered_json&);

// The file's text: indented, every number so that it reads back to the same bits.
std::string summary_text(const nlohmann::ordered_json&);
std::string to_text(const Summary&);

}  // namespace cardan
