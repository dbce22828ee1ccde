#include "cardan/analysis/equilibrium/preload.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Core>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cardan/analysis/causes.h"
#include "cardan/analysis/equilibrium/force_balance.h"
#include "cardan/formulation/explicit/partition.h"

namespace cardan {

namespace {

constexpr int most_preload_steps = 50;
constexpr double balanced_share = 1e-10;  // of the largest force
constexpr double no_effect = 1e-12;       // of the forces, for a change by the number's own size

// A setting of a force that holds one number.
struct NumberKey {
  std::string name, unit;
  bool formula = false;
  Range range = Range::any;
};

std::vector<NumberKey> number_keys(const Element& e, Space space) {
  std::vector<NumberKey> list;
  const ElementType* type = find_type(e.kind, e.type, space);
  if (type == nullptr) return list;
  for (const KeySpec& key : type->keys) {
    if (key.kind == ValueKind::number || key.kind == ValueKind::formula)
      list.push_back({std::string(key.name),
                      key.dimensions.empty() ? "" : si_unit(key.dimensions.front()),
                      key.kind == ValueKind::formula,
                      key.range});
    if (key.kind == ValueKind::formulas)
      for (std::size_t k = 0; k < key.parts.size(); ++k)
        list.push_back({std::string(key.parts[k]), si_unit(key.dimensions[k]), true, key.range});
  }
  return list;
}

class PreloadSearch {
 public:
  PreloadSearch(const Model& model, const Assembly& pose, std::string target, SourcePos where)
      : model_(model), pose_(pose), target_(std::move(target)), where_(std::move(where)) {}

  Result<Preload> go() {
    if (auto fault = find_setting()) return *fault;
    if (!balance(x_)) return cannot("it cannot be evaluated with its present number");
    if (g_.size() == 0) return cannot("the mechanism has no freedom: every number holds it");
    for (int k = 0; k < most_preload_steps; ++k) {
      const Eigen::VectorXd g = g_;
      if (g.cwiseAbs().maxCoeff() <= balanced_share * force_) return found();
      const double h = 1e-3 * std::max(std::abs(x_), 1e-3 * size_);
      const double low = key_.range == Range::any ? x_ - h : std::max(x_ - h, x_ / 2);
      if (!balance(x_ + h)) break;
      const Eigen::VectorXd above = g_;
      if (!balance(low)) break;
      const Eigen::VectorXd slope = (above - g_) / (x_ + h - low);
      if (!(slope.norm() * std::max(std::abs(x_), size_) > no_effect * force_))
        return cannot("it has no effect on the balance of this pose");
      const double step = -slope.dot(g) / slope.squaredNorm();
      if (key_.range != Range::any && x_ + step < 0)
        return cannot(fmt::format("it would need {:.6g}{}{}, which is below zero",
                                  x_ + step,
                                  key_.unit.empty() ? "" : " ",
                                  key_.unit));
      x_ += step;
      if (!balance(x_)) break;
      if (g_.norm() > (1 - 1e-6) * g.norm() &&
          std::abs(step) <= 1e-9 * std::max(std::abs(x_), size_))
        break;
    }
    if (balance(x_) && g_.cwiseAbs().maxCoeff() <= 1e3 * balanced_share * force_) return found();
    return cannot(
        fmt::format("no number of it balances this pose: with {:.6g}{}{} a force of {:.3g} "
                    "N is left",
                    x_,
                    key_.unit.empty() ? "" : " ",
                    key_.unit,
                    g_.size() > 0 ? g_.cwiseAbs().maxCoeff() : 0.0));
  }

 private:
  Diagnostic told(const char* id, std::string text, std::string expected, std::string hint = {}) {
    Diagnostic d;
    d.id = id;
    d.where = where_;
    d.found = std::move(text);
    d.expected = std::move(expected);
    d.hint = std::move(hint);
    return d;
  }

  Diagnostic cannot(const std::string& why) {
    return told("numeric.no-convergence",
                fmt::format("solve_for = \"{}\": {}", target_, why),
                "a setting that can make this pose the equilibrium");
  }

  std::optional<Diagnostic> find_setting() {
    const std::size_t dot = target_.rfind('.');
    const std::string name = target_.substr(0, dot);
    const auto of_name = [&](const Element& e) {
      return e.name == name;
    };
    const auto found = std::find_if(model_.forces.begin(), model_.forces.end(), of_name);
    if (dot == std::string::npos || found == model_.forces.end()) {
      std::vector<std::string> names;
      for (const Element& e : model_.forces) names.push_back(e.name);
      const std::string near = nearest_name(name, names);
      return told("model.unknown-name",
                  fmt::format("solve_for = \"{}\"", target_),
                  "force.setting, such as \"spring.free_length\"",
                  !near.empty() ? fmt::format("did you mean the force '{}'?", near)
                                : fmt::format("forces: {}", fmt::join(names, ", ")));
    }
    element_ = static_cast<std::size_t>(found - model_.forces.begin());
    const std::vector<NumberKey> keys = number_keys(*found, model_.space);
    const std::string wanted = target_.substr(dot + 1);
    const auto key = std::find_if(
        keys.begin(), keys.end(), [&](const NumberKey& k) { return k.name == wanted; });
    if (key == keys.end()) {
      std::vector<std::string> names;
      for (const NumberKey& k : keys) names.push_back(k.name);
      return told(
          "model.unknown-key",
          fmt::format(
              "solve_for = \"{}\", a setting that {} does not have", target_, found->words()),
          fmt::format("one of {}", fmt::join(names, ", ")));
    }
    key_ = *key;
    return take_present(*found);
  }

  std::optional<Diagnostic> take_present(const Element& e) {
    // of the size of the mechanism's own numbers, where the model gives none
    size_ = 1;
    x_ = 1;
    if (const Setting* now = e.find(key_.name)) {
      if (const auto* number = std::get_if<double>(now)) x_ = *number;
      if (const auto* formula = std::get_if<Expression>(now)) {
        if (!formula->constant())
          return told("model.bad-value",
                      fmt::format("solve_for = \"{}\", which is a formula in the model", target_),
                      "a setting that is a number",
                      "solve for another setting, or write a number there");
        x_ = formula->value({});
      }
      before_ = x_;
      if (x_ != 0) size_ = std::abs(x_);
    }
    return {};
  }

  Model with(double x) const {
    Model changed = model_;
    Element& e = changed.forces[element_];
    const Setting value = key_.formula ? Setting(Expression(x)) : Setting(x);
    for (auto& [key, setting] : e.settings)
      if (key == key_.name) {
        setting = value;
        return changed;
      }
    e.settings.emplace_back(key_.name, value);
    return changed;
  }

  bool balance(double x) {
    auto compiled = compile(with(x));
    if (!compiled) return false;
    ForceBalance at(compiled.value(), pose_.mobility, pose_.state);
    at.find_twists(pose_.state.q);
    at.evaluate(pose_.state.q);
    g_ = null_space_qr(at.jacobian()).transpose() * at.b();
    force_ =
        std::max(force_, at.largest_force());  // in balance itself there is none to compare with
    return g_.allFinite();
  }

  Preload found() {
    Preload out{with(x_), {target_, key_.unit, x_, before_, 0}};
    out.solved.force_left = g_.cwiseAbs().maxCoeff();
    return out;
  }

  const Model& model_;
  const Assembly& pose_;
  std::string target_;
  SourcePos where_;
  std::size_t element_ = 0;
  NumberKey key_;
  double x_ = 0, size_ = 1, force_ = 0, before_ = std::numeric_limits<double>::quiet_NaN();
  Eigen::VectorXd g_;
};

}  // namespace

Result<Preload> find_preload(const Model& model,
                             const Assembly& pose,
                             const std::string& target,
                             const SourcePos& where) {
  return PreloadSearch(model, pose, target, where).go();
}

}  // namespace cardan
