#pragma once
// What the user sees of a state, as one row of numbers: bodies in their own frames, reactions at
// the joints, drivers, springs, requests, energies and the residuals of all constraints.
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cardan/analysis/record/contact_channels.h"
#include "cardan/analysis/record/request_motion.h"
#include "cardan/analysis/record/result_formulas.h"
#include "cardan/analysis/record/shared_reactions.h"
#include "cardan/results/sink.h"
#include "cardan/results/summary.h"
#include "cardan/system/energy.h"
#include "cardan/system/link_lengths.h"
#include "cardan/system/system.h"

namespace cardan {

struct StepInfo {  // what the integrator was doing
  double h = 0;
  int order = 0;
  double alpha = 0, beta = 0;  // of constraint stabilisation
  std::span<const double> impulses =
      {};                     // of each limit, the sum of its impacts so far; empty: none
  bool undetermined = false;  // forces that rigid bodies do not determine: not among the peaks
};

class Recorder {
 public:
  // motion: no forces, reactions and energies; driven: the powers of drivers too. Both have rates
  // and accelerations of requests.
  enum class Extent { all, motion, driven };

  struct Wishes {              // channels that are there where they are asked for
    bool multipliers = false;  // of all equations
    bool residuals = false;    // 2-norms of all equations, and of each joint
    bool gains = false;        // of constraint stabilisation
  };

  // patterns: names with * and ?; empty: everything. redundant: some equations are.
  Recorder(const System&,
           const std::vector<std::string>& patterns,
           bool redundant,
           Extent,
           const Wishes&);

  explicit Recorder(const System& system,
                    const std::vector<std::string>& patterns,
                    bool redundant = false,
                    Extent extent = Extent::all)
      : Recorder(system, patterns, redundant, extent, Wishes{}) {}

  const std::vector<Channel>& channels() const {
    return chosen_.empty() || lean_ ? all_channels_ : channels_;
  }

  // Those that the patterns leave out too, and their values in the last row. Where nothing could read
  // the others (lean_), the chosen ones alone.
  const std::vector<Channel>& all_channels() const { return all_channels_; }

  CView all_values() const { return full_; }

  bool redundant() const { return shared_.has_value(); }

  // Of all channels: reactions and drives that a change of lambda in the null space of phi_q^T
  // changes, which the motion of rigid bodies does not determine.
  std::vector<char> not_unique(const State&);

  // A pattern that fits nothing, or a formula of results that names no channel.
  const std::optional<Diagnostic>& fault() const { return fault_; }

  // Fills the row of channels(); state must have a and lambda.
  void record(const State&, const StepInfo&, View row);

  // Of the last recorded state: largest residuals in units of length (link_lengths.h), and the energy.
  double position_residual() const { return position_; }

  double velocity_residual() const { return velocity_; }

  // Of all equations of joints and drivers there, angles times length(); single ones in the order of
  // the system's rows.
  CView position_residuals() const { return position_rows_; }

  CView velocity_residuals() const { return velocity_rows_; }

  const Energy& energy() const { return energy_; }

  std::vector<BodyState> body_states(const State&) const;  // in the user's frames

 private:
  struct Reaction {  // -phi_q^T lambda of one element on one body
    int block, offset;
  };

  struct JointEnd {
    Side side;
    std::vector<Reaction> reactions;
  };

  struct JointPlan {
    int constraint;
    std::size_t first;  // of its channels
    JointEnd ends[2];
  };

  struct ForcePlan {
    int force;
    std::size_t first;
  };

  void name_channels();
  bool choose_while_naming(const std::vector<std::string>& patterns);
  void choose(const std::vector<std::string>& patterns);
  void find_rows();
  void name_drivers();
  void name_forces();
  JointPlan plan_of(int constraint, std::size_t first) const;

  // Whether a channel among those that are named is shown.
  template <class Name> bool shows(Name name) {
    const std::size_t before = chosen_.size();
    name();
    return !lean_ || chosen_.size() > before;
  }

  void name_request_motion(std::vector<Channel>&) const;
  bool is_request(const std::string& name) const;
  std::vector<std::pair<std::size_t, bool>> request_motion_of() const;
  double* put_driven(double* out) const;
  std::vector<std::string> patterns_here(const std::vector<std::string>&) const;
  void keep_motion();
  void evaluate(const State&);
  bool holds(int row, const State&) const;  // not a limit that is open
  void name_coordinates();
  double* put_coordinates(const State&, double* out) const;

  std::size_t own_size() const {  // coordinates of one's own, which are the first requests
    return system_.own() != nullptr ? static_cast<std::size_t>(system_.v_size()) : 0;
  }

  void name_bodies();
  void name_body(const std::string& name);
  void name_joints();
  void name_joint(const System::ConstraintInfo&);
  double* put_bodies(const State&, double* out) const;
  double* put_joints(const State&, double* row);
  void name_resultants();
  double* put_resultants(const State&, double* out) const;
  double* put_spatial_resultants(const State&, double* out) const;
  double* put_forces(const State&, double* row) const;
  double* put_system(const State&, const StepInfo&, double* out) const;
  Vec<3> wrench(const JointPlan&,
                int end,
                const State&) const;  // force and torque at the joint's point on that body
  Vec<3> body_wrench(const JointEnd&, const State&) const;

  // Equations by formulas, and what is there where it was asked for (recorder_relations.cpp).
  struct RelationPlan {
    int constraint, block;
  };

  void find_relations();
  void name_relations();
  double* put_relations(const State&, double* out) const;
  Vec<6> relation_wrench(const RelationPlan&, int term, const State&) const;
  void add_relation_resultants(const State&, double* out) const;
  void name_wishes();
  double* put_wishes(const State&, const StepInfo&, double* out) const;

  // In space (recorder_spatial.cpp).
  void name_spatial_body(const std::string& name);
  void name_spatial_joint(const System::ConstraintInfo&);
  std::vector<BodyState> spatial_body_states(const State&) const;
  double* put_spatial_bodies(const State&, double* out) const;
  void put_spatial_joints(const State&, double* row);
  void evaluate_coordinates(const State&);
  double* put_joint_coordinates(const JointPlan&, double* out) const;
  Mat<3, 3> turn_of(int body) const;  // A
  Vec<6> spatial_wrench(const JointPlan&, int end, const State&) const;
  Vec<6> spatial_body_wrench(const JointEnd&, const State&) const;
  Vec<3> spatial_place(const Side&, const State&) const;
  void add_channel(const std::string& name,
                   const std::string& unit,
                   const std::string& element,
                   const std::string& quantity);
  bool is_shown(const std::string& name);
  void keep_fitting(std::size_t from);  // of what others appended to all_channels_

  Vec<2> arm(const Side&) const;  // from the mass centre to the point, ground axes
  Vec<2> place(const Side&, const State&) const;

  const System& system_;
  Extent extent_;
  RequestMotion request_motion_;
  std::vector<std::pair<std::size_t, bool>> shown_motion_;  // request, and whether its acceleration
  ContactChannels contacts_;
  ResultFormulas results_;
  std::vector<Channel> channels_, all_channels_;
  std::vector<int> chosen_;  // places among all; empty: all
  // Few channels of many: names that no pattern fits are not kept, and nothing is evaluated for them.
  bool lean_ = false;
  const std::vector<std::string>* patterns_ = nullptr;  // while names are given to a lean one
  std::vector<char> fits_;                              // by pattern
  std::size_t count_ = 0;                               // of all channels
  // What has chosen channels, and where the channels of a kind end.
  std::vector<int> shown_bodies_;
  std::vector<JointPlan> joints_;
  std::vector<ForcePlan> forces_;
  std::vector<int> drivers_;  // all
  std::size_t joints_end_ = 0, relations_end_ = 0, forces_end_ = 0, contacts_end_ = 0;
  bool shows_relations_ = true, shows_contacts_ = true, shows_acceleration_ = true;
  std::vector<int> block_of_row_,
      limit_of_row_;  // of equations; the second of those behind joint_rows()
  Workspace work_;
  LinkLengths lengths_;
  std::vector<double> full_, residual_;
  std::vector<double> coordinate_, coordinate_rate_, coordinate_packed_;  // of joints in space
  std::vector<RelationPlan> relations_;
  Wishes wishes_;
  std::vector<double> position_rows_, velocity_rows_;
  double position_ = 0, velocity_ = 0, acceleration_ = 0;
  Energy energy_;
  std::optional<SharedReactions> shared_;  // where some reactions are not unique
  bool splits_ = false;                    // and friction does not follow from their split
  std::optional<Diagnostic> fault_;
  State shown_;
};

}  // namespace cardan
