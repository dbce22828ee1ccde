#include "cardan/system/request_slopes.h"

#include <algorithm>

namespace cardan {

namespace {

using Gradient = RequestSlopes::Gradient;
using Source = System::RequestInfo::Source;

std::size_t place(int k) {
  return static_cast<std::size_t>(k);
}

void unite(std::vector<int>& all, const std::vector<int>& more) {
  all.insert(all.end(), more.begin(), more.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

void unite(Gradient& all, const Gradient& more) {
  unite(all.bodies, more.bodies);
  unite(all.states, more.states);
  unite(all.inputs, more.inputs);
}

void reserve(Gradient& g, std::size_t n) {
  g.q.assign(n * g.bodies.size(), 0.0);
  g.v = g.q;
  g.z.assign(g.states.size(), 0.0);
  g.u.assign(g.inputs.size(), 0.0);
}

const Equations::Block& block_of_row(const Equations& equations, int row) {
  const auto blocks = equations.blocks();
  return *std::prev(
      std::upper_bound(blocks.begin(), blocks.end(), row, [](int r, const Equations::Block& b) {
        return r < b.first_row;
      }));
}

}  // namespace

RequestSlopes::RequestSlopes(const System& system)
    : system_(system),
      n_(place(system.body_size())),
      value_(system.requests().size()),
      rate_(value_),
      packed_(place(system.request_equations().packed_size())),
      q_(place(system.v_size())),
      v_(q_),
      z_(place(system.states().size())),
      u_(system.model_inputs().size()) {
  find_measures();
  for (const auto& what : system.evaluations()) find_formula(what);
  std::size_t most = 3;
  for (const auto& info : system.requests()) most = std::max(most, 3 + 2 * info.inputs.size());
  arguments_.resize(most);
  direction_ = slope_ = bend_ = arguments_;
  for (Gradient& g : value_) reserve(g, n_);
  for (Gradient& g : rate_) reserve(g, n_);
}

void RequestSlopes::find_measures() {
  const Equations& equations = system_.request_equations();
  for (std::size_t k = 0; k < value_.size(); ++k) {
    const auto& info = system_.requests()[k];
    if (info.source == Source::state) value_[k].states = {info.place};
    if (info.source == Source::input && system_.model_inputs()[place(info.place)].motion == nullptr)
      value_[k].inputs = {info.place};
    if (info.source != Source::computed || info.row < 0) continue;
    for (const auto& term : equations.terms(block_of_row(equations, info.row)))
      unite(value_[k].bodies, {term.body});
    rate_[k].bodies = value_[k].bodies;
  }
}

void RequestSlopes::find_formula(const System::Evaluation& what) {
  const auto& info = system_.requests()[place(what.request)];
  const bool state = info.source == Source::state;
  for (std::size_t i = 0; i < info.inputs.size(); ++i) {
    const auto input = place(info.inputs[i]);
    const bool reads_value = info.formula.uses(static_cast<int>(3 + 2 * i)),
               reads_rate = info.formula.uses(static_cast<int>(4 + 2 * i));
    for (Gradient* g : {&value_[place(what.request)], &rate_[place(what.request)]}) {
      const bool of_value = g == &value_[place(what.request)];
      if (of_value && (state || !what.value)) continue;
      if (!of_value && !what.rate) continue;
      if (reads_value) unite(*g, value_[input]);
      if (reads_rate || (!of_value && !state && reads_value)) unite(*g, rate_[input]);
    }
  }
}

void RequestSlopes::evaluate(double t, CView q, CView v, Workspace& w) {
  if (value_.empty()) return;
  measures(t, q, v, w);
  for (const auto& what : system_.evaluations()) formula(what, t, w);
}

void RequestSlopes::measures(double t, CView q, CView v, const Workspace& w) {
  const Equations& equations = system_.request_equations();
  const Config here = system_.config(t, q, w);
  std::fill(packed_.begin(), packed_.end(), 0.0);
  for (std::size_t p = 0; p < equations.pools().size(); ++p)
    equations.pools()[p]->add_phi_q_a_q(here, v, 1, {packed_.data(), equations.slots(p)});
  for (std::size_t k = 0; k < value_.size(); ++k) {
    const auto& info = system_.requests()[k];
    if (info.source != Source::computed) {
      std::fill(value_[k].z.begin(), value_[k].z.end(), 1.0);
      std::fill(value_[k].u.begin(), value_[k].u.end(), 1.0);
      continue;
    }
    if (info.row < 0) continue;
    const auto& block = block_of_row(equations, info.row);
    Gradient &value = value_[k], &rate = rate_[k];
    for (std::vector<double>* x : {&value.q, &rate.q}) std::fill(x->begin(), x->end(), 0.0);
    for (const auto& term : equations.terms(block)) {
      const auto body = std::lower_bound(value.bodies.begin(), value.bodies.end(), term.body);
      const auto first = n_ * static_cast<std::size_t>(body - value.bodies.begin());
      for (std::size_t c = 0; c < n_; ++c) {
        const std::size_t from =
            place(term.offset) + c * place(block.rows) + place(info.row - block.first_row);
        value.q[first + c] += w.request_packed[from];
        rate.q[first + c] += packed_[from];
      }
    }
    rate.v = value.q;
  }
}

void RequestSlopes::formula(const System::Evaluation& what, double t, const Workspace& w) {
  const auto& info = system_.requests()[place(what.request)];
  const std::size_t used = 3 + 2 * info.inputs.size();
  const bool state = info.source == Source::state;
  arguments_[0] = t;
  arguments_[1] = arguments_[2] = 0;
  std::fill_n(direction_.begin(), used, 0.0);
  direction_[0] = 1;
  for (std::size_t i = 0; i < info.inputs.size(); ++i) {
    const auto input = place(info.inputs[i]);
    arguments_[3 + 2 * i] = w.request_value[input];
    arguments_[4 + 2 * i] = direction_[3 + 2 * i] = w.request_rate[input];
  }
  const CView arguments = CView(arguments_).first(used);
  const View slope = View(slope_).first(used), bend = View(bend_).first(used);
  const auto sides = system_.inputs(w).sides;
  if (what.rate && !state)
    info.formula.bend(arguments, CView(direction_).first(used), slope, bend, sides);
  else
    info.formula.gradient(arguments, slope, sides);
  const auto sum = [&](Gradient& g, CView factors, bool with_rates) {
    clear(g);
    for (std::size_t i = 0; i < info.inputs.size(); ++i) {
      const auto input = place(info.inputs[i]);
      if (factors[3 + 2 * i] != 0) add(factors[3 + 2 * i], value_[input]);
      const double to_rate = factors[4 + 2 * i] + (with_rates ? slope[3 + 2 * i] : 0);
      if (to_rate != 0) add(to_rate, rate_[input]);
    }
    take(g);
  };
  if (state) {
    sum(rate_[place(what.request)], slope, false);
    return;
  }
  if (what.value) sum(value_[place(what.request)], slope, false);
  if (what.rate) sum(rate_[place(what.request)], bend, true);
}

void RequestSlopes::clear(const Gradient& g) {
  for (const int b : g.bodies) {
    std::fill_n(q_.begin() + static_cast<std::ptrdiff_t>(n_ * place(b)), n_, 0.0);
    std::fill_n(v_.begin() + static_cast<std::ptrdiff_t>(n_ * place(b)), n_, 0.0);
  }
  for (const int k : g.states) z_[place(k)] = 0;
  for (const int k : g.inputs) u_[place(k)] = 0;
}

void RequestSlopes::add(double factor, const Gradient& g) {
  for (std::size_t b = 0; b < g.bodies.size(); ++b)
    for (std::size_t c = 0; c < n_; ++c) {
      const std::size_t to = n_ * place(g.bodies[b]) + c;
      q_[to] += factor * g.q[n_ * b + c];
      v_[to] += factor * g.v[n_ * b + c];
    }
  for (std::size_t k = 0; k < g.states.size(); ++k) z_[place(g.states[k])] += factor * g.z[k];
  for (std::size_t k = 0; k < g.inputs.size(); ++k) u_[place(g.inputs[k])] += factor * g.u[k];
}

void RequestSlopes::take(Gradient& g) const {
  for (std::size_t b = 0; b < g.bodies.size(); ++b)
    for (std::size_t c = 0; c < n_; ++c) {
      g.q[n_ * b + c] = q_[n_ * place(g.bodies[b]) + c];
      g.v[n_ * b + c] = v_[n_ * place(g.bodies[b]) + c];
    }
  for (std::size_t k = 0; k < g.states.size(); ++k) g.z[k] = z_[place(g.states[k])];
  for (std::size_t k = 0; k < g.inputs.size(); ++k) g.u[k] = u_[place(g.inputs[k])];
}

}  // namespace cardan
