#pragma once
// Inside of compile: one object that turns a Model into a System, going on after a fault so that
// all are found.
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cardan/system/system.h"

namespace cardan {

class FormulaChain;

class Compiler {
 public:
  // like: a system whose plans are taken over where the structure is the same.
  explicit Compiler(const Model& model, const System* like = nullptr)
      : model_(model), like_(like), dimension_(model.space == Space::planar ? 2 : 3) {}

  Result<System> run();

  bool same_structure() const { return same_structure_; }  // as `like`

 private:
  void report(std::string id,
              SourcePos where,
              std::string element,
              std::string found,
              std::string expected,
              std::string hint = "");
  void fault(const Element&, const ElementFault&);

  // Against the descriptions of the types (compile_check.cpp).
  void check();
  void check(const Element&, const ElementType&, int requests);
  void check_index(const Element&, const char* what, int index, int count, int least);
  int request_count() const;

  // Bodies and geometry (compile_bodies.cpp).
  void bodies();
  void planar_body(const Body&);
  void spatial_body(const Body&);
  double check_tensor(const Body&, const Mat<3, 3>&);
  void measure_length();
  Side in_mass_frame(Side) const;
  ElementEnd end_of(const Side&) const;
  ElementSpec spec_of(const Element&) const;

  // Elements (compile.cpp).
  const ElementType* type_of(const Element&);  // null: reported
  bool joins_itself(const Element&);           // true: reported
  void constraints();
  std::optional<double> start_angle(const Element& joint) const;
  void add_constraint(const Element&, const ElementType&, std::vector<Part>);
  void number_equations();  // joints and drivers first, limits behind them
  void free_turns();        // compile_point_masses.cpp
  void plan_structure();    // tree, loops, elimination
  bool is_like(const System&) const;
  void name_rows(const std::vector<const ConstraintPool*>&, int first_limit_pool);
  // With places for its conditions.
  Expression numbered(Expression, const std::string& words);

  Expression numbered(Expression formula, const Element& e) {
    return numbered(std::move(formula), e.words());
  }

  void requests();
  void joint_coordinates();

  // States, inputs and the order of formulas (compile_states.cpp).
  void states();
  void order_formulas();
  void find_quadratures();
  void refuse_second_rates();
  void forces();
  void initial();
  void finish();

  // Equations by formulas of requests (compile_relations.cpp).
  struct Relation;
  void relation_joint(ConstraintSet&, const Element&, const ElementType&);
  std::optional<Part> relation_initial(ConstraintSet&, const Element&, System::InitialInfo&);
  std::optional<Relation> relation_of(const Element&, std::string_view key);
  std::unique_ptr<const ConstraintSet> relation_measure(const Element&, int request);
  bool linear_in_rates(const Element&, const FormulaChain&);
  void check_relations();

  // Equations of one's own (compile_equations.cpp): what takes the place of bodies and elements.
  void own_check();
  void own_kinetic_check();
  void own_constraint_check();
  void own_corner_check();
  void own_coordinates();
  void own_constraints(ConstraintSet&);
  void own_measures(ConstraintSet&, std::vector<std::pair<std::size_t, Part>>& measured);
  void own_forces(ForceSet&);
  std::vector<Part> own_initial(ConstraintSet&);
  void own_time_parts();

  // What depends on what (compile_dependence.cpp).
  void dependences();
  void request_dependences();
  void time_parts();
  System::TimePart time_part(const Expression&,
                             std::span<const int> requests,
                             const std::vector<TimeFormula::Ptr>& of_requests) const;

  // Stops, contacts and friction (compile_contacts.cpp).
  void contacts();
  void contact(const Element&, const ElementType&, ConstraintSet&);
  void joint_friction(const Element&, const ElementType&, const ElementSpec&);
  int place_friction(FrictionElement, std::size_t constraint);  // its rows follow
  std::vector<Part> sticking();  // the equations of friction that may stick, in its order
  void name_stick_rows(const std::vector<Part>&, int first_pool);

  int body_size() const {
    if (model_.own != nullptr) return system_.layout_.v_size();
    return dimension_ == 2 ? 3 : 6;
  }

  int blocks() const { return system_.layout_.bodies(); }

  const Model& model_;
  const System* like_;
  bool same_structure_ = false;
  int dimension_;
  System system_;
  std::vector<std::vector<Part>> parts_;  // of constraints
  std::vector<std::size_t> friction_of_;  // its constraint
  std::shared_ptr<WindingTable> turns_;
  Diagnostics faults_;
};

}  // namespace cardan
