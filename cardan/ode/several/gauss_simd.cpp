#include "cardan/ode/several/gauss_simd.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardan/math/elementary.h"

namespace cardan {

namespace {

constexpr int most_passes = 30;
constexpr double most_left = 0.1;       // of the tolerance: what the iteration may leave
constexpr double round_off_left = 0.1;  // of the tolerance: changes below that no longer fall
constexpr double no_gain = 0.6;         // a pass that leaves more of the change before
constexpr double told_by = 10;          // tolerances: first changes that are no round-off
constexpr double best_rate = 0.14;  // steps with slower iterations cost more than two shorter ones
constexpr double first_rate = 0.5;  // assumed of the first pass
// The first steps are far too short, and what is left of them for an estimate is round-off: while errors are so
// small, steps grow by half of what they allow, and by less than this.
constexpr double short_step = 1e-4, first_growth = 10, no_error = 1e-32;
constexpr double first_bend = 0.01, most_longer = 300;  // of the first step
constexpr double far_ahead = 2.5;  // steps over which the polynomial is not continued
constexpr double too_large =
    1.5;  // of the tolerance: an error with which the iteration is not ended

const CollocationRule& rule_of(int nodes) {
  static const CollocationRule four(4), eight(8), sixteen(16);
  return nodes == 4 ? four : nodes == 8 ? eight : sixteen;
}

std::size_t at(int k) {
  return static_cast<std::size_t>(k);
}

}  // namespace

GaussSimd::GaussSimd(OdeProblem& problem, const Traits& traits, int stages)
    : BasicMethod(problem, traits), s_(stages), rule_(rule_of(stages)), fine_(rule_of(2 * stages)) {
  controller_.exponent = 1.0 / (2 * stages);
  controller_.beta = 0;
  controller_.safety = 0.8;
  controller_.grow = 2;
  const std::size_t square = at(s_ * s_);
  unit_columns_.resize(square);
  legendre_columns_.resize(square);
  for (int j = 0; j < s_; ++j)
    for (int i = 0; i < s_; ++i) {
      unit_columns_[at(j * s_ + i)] = rule_.integral(j, rule_.node(i));
      legendre_columns_[at(j * s_ + i)] = rule_.legendre(i, j);
    }
  fine_columns_.resize(4 * square);  // block by block: those of states a from rates b
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b)
      for (int j = 0; j < s_; ++j)
        for (int i = 0; i < s_; ++i)
          fine_columns_[at(((2 * a + b) * s_ + j) * s_ + i)] =
              fine_.integral(b * s_ + j, fine_.node(a * s_ + i));
  columns_.resize(square);
  scaled_.resize(4 * square);
  times_.resize(at(s_));
}

// Components in an order in which rates come before what they are rates of.
void GaussSimd::order_components() {
  direct_.clear();
  derived_.clear();
  const auto rate = problem_.rate_components();
  source_.assign(n_, -1);
  const int coupled = static_cast<int>(n_) - problem_.quadratures();
  for (int i = 0; i < coupled; ++i) {
    int end = i;
    for (std::size_t steps = 0; !rate.empty() && rate[at(end)] >= 0 && steps <= n_; ++steps)
      end = rate[at(end)];
    const bool chain = !rate.empty() && rate[at(i)] >= 0 && rate[at(end)] < 0 && end < coupled;
    if (chain) source_[at(i)] = rate[at(i)];
    (chain ? derived_ : direct_).push_back(i);
  }
  const auto depth = [&](int i) {
    int steps = 0;
    for (; source_[at(i)] >= 0; i = source_[at(i)]) ++steps;
    return steps;
  };
  std::stable_sort(
      derived_.begin(), derived_.end(), [&](int a, int b) { return depth(a) < depth(b); });
}

Eval GaussSimd::start(double t, CView y, const Tolerance& tolerance) {
  n_ = at(problem_.size());
  problem_.reserve_several(s_);
  order_components();
  const std::size_t size = n_ * at(s_);
  for (Numbers* x : {&states_, &rates_, &fresh_, &last_}) x->assign(size, 0.0);
  weights_.assign(n_, 0.0);
  error_weights_ = weights_;
  sums_.assign(n_, 0.0);
  for (Block& block : block_) {
    block.rates.assign(size, 0.0);
    block.states = block.rates;
    block.times.assign(at(s_), 0.0);
  }
  h_last_ = h_tried_ = rate_ = 0;
  ready_ = false;
  starting_ = true;
  const Eval e = BasicMethod::start(t, y, tolerance);
  end_ = end_last_ = y_;
  return e;
}

// From rest the usual estimate is far too short for this order. What h^2 |y''| / 2 makes of y itself tells more: it
// is to be small beside max(|y|, atol / rtol).
double GaussSimd::initial_step(double t_end) {
  const double usual = BasicMethod::initial_step(t_end);
  if (usual == 0) return usual;
  y_new_ = y_ + usual * f_;
  if (problem_.evaluate(t_ + usual, view(y_new_), view(error_)) != Eval::ok) return usual;
  error_ -= f_;
  const double bend = norm_(view(error_)) / std::abs(usual) * norm_.rtol();
  const double most = std::min(std::abs(t_end - t_), most_longer * std::abs(usual));
  const double size = bend > 0 ? std::sqrt(2 * first_bend / bend) : most;
  return std::copysign(std::max(std::abs(usual), std::min(size, most)), usual);
}

// ---- one step

// The polynomial through rates at the nodes, at from + ratio c_i.
void GaussSimd::continue_rates(double from, double ratio, CView rates, View out) const {
  double columns[64], values[16];
  for (int i = 0; i < s_; ++i) {
    rule_.lagrange(from + ratio * rule_.node(i), values);
    for (int j = 0; j < s_; ++j) columns[j * s_ + i] = values[j];
  }
  sum_stages(s_, direct_, CView(columns, at(s_ * s_)), rates, out, true);
}

void GaussSimd::begin_rates(double h) {
  if (h_tried_ != 0 && std::abs(h) <= std::abs(h_tried_)) {
    fresh_ = rates_;
    continue_rates(0, h / h_tried_, fresh_, rates_);
  } else if (h_last_ != 0) {
    const double ratio = h / h_last_;
    continue_rates(1, ratio < far_ahead ? ratio : 0, last_, rates_);
  } else {
    for (const int i : direct_) std::fill_n(&rates_[at(i * s_)], s_, f_[i]);
  }
}

// A component that is the rate of another counts with what its changes make there.
void GaussSimd::weigh_rates(double h, CView y) {
  norm_.weigh(y);
  const CView w = norm_.weights();
  for (std::size_t i = 0; i < n_; ++i) weights_[i] = std::abs(h) * w[i];
  for (const int i : derived_) {
    int k = i;
    double factor = std::abs(h);
    for (; source_[at(k)] >= 0; k = source_[at(k)]) factor *= std::abs(h);
    const double there = factor * w[at(i)];
    weights_[at(k)] = std::sqrt(weights_[at(k)] * weights_[at(k)] + there * there);
  }
}

double GaussSimd::norm_of(const StageSizes& sizes) const {
  double most = 0;
  for (int j = 0; j < s_; ++j) most = std::max(most, norm_.of(sizes.largest[j], sizes.squares[j]));
  return most;
}

// States at the nodes of components whose rates are other ones.
void GaussSimd::follow_rates() {
  for (const int i : derived_) {
    std::copy_n(&states_[at(source_[at(i)] * s_)], s_, &rates_[at(i * s_)]);
    const int row[] = {i};
    add_stages(s_, row, view(y_), columns_, rates_, states_);
  }
}

Attempt::Kind GaussSimd::iterate(double h, bool may_give_up) {
  for (std::size_t k = 0; k < columns_.size(); ++k) columns_[k] = h * unit_columns_[k];
  for (int i = 0; i < s_; ++i) times_[at(i)] = t_ + rule_.node(i) * h;
  for (std::size_t i = n_ - at(problem_.quadratures()); i < n_; ++i)
    std::fill_n(&states_[i * at(s_)], s_, y_[static_cast<Eigen::Index>(i)]);
  double before = 0, first = 0;
  bool judged = !may_give_up;
  for (int pass = 1; pass <= most_passes; ++pass) {
    add_stages(s_, direct_, view(y_), columns_, rates_, states_);
    follow_rates();
    if (const Eval e = problem_.evaluate_several(s_, times_, states_, fresh_); e != Eval::ok)
      return failed(e);
    StageSizes sizes;
    take_rates(s_, direct_, weights_, fresh_, rates_, sizes);
    const double change = norm_of(sizes);
    if (!std::isfinite(change)) return Attempt::Kind::not_converged;
    const double gain = pass > 1 ? change / before : first_rate;
    if (pass == 1) first = change;
    const bool small = gain < 1 && change * gain <= most_left * (1 - gain);
    if (small || (pass > 2 && gain > no_gain && change <= round_off_left)) {
      rate_ = pass > 2 && first > told_by && change > 0
                  ? elementary::pow(change / first, 1.0 / (pass - 1))
                  : 0;
      return Attempt::Kind::ok;
    }
    // Once what still changes is less than the coefficients that the error follows from, it is known.
    if (!judged && gain < 1) {
      const double error = estimate();
      judged = change < last_coefficient_;
      given_up_ = judged && error > too_large;
      if (given_up_) return Attempt::Kind::ok;
    }
    if (pass > 2 && gain > 1.5) break;
    if (pass > 4 && gain >= 1) break;
    before = change;
  }
  return Attempt::Kind::not_converged;
}

double GaussSimd::estimate() {
  StageSizes sizes;
  const CView w = norm_.weights();
  for (std::size_t i = 0; i < n_; ++i) error_weights_[i] = std::abs(h_) * w[i];
  project_rates(s_, error_weights_, legendre_columns_, rates_, sums_, sizes);
  double d[8];
  for (int k = 0; k < s_; ++k) d[k] = norm_.of(sizes.largest[k], sizes.squares[k]);
  const double last = last_coefficient_ = std::max(d[s_ - 1], d[s_ - 2]);
  if (!(last > 0)) return last;
  const auto ratio = [](double of, double to) {
    return to > of ? of / to : 1.0;
  };
  if (s_ == 4) return last * elementary::pow(ratio(last, d[1]), 5.5 / 1.5);
  const double r2 =
      std::max(ratio(last, std::max(d[4], d[5])), std::sqrt(ratio(last, std::max(d[2], d[3]))));
  return last * r2 * r2 * r2 * r2 * std::sqrt(std::sqrt(r2 * r2 * r2));
}

Attempt GaussSimd::attempt(double h) {
  ready_ = false;  // nobody looks back once the next step is tried
  h_ = h;
  weigh_rates(h, view(y_));
  begin_rates(h);
  h_tried_ = 0;
  given_up_ = false;
  const Attempt::Kind kind = iterate(h, true);
  if (kind != Attempt::Kind::ok) return {kind, 0};
  if (!given_up_)
    if (const Eval e = complete(); e != Eval::ok) return {failed(e), 0};
  h_tried_ = h;
  norm_.weigh(view(y_));
  return {Attempt::Kind::ok, estimate()};
}

// The end of the step, from rates that were iterated.
Eval GaussSimd::complete() {
  if (problem_.quadratures() > 0)
    if (const Eval e = problem_.evaluate_quadratures(s_, times_, states_, rates_); e != Eval::ok)
      return e;
  add_stages(s_, direct_, view(y_), columns_, rates_, states_);
  follow_rates();
  norm_.weigh(view(y_));
  (void)estimate();  // sums_
  for (std::size_t i = 0; i < n_; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    y_new_[k] = y_[k] + h_ * sums_[i];
  }
  end_ = y_new_;
  return Eval::ok;
}

// One that was given up is finished, for those who take it all the same.
Eval GaussSimd::accept(bool) {
  if (given_up_) {
    given_up_ = false;
    if (iterate(h_, false) != Attempt::Kind::ok) return Eval::retry;
    if (const Eval e = complete(); e != Eval::ok) return e;
  }
  last_.swap(rates_);
  end_last_.swap(end_);
  h_last_ = h_;
  h_tried_ = 0;
  ready_ = false;
  shift();
  return Eval::ok;
}

Choice GaussSimd::next(const Attempt& a) {
  double h = controller_.after_accept(h_, a.error);
  starting_ = starting_ && a.error < short_step;
  if (starting_) {
    const double factor = 0.5 * elementary::pow(std::max(a.error, no_error), -controller_.exponent);
    h = h_ * std::clamp(factor, controller_.grow, first_growth);
  }
  if (rate_ > 0) {
    const double most = std::abs(h_) * std::max(0.5, std::sqrt(best_rate / rate_));
    h = std::copysign(std::min(std::abs(h), most), h);
  }
  return {h, order()};
}

Choice GaussSimd::retry(const Attempt& a) {
  starting_ = false;
  const bool measured = a.kind == Attempt::Kind::ok;
  return {measured ? controller_.after_reject(h_, a.error) : controller_.after_failure(h_),
          order()};
}

// ---- between the nodes

// States of both blocks from the rates of both.
void GaussSimd::spread_interpolant(std::span<const int> rows) {
  const std::size_t square = at(s_ * s_);
  for (std::size_t a = 0; a < 2; ++a) {
    const CView columns(scaled_);
    add_stages(s_,
               rows,
               view(y_old_),
               columns.subspan(2 * a * square, square),
               block_[0].rates,
               block_[a].states);
    sum_stages(s_,
               rows,
               columns.subspan((2 * a + 1) * square, square),
               block_[1].rates,
               block_[a].states,
               false);
  }
}

Eval GaussSimd::pass_interpolant(double& change) {
  spread_interpolant(direct_);
  for (const int i : derived_) {
    for (Block& block : block_)
      std::copy_n(&block.states[at(source_[at(i)] * s_)], s_, &block.rates[at(i * s_)]);
    const int row[] = {i};
    spread_interpolant(row);
  }
  change = 0;
  for (Block& block : block_) {
    Eval e = problem_.evaluate_several(s_, block.times, block.states, fresh_);
    if (e == Eval::ok && problem_.quadratures() > 0)
      e = problem_.evaluate_quadratures(s_, block.times, block.states, block.rates);
    if (e != Eval::ok) return e;
    StageSizes sizes;
    take_rates(s_, direct_, weights_, fresh_, block.rates, sizes);
    change = std::max(change, norm_of(sizes));
  }
  return Eval::ok;
}

Eval GaussSimd::prepare_interpolant() {
  const double h = h_last_;
  for (std::size_t k = 0; k < scaled_.size(); ++k) scaled_[k] = h * fine_columns_[k];
  weigh_rates(h, view(y_old_));
  double columns[64], values[16];
  for (int a = 0; a < 2; ++a) {
    Block& block = block_[a];
    for (int i = 0; i < s_; ++i) {
      const double node = fine_.node(a * s_ + i);
      block.times[at(i)] = t_old_ + node * h;
      rule_.lagrange(node, values);
      for (int j = 0; j < s_; ++j) columns[j * s_ + i] = values[j];
    }
    sum_stages(s_, direct_, CView(columns, at(s_ * s_)), last_, block.rates, true);
    for (std::size_t i = n_ - at(problem_.quadratures()); i < n_; ++i)
      std::fill_n(&block.states[i * at(s_)], s_, y_old_[static_cast<Eigen::Index>(i)]);
  }
  double before = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < most_passes; ++pass) {
    double change = 0;
    if (const Eval e = pass_interpolant(change); e != Eval::ok) return e;
    if (change * change <= most_left * std::max(0.0, before - change) || change >= before) break;
    before = change;
  }
  ready_ = true;
  return Eval::ok;
}

Eval GaussSimd::interpolate(double t, View y) {
  if (t == t_ || h_last_ == 0) {
    as_vector(y) = y_;
    return Eval::ok;
  }
  if (!ready_)
    if (const Eval e = prepare_interpolant(); e != Eval::ok) return e;
  double weight[16];
  const double theta = (t - t_old_) / h_last_;
  fine_.integrals(theta, weight);
  for (std::size_t i = 0; i < n_; ++i) {
    double sum = 0;
    for (std::size_t a = 0; a < 2; ++a)
      for (int j = 0; j < s_; ++j)
        sum += weight[a * at(s_) + at(j)] * block_[a].rates[i * at(s_) + at(j)];
    const auto k = static_cast<Eigen::Index>(i);
    y[i] =
        y_old_[k] + h_last_ * sum + theta * (y_[k] - end_last_[k]);  // a projection moved the end
  }
  return Eval::ok;
}

void GaussSimd::serialize(Archive& a) {
  BasicMethod::serialize(a);
  for (Numbers* x : {&last_, &block_[0].rates, &block_[1].rates}) a.io(*x);
  a.io(end_last_);
  a.io(h_last_);
  a.io(rate_);
  a.io(ready_);
  a.io(starting_);
  if (a.loading()) h_tried_ = 0;
}

}  // namespace cardan
