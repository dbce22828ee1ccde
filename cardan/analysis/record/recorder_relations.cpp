// What the user sees of equations by formulas, phi(t, y(q)) = 0: the generalized force -lambda along
// the value of the formula, and on every body -phi_q^T lambda as a force and a torque about its mass
// centre, in ground axes. And channels that are there where they were asked for.
#include <cmath>

#include <fmt/format.h>

#include "cardan/analysis/record/recorder.h"
#include "cardan/math/elementary.h"

namespace cardan {

namespace {

std::size_t nth(int k) {
  return static_cast<std::size_t>(k);
}

double norm_of(CView values, const std::vector<int>& rows) {
  double sum = 0;
  for (const int r : rows) sum = elementary::hypot(sum, values[nth(r)]);
  return sum;
}

double norm_of(CView values) {
  double sum = 0;
  for (const double x : values) sum = elementary::hypot(sum, x);
  return sum;
}

}  // namespace

void Recorder::find_relations() {
  for (std::size_t c = 0; c < system_.constraints().size(); ++c) {
    const auto& info = system_.constraints()[c];
    if (info.description == nullptr ||
        !std::holds_alternative<FormulaRelation>(info.description->make))
      continue;
    relations_.push_back({static_cast<int>(c), block_of_row_[nth(info.rows.front())]});
  }
}

void Recorder::name_relations() {
  const bool planar = system_.space() == Space::planar;
  for (const auto& relation : relations_) {
    const auto& info = system_.constraints()[nth(relation.constraint)];
    const std::string e = "joint " + info.name;
    add_channel(info.name + ".force", info.force_unit, e, "reaction");
    for (const auto& term :
         system_.equations().terms(system_.equations().blocks()[nth(relation.block)])) {
      const std::string n = info.name + "." + system_.bodies()[nth(term.body)].name + ".";
      for (const char* k : {"fx", "fy"}) add_channel(n + k, "N", e, "reaction");
      if (planar) {
        add_channel(n + "torque", "N*m", e, "reaction");
        continue;
      }
      add_channel(n + "fz", "N", e, "reaction");
      for (const char* k : {"mx", "my", "mz"}) add_channel(n + k, "N*m", e, "reaction");
    }
  }
}

// In the plane (fx, fy, torque, 0, 0, 0).
Vec<6> Recorder::relation_wrench(const RelationPlan& relation, int term, const State& state) const {
  const auto& block = system_.equations().blocks()[nth(relation.block)];
  const auto& of = system_.equations().terms(block)[nth(term)];
  Vec<6> w = Vec<6>::Zero();
  for (int c = 0; c < system_.body_size(); ++c)
    w[c] = -work_.packed[nth(of.offset + c)] * state.lambda[nth(block.first_row)];
  if (system_.space() == Space::spatial) w.tail<3>() = turn_of(of.body) * w.tail<3>().eval();
  return w;
}

double* Recorder::put_relations(const State& state, double* out) const {
  for (const auto& relation : relations_) {
    const auto& block = system_.equations().blocks()[nth(relation.block)];
    *out++ = -state.lambda[nth(block.first_row)];
    for (int k = 0; k < block.term_count; ++k) {
      const Vec<6> w = relation_wrench(relation, k, state);
      out = std::copy_n(w.data(), system_.body_size(), out);
    }
  }
  return out;
}

// The ground, where a formula measures against it, gets the opposite of all, about its origin.
void Recorder::add_relation_resultants(const State& state, double* out) const {
  const bool planar = system_.space() == Space::planar;
  const int n = system_.body_size(), bodies = system_.body_count();
  for (const auto& relation : relations_) {
    const auto& block = system_.equations().blocks()[nth(relation.block)];
    double* on_ground = out + std::ptrdiff_t{n} * bodies;
    for (int k = 0; k < block.term_count; ++k) {
      const int body = system_.equations().terms(block)[nth(k)].body;
      const Vec<6> w = relation_wrench(relation, k, state);
      const double* at = state.q.data() + system_.layout().q(body);
      for (int c = 0; c < n; ++c) out[std::ptrdiff_t{n} * body + c] += w[c];
      if (block.sides == block.term_count) continue;
      if (planar) {
        on_ground[0] -= w[0];
        on_ground[1] -= w[1];
        on_ground[2] -= w[2] + at[0] * w[1] - at[1] * w[0];
        continue;
      }
      const Vec<3> force = w.head<3>(), moment = w.tail<3>() + Vec<3>(at).cross(force);
      for (int c = 0; c < 3; ++c) {
        on_ground[c] -= force[c];
        on_ground[3 + c] -= moment[c];
      }
    }
  }
}

void Recorder::name_wishes() {
  if (wishes_.gains) {
    add_channel("stabilization.alpha", "1/s", "", "step");
    add_channel("stabilization.beta", "1/s", "", "step");
  }
  if (wishes_.residuals) {
    add_channel("residual.position_norm", "m", "", "residual");
    add_channel("residual.velocity_norm", "m/s", "", "residual");
  }
  if (!wishes_.residuals && !wishes_.multipliers) return;
  for (const auto& info : system_.constraints()) {
    if (info.kind != Kind::joint && info.kind != Kind::driver) continue;
    const std::string e = info.words();
    if (wishes_.residuals) {
      add_channel(info.name + ".residual", "m", e, "residual");
      add_channel(info.name + ".residual_rate", "m/s", e, "residual");
    }
    // Equations of one's own show theirs always.
    const bool multipliers = wishes_.multipliers && system_.own() == nullptr;
    for (std::size_t k = 0; multipliers && k < info.rows.size(); ++k) {
      const std::string name = info.rows.size() == 1
                                   ? info.name + ".lambda"
                                   : fmt::format("{}.lambda.{}", info.name, k + 1);
      const bool turns = system_.unit_kind(info.rows[k]) == UnitKind::angle;
      const bool formula = std::holds_alternative<FormulaRelation>(info.description->make);
      add_channel(name, formula ? info.force_unit : turns ? "N*m" : "N", e, "multiplier");
    }
  }
}

double* Recorder::put_wishes(const State& state, const StepInfo& step, double* out) const {
  if (wishes_.gains) {
    *out++ = step.alpha;
    *out++ = step.beta;
  }
  if (wishes_.residuals) {
    *out++ = norm_of(position_rows_);
    *out++ = norm_of(velocity_rows_);
  }
  if (!wishes_.residuals && !wishes_.multipliers) return out;
  for (const auto& info : system_.constraints()) {
    if (info.kind != Kind::joint && info.kind != Kind::driver) continue;
    if (wishes_.residuals) {
      *out++ = norm_of(position_rows_, info.rows);
      *out++ = norm_of(velocity_rows_, info.rows);
    }
    const bool multipliers = wishes_.multipliers && system_.own() == nullptr;
    for (std::size_t k = 0; multipliers && k < info.rows.size(); ++k)
      *out++ = state.lambda[nth(info.rows[k])];
  }
  return out;
}

}  // namespace cardan
