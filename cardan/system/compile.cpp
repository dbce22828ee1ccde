// Model -> System: numbering, mass centres, pools. Goes on after a fault, so that all are found.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cardan/model/catalogue.h"
#include "cardan/system/compile_contacts.h"
#include "cardan/system/system.h"

namespace cardan {

class Compiler {
 public:
  explicit Compiler(const Model& model) : model_(model) {}

  Result<System> run() {
    if (model_.space != Space::planar)
      report("model.not-available",
             {},
             "",
             "space = \"spatial\"",
             "\"planar\": spatial models are not available yet");
    if (model_.bodies.empty())
      report("model.empty", {}, "", "a model without bodies", "at least one [[body]]");
    if (!faults_.empty()) return faults_;
    system_.friction_ = std::make_shared<FrictionSet>(2);
    bodies();
    measure_length();
    constraints();
    requests();
    forces();
    contacts();
    initial();
    if (has_error(faults_)) return faults_;
    number_equations();
    finish();
    return std::move(system_);
  }

 private:
  void report(std::string id,
              SourcePos where,
              std::string element,
              std::string found,
              std::string expected,
              std::string hint = "") {
    Diagnostic d;
    d.id = std::move(id);
    d.where = std::move(where);
    d.element = std::move(element);
    d.found = std::move(found);
    d.expected = std::move(expected);
    d.hint = std::move(hint);
    faults_.push_back(std::move(d));
  }

  void bodies() {
    system_.mass_ = MassMatrix(3);
    for (const Body& b : model_.bodies) {
      const std::string words = "body '" + b.name + "'";
      if (!std::isfinite(b.mass) || !std::isfinite(b.inertia))
        report(
            "model.not-finite", b.where, words, "a mass or inertia that is not finite", "numbers");
      else if (b.mass < 0 || b.inertia < 0)
        report("model.negative-mass",
               b.where,
               words,
               fmt::format("mass {:g} kg, inertia {:g} kg*m^2", b.mass, b.inertia),
               "none of them negative");
      else if (b.mass == 0 && b.inertia > 0)
        report("model.zero-inertia",
               b.where,
               words,
               fmt::format("no mass, but inertia {:g} kg*m^2", b.inertia),
               "a mass, or no inertia");
      system_.bodies_.push_back({b.name, b.where, b.mass, b.inertia, b.centre});
      system_.mass_.add_planar(b.mass, b.inertia);
      const double c = std::cos(b.angle), s = std::sin(b.angle);
      const double dx = c * b.centre[0] - s * b.centre[1], dy = s * b.centre[0] + c * b.centre[1];
      append(system_.given_.q, {b.at[0] + dx, b.at[1] + dy, b.angle});
      append(system_.given_.v, {b.velocity[0] - b.rate * dy, b.velocity[1] + b.rate * dx, b.rate});
      system_.velocity_given_.push_back(b.velocity_given ? 1 : 0);
    }
  }

  static void append(std::vector<double>& list, std::initializer_list<double> more) {
    list.insert(list.end(), more);
  }

  // The size of the links: root mean square over the bodies of the largest distance of a point from
  // the mass centre. (Not the size of the whole, so that tolerances do not grow with the length of
  // a chain.)
  void measure_length() {
    std::vector<double> span(model_.bodies.size(), 0.0);
    double reach = 0;
    for (const auto* list :
         {&model_.joints, &model_.drivers, &model_.forces, &model_.stops, &model_.contacts})
      for (const Element& e : *list)
        for (const Side& given : e.sides) {
          const Side side = in_mass_frame(given);
          const double distance = std::hypot(side.point[0], side.point[1]);
          double& widest = side.body >= 0 ? span[static_cast<std::size_t>(side.body)] : reach;
          widest = std::max(widest, distance);
        }
    double sum = 0;
    int count = 0;
    for (const double s : span)
      if (std::isfinite(s) && s > 0) {
        sum += s * s;
        ++count;
      }
    if (count > 0)
      system_.length_ = std::sqrt(sum / count);
    else if (std::isfinite(reach) && reach > 0)
      system_.length_ = reach;
    system_.metric_ = MassMatrix(3);
    for (std::size_t b = 0; b < model_.bodies.size(); ++b)
      system_.metric_.add_planar(1, system_.length_ * system_.length_);
  }

  Side in_mass_frame(Side side) const {
    if (side.body >= 0)
      for (std::size_t k = 0; k < 3; ++k)
        side.point[k] -= model_.bodies[static_cast<std::size_t>(side.body)].centre[k];
    return side;
  }

  ElementSpec spec_of(const Element& e) const {
    ElementSpec spec;
    for (std::size_t k = 0; k < std::min<std::size_t>(2, e.sides.size()); ++k) {
      const Side side = in_mass_frame(e.sides[k]);
      spec.ends[k] = {side.body,
                      Vec<3>(side.point[0], side.point[1], side.point[2]),
                      Vec<3>(side.axis[0], side.axis[1], side.axis[2])};
    }
    for (const auto& [key, value] : e.settings) {
      if (const auto* x = std::get_if<double>(&value)) spec.numbers.push_back({key, {*x}});
      if (const auto* x = std::get_if<bool>(&value))
        spec.numbers.push_back({key, {*x ? 1.0 : 0.0}});
      if (const auto* x = std::get_if<std::vector<double>>(&value))
        spec.numbers.push_back({key, *x});
      if (const auto* x = std::get_if<std::string>(&value))
        spec.numbers.push_back({key + "=" + *x, {1.0}});
      if (const auto* x = std::get_if<PlanarCurvePtr>(&value)) spec.curves.push_back({key, *x});
      if (const auto* x = std::get_if<Expression>(&value)) spec.formulas.push_back({key, *x});
      if (const auto* x = std::get_if<FunctionPtr>(&value))
        (e.kind == Kind::driver ? (void)(spec.drive = *x) : spec.functions.push_back({key, *x}));
    }
    spec.inputs = e.inputs;
    return spec;
  }

  void fault(const Element& e, const ElementFault& f) {
    report(f.id, e.where, e.words(), f.found, f.expected, f.hint);
  }

  bool joins_itself(const Element& e) {
    const bool same = e.sides.size() == 2 && e.sides[0].body == e.sides[1].body;
    if (same)
      report("model.self-joint",
             e.where,
             e.words(),
             "both sides on the same body",
             "two different bodies");
    return same;
  }

  void add_constraint(const Element& e, std::vector<Part> parts) {
    System::ConstraintInfo info{e.kind, e.type, e.name, e.where, {}, {}};
    for (const Side& side : e.sides) info.sides.push_back(in_mass_frame(side));
    system_.constraints_.push_back(std::move(info));
    parts_.push_back(std::move(parts));
  }

  void constraints() {
    auto set = std::make_shared<ConstraintSet>(2);
    for (const auto* list : {&model_.joints, &model_.drivers})
      for (const Element& e : *list) {
        if (joins_itself(e)) continue;
        Made made = e.kind == Kind::driver ? set->add_driver(e.type, spec_of(e), system_.given_.q)
                                           : set->add_joint(e.type, spec_of(e), system_.given_.q);
        if (const auto* f = std::get_if<ElementFault>(&made)) {
          fault(e, *f);
          continue;
        }
        system_.driven_ = system_.driven_ || e.kind == Kind::driver;
        add_constraint(e, std::get<0>(std::move(made)));
        joint_friction(e);
      }
    system_.constraint_set_ = std::move(set);
  }

  // Rows follow in number_equations.
  void joint_friction(const Element& e) {
    auto plan = plan_friction(e, spec_of(e));
    if (const auto* f = std::get_if<ElementFault>(&plan)) return fault(e, *f);
    if (auto& friction = std::get<0>(plan))
      place_friction(std::move(*friction), system_.constraints_.size() - 1);
  }

  int place_friction(FrictionElement element, std::size_t constraint) {
    friction_of_.push_back(constraint);
    system_.friction_words_.push_back(system_.constraints_[constraint].words());
    return system_.friction_->add(std::move(element));
  }

  void contacts() {
    auto set = std::make_shared<ConstraintSet>(2);
    for (const auto* list : {&model_.stops, &model_.contacts})
      for (const Element& e : *list) {
        if (joins_itself(e)) continue;
        const ElementSpec spec = spec_of(e);
        auto made = plan_contact(e, spec, system_.length_);
        if (const auto* f = std::get_if<ElementFault>(&made)) {
          fault(e, *f);
          continue;
        }
        auto& plan = std::get<ContactPlan>(made);
        std::vector<Part> parts;
        plan.info.first_limit = static_cast<int>(system_.limits_.size());
        for (const double limit : {plan.lower, plan.upper}) {
          if (std::isinf(limit)) continue;
          const bool lower = limit == plan.lower;
          parts.push_back(set->add_limit(e.type, spec, limit));
          system_.limits_.push_back({static_cast<int>(system_.contacts_.size()),
                                     0,
                                     lower ? 1.0 : -1.0,
                                     e.words() + (e.kind == Kind::contact ? ""
                                                  : lower                 ? ", lower"
                                                                          : ", upper")});
          ++plan.info.limits;
        }
        add_constraint(e, std::move(parts));
        if (!plan.info.hard) {
          const ForcePart part = system_.force_set_->add_limit(e.type, spec, plan.law);
          system_.damped_limits_ = system_.damped_limits_ || plan.law.damping > 0;
          plan.info.pool = part.pool;
          plan.info.element = part.element;
        }
        if (plan.friction) {
          plan.friction->pool = plan.info.pool;
          plan.friction->element = plan.info.element;
          plan.info.friction =
              place_friction(std::move(*plan.friction), system_.constraints_.size() - 1);
        }
        system_.contacts_.push_back(std::move(plan.info));
      }
    system_.limit_set_ = std::move(set);
  }

  // Joints and drivers first, limits behind them.
  void number_equations() {
    auto pools = pools_of(*system_.constraint_set_);
    const int first_limit_pool = static_cast<int>(pools.size());
    for (const auto* pool : pools) system_.joint_rows_ += pool->count() * pool->rows();
    for (const auto* pool : pools_of(*system_.limit_set_)) pools.push_back(pool);
    system_.equations_ = Equations(pools, system_.body_count(), 3);
    const auto rows = static_cast<std::size_t>(system_.equations_.rows());
    system_.constraint_of_row_.assign(rows, -1);
    system_.row_words_.assign(rows, "");
    system_.angle_row_.assign(rows, 0);
    std::size_t limit = 0;
    for (std::size_t c = 0; c < parts_.size(); ++c) {
      const Kind kind = system_.constraints_[c].kind;
      const bool limits = kind == Kind::stop || kind == Kind::contact;
      for (const Part& part : parts_[c]) {
        const int in_list = part.pool + (limits ? first_limit_pool : 0);
        const ConstraintPool& pool = *pools[static_cast<std::size_t>(in_list)];
        for (int k = 0; k < pool.rows(); ++k) {
          const int row = system_.equations_.row(in_list, part.element, k);
          if (limits) system_.limits_[limit++].row = row;
          system_.constraints_[c].rows.push_back(row);
          system_.constraint_of_row_[static_cast<std::size_t>(row)] = static_cast<int>(c);
          system_.row_words_[static_cast<std::size_t>(row)] = pool.words(k);
          system_.angle_row_[static_cast<std::size_t>(row)] = pool.words(k) == "angle" ? 1 : 0;
        }
      }
    }
    for (std::size_t k = 0; k < friction_of_.size(); ++k)
      system_.friction_->element(static_cast<int>(k)).rows =
          system_.constraints_[friction_of_[k]].rows;
  }

  static std::vector<const ConstraintPool*> pools_of(const ConstraintSet& set) {
    std::vector<const ConstraintPool*> pools;
    pools.reserve(static_cast<std::size_t>(set.pool_count()));
    for (int k = 0; k < set.pool_count(); ++k) pools.push_back(&set.pool(k));
    return pools;
  }

  // Measures keep the order of the model; a point has its y coordinate behind all others.
  void requests() {
    auto set = std::make_shared<ConstraintSet>(2);
    std::vector<std::pair<std::size_t, Part>> measured;
    const auto measure = [&](const Element& e, std::string_view type, std::size_t request) {
      Made made = set->add_measure(type, spec_of(e), system_.given_.q);
      if (const auto* f = std::get_if<ElementFault>(&made)) return fault(e, *f);
      measured.emplace_back(request, std::get<0>(made).front());
    };
    for (const Element& e : model_.requests) {
      const std::size_t index = system_.request_info_.size();
      system_.request_info_.push_back(
          {e.name, e.type, e.type == "angle" ? "rad" : "m", -1, {}, e.inputs});
      if (e.type == "expression") {
        const Setting* formula = e.find("value");
        if (formula != nullptr && std::holds_alternative<Expression>(*formula))
          system_.request_info_.back().formula = numbered(std::get<Expression>(*formula), e);
        system_.request_info_.back().unit =
            system_.request_info_.back().formula.plain()
                ? ""
                : si_unit(system_.request_info_.back().formula.dimension());
      } else {
        measure(e, e.type == "point" ? "x" : e.type, index);
        if (e.type == "point") system_.request_info_.back().name = e.name + ".x";
      }
    }
    for (const Element& e : model_.requests)
      if (e.type == "point") {
        system_.request_info_.push_back({e.name + ".y", e.type, "m", -1, {}, {}});
        measure(e, "y", system_.request_info_.size() - 1);
      }
    system_.request_equations_ = Equations(pools_of(*set), system_.body_count(), 3);
    for (const auto& [request, part] : measured)
      system_.request_info_[request].row =
          system_.request_equations_.row(part.pool, part.element, 0);
    system_.request_set_ = std::move(set);
    order_formulas();
  }

  // Formulas may use formulas: evaluated after what they use.
  void order_formulas() {
    const auto n = system_.request_info_.size();
    std::vector<int> mark(n, 0);
    const auto visit = [&](auto&& self, int k) -> void {
      auto& info = system_.request_info_[static_cast<std::size_t>(k)];
      if (mark[static_cast<std::size_t>(k)] == 2 || info.row >= 0) return;
      if (mark[static_cast<std::size_t>(k)] == 1) {
        const Element& e = model_.requests[static_cast<std::size_t>(k)];
        report("model.parameter-cycle",
               e.where,
               e.words(),
               "a formula that needs its own value",
               "formulas that do not go round in a circle");
        mark[static_cast<std::size_t>(k)] = 2;
        return;
      }
      mark[static_cast<std::size_t>(k)] = 1;
      for (const int input : info.inputs) self(self, input);
      mark[static_cast<std::size_t>(k)] = 2;
      system_.formula_order_.push_back(k);
    };
    for (std::size_t k = 0; k < n; ++k)
      if (system_.request_info_[k].row < 0) visit(visit, static_cast<int>(k));
  }

  // With places for its conditions.
  Expression numbered(Expression formula, const Element& e) {
    formula.number_conditions(static_cast<int>(system_.conditions_.size()));
    system_.conditions_.resize(
        system_.conditions_.size() + static_cast<std::size_t>(formula.conditions()), e.words());
    return formula;
  }

  static std::string si_unit(Dimension d) {
    static constexpr std::array<const char*, 3> names{"kg", "m", "s"};
    std::string unit;
    for (std::size_t k = 0; k < 3; ++k) {
      if (d.power[k] == 0) continue;
      unit += (unit.empty() ? "" : "*") + std::string(names[k]);
      if (d.power[k] != 1) unit += fmt::format("^{}", static_cast<int>(d.power[k]));
    }
    return unit;
  }

  void forces() {
    auto set = std::make_shared<ForceSet>(2);
    if (model_.gravity != Triple{}) {
      std::vector<double> masses;
      for (const Body& b : model_.bodies) masses.push_back(b.mass);
      set->add_gravity(Vec<3>(model_.gravity[0], model_.gravity[1], model_.gravity[2]), masses);
    }
    for (const Element& e : model_.forces) {
      ElementSpec spec = spec_of(e);
      for (auto& [key, formula] : spec.formulas) formula = numbered(formula, e);
      auto made = set->add(e.type, spec, system_.given_.q);
      if (const auto* f = std::get_if<ElementFault>(&made)) {
        fault(e, *f);
        continue;
      }
      const auto& part = std::get<0>(made);
      system_.forces_.push_back({e.type, e.name, part.pool, part.element});
    }
    system_.force_set_ = std::move(set);
  }

  void initial() {
    auto set = std::make_shared<ConstraintSet>(2);
    std::vector<Part> parts;
    for (const Element& e : model_.initial) {
      Made made = set->add_measure(e.type, spec_of(e), system_.given_.q);
      if (const auto* f = std::get_if<ElementFault>(&made)) {
        fault(e, *f);
        continue;
      }
      parts.push_back(std::get<0>(made).front());
      System::InitialInfo info;
      info.words = e.words() + ", " + e.type;
      info.where = e.where;
      info.has_value = e.find("value") != nullptr;
      info.has_rate = e.find("rate") != nullptr;
      info.value = e.number("value");
      info.rate = e.number("rate");
      system_.initial_info_.push_back(std::move(info));
    }
    auto pools = pools_of(*system_.constraint_set_);
    const int first = static_cast<int>(pools.size());
    const auto more = pools_of(*set);
    pools.insert(pools.end(), more.begin(), more.end());
    system_.assembly_ = Equations(pools, system_.body_count(), 3);
    for (std::size_t k = 0; k < parts.size(); ++k)
      system_.initial_info_[k].row =
          system_.assembly_.row(first + parts[k].pool, parts[k].element, 0);
    system_.initial_set_ = std::move(set);
  }

  void finish() {
    auto& given = system_.given_;
    given.a.assign(given.v.size(), 0.0);
    given.lambda.assign(static_cast<std::size_t>(system_.equations_.rows()), 0.0);
    given.mode.assign(system_.limits_.size() + system_.conditions_.size(), 0);
  }

  const Model& model_;
  System system_;
  std::vector<std::vector<Part>> parts_;  // of constraints
  std::vector<std::size_t> friction_of_;  // its constraint
  Diagnostics faults_;
};

Result<System> compile(const Model& model) {
  return Compiler(model).run();
}

}  // namespace cardan
