#include "cardan/system/joint_schur.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "cardan/element/element_pool.h"
#include "cardan/element/planar/planar_primitive.h"
#include "cardan/element/spatial/spatial_primitive.h"
#include "cardan/system/pin_kernel.h"
#include "cardan/system/schur_assembly.h"

namespace cardan {

namespace {

using namespace elimination;

constexpr double pivot_tolerance = 1e-11;  // below: the equation depends on the others
constexpr double residual_aim = 1e-13;     // refine until here
constexpr int max_refinements = 3;
// Relative pivots from which the residual of few joints is not looked at: it is that of round-off.
constexpr double sound_pivot = 0.02;
constexpr std::size_t few_columns = 64;
constexpr double extreme_ratio = 1e8;  // m l^2 / J from which S is not trusted at all

std::size_t nth(int k) {
  return static_cast<std::size_t>(k);
}

template <class P> const ElementPool<Pair<P>>* pool_of(const ConstraintPool& pool) {
  return dynamic_cast<const ElementPool<Pair<P>>*>(&pool);
}

// Point and axis of a hinge stand at the same place of their lists: what both read and write is still near.
constexpr std::size_t rows_at_once = 32;

template <class Rows>
std::span<const Rows> some_of(const std::vector<Rows>& list, std::size_t first) {
  first = std::min(first, list.size());
  return std::span(list).subspan(first, std::min(rows_at_once, list.size() - first));
}

bool turns_only(const ConstraintPool& pool) {
  return pool_of<Angle>(pool) != nullptr || pool_of<Parallel1>(pool) != nullptr;
}

}  // namespace

bool trusts_schur(const MassMatrix& mass, double length) {
  return mass.regular() && mass.worst_ratio(length) < extreme_ratio;
}

JointSchur::JointSchur(const System& system)
    : system_(system),
      equations_(system.equations()),
      plan_(system.schur_plan()->elimination()),
      forces_(system),
      n_v_(system.body_size()),
      anchored_(plan_.incidences().size(), 0),
      held_(plan_.equation().size(), 1),
      kernel_(plan_.columns().size(), 0),
      lambda_(plan_.equation().size(), 0.0),
      pivots_(lambda_.size(), 1.0),
      sizes_(pivots_),
      floor_(lambda_.size(), std::numeric_limits<double>::infinity()),
      skipped_(lambda_.size(), 0) {
  lay_out();
  const MassMatrix& mass = system.mass();
  const int kept = n_v_ == 3 ? 3 : 7;
  std::vector<double> unit(nth(n_v_ * n_v_), 0.0), C(unit);
  for (int k = 0; k < n_v_; ++k) unit[nth(k * n_v_ + k)] = 1;
  weight_.reserve(nth(kept * system.body_count()));
  for (int b = 0; b < system.body_count(); ++b) {
    mass.weigh(b, n_v_, unit.data(), C.data());  // C^-T
    const auto at = [&](int r, int c) {
      return C[nth(r * n_v_ + c)];
    };
    if (n_v_ == 3)
      weight_.insert(weight_.end(), {at(0, 0), at(1, 1), at(2, 2)});
    else
      weight_.insert(weight_.end(),
                     {at(0, 0), at(3, 3), at(4, 3), at(4, 4), at(5, 3), at(5, 4), at(5, 5)});
  }
  place_blocks();
  for (int p = 0; p < static_cast<int>(equations_.pools().size()); ++p)
    if (!(n_v_ == 3 ? add_pins(p) : add_balls(p) || add_axes(p))) add_parts(p);
  activate(std::vector<char>(plan_.equation().size(), 1));
}

void JointSchur::lay_out() {
  const int D = n_v_ == 3 ? 2 : 3;
  const std::size_t sizes[] = {nth(turns_of(D, plan_.weight_size())),
                               nth(others_of(D, plan_.weight_size())),
                               plan_.incidences().size(),
                               nth(plan_.block_size()),
                               nth(plan_.pivot_size()),
                               nth(plan_.product_size()),
                               lambda_.size(),
                               lambda_.size(),
                               nth(system_.v_size())};
  std::size_t sum = 0;
  for (const std::size_t size : sizes) sum += size + size % 2;
  if (sum > std::numeric_limits<int>::max())
    throw std::length_error("the constraint matrix is too large");
  all_.assign(sum, 0.0);
  std::size_t first = 0, k = 0;
  for (View* part : {&W_, &others_, &k_, &B_, &inverse_, &product_, &x_, &g_, &y_}) {
    *part = View(all_).subspan(first, sizes[k]);
    first += sizes[k] + sizes[k] % 2;
    ++k;
  }
}

void JointSchur::place_blocks() {
  places_.resize(equations_.blocks().size());
  for (int k = 0; k < static_cast<int>(plan_.columns().size()); ++k) {
    const Column& c = plan_.columns()[nth(k)];
    for (int m = c.first_member; m < c.first_member + c.member_count; ++m) {
      const auto& member = plan_.members()[nth(m)];
      places_[nth(member.block)] = {k, member.row};
    }
  }
}

int JointSchur::incidence_at(const Column& c, int body) const {
  int n = c.first_incidence;
  while (plan_.incidences()[nth(n)].body != body) ++n;
  return n;
}

bool JointSchur::add_pins(int number) {
  const ConstraintPool& pool = *equations_.pools()[nth(number)];
  const auto* points = pool_of<Coincident<2>>(pool);
  if (points == nullptr) return false;
  for (int e = 0; e < points->count(); ++e)
    if (points->element(e).body[0] == points->element(e).body[1]) return false;
  for (int e = 0; e < points->count(); ++e) {
    const auto& element = points->element(e);
    const int block = equations_.block_of(number, e);
    const Place& at = places_[nth(block)];
    const Column& c = plan_.columns()[nth(at.column)];
    PinRows pin{c.start + at.row, equations_.blocks()[nth(block)].first_row, 0, {}};
    for (int s = 0; s < 2; ++s) {
      const int body = element.body[nth(s)];
      if (body < 0) continue;
      const double sign = s == 0 ? -1 : 1;
      const int n = incidence_at(c, body), weight = plan_.incidences()[nth(n)].weight;
      const Vec<2>& point = element.primitive.s[nth(s)];
      pin.side[pin.sides++] = {body,
                               turns_of(2, weight) + at.row,
                               sign * point.x(),
                               sign * point.y(),
                               weight_[nth(3 * body + 2)],
                               sign};
      constants_.push_back(
          {n, others_of(2, weight) + at.row, c.size, at.row == 0, sign * weight_[nth(3 * body)]});
    }
    pins_.push_back(pin);
  }
  return true;
}

bool JointSchur::add_balls(int number) {
  const ConstraintPool& pool = *equations_.pools()[nth(number)];
  const auto* points = pool_of<Coincident<3>>(pool);
  if (points == nullptr) return false;
  for (int e = 0; e < points->count(); ++e)
    if (points->element(e).body[0] == points->element(e).body[1]) return false;
  for (int e = 0; e < points->count(); ++e) {
    const auto& element = points->element(e);
    const int block = equations_.block_of(number, e);
    const Place& at = places_[nth(block)];
    const Column& c = plan_.columns()[nth(at.column)];
    BallRows ball{c.start + at.row, equations_.blocks()[nth(block)].first_row, c.size, 0, {}};
    for (int s = 0; s < 2; ++s) {
      const int body = element.body[nth(s)];
      if (body < 0) continue;
      const double sign = s == 0 ? -1 : 1;
      const int n = incidence_at(c, body), weight = plan_.incidences()[nth(n)].weight;
      const double* w = weight_.data() + 7 * body;
      Mat<3, 3> cross, L;
      const Vec<3> point = sign * element.primitive.s[nth(s)];
      cross << 0, -point.z(), point.y(), point.z(), 0, -point.x(), -point.y(), point.x(), 0;
      L << w[1], 0, 0, w[2], w[3], 0, w[4], w[5], w[6];
      BallRows::Side& side = ball.side[ball.sides++];
      side.body = body;
      side.weight = turns_of(3, weight) + at.row;
      side.sign = sign;
      side.s = point;
      side.K = -cross * L.transpose();
      constants_.push_back({n, others_of(3, weight) + at.row, c.size, at.row == 0, sign * w[0]});
    }
    balls_.push_back(ball);
  }
  return true;
}

bool JointSchur::add_axes(int number) {
  const ConstraintPool& pool = *equations_.pools()[nth(number)];
  const auto* list = pool_of<Parallel1>(pool);
  if (list == nullptr) return false;
  for (int e = 0; e < list->count(); ++e)
    if (list->element(e).body[0] == list->element(e).body[1]) return false;
  for (int e = 0; e < list->count(); ++e) {
    const auto& element = list->element(e);
    const int block = equations_.block_of(number, e);
    const Place& at = places_[nth(block)];
    const Column& c = plan_.columns()[nth(at.column)];
    ParallelAxes axes;
    axes.start = c.start + at.row;
    axes.row = equations_.blocks()[nth(block)].first_row;
    axes.stride = c.size;
    for (int s = 0; s < 2; ++s) {
      const int body = element.body[nth(s)];
      if (body < 0) continue;
      const int weight = plan_.incidences()[nth(incidence_at(c, body))].weight;
      axes.side[s] = {body, turns_of(3, weight) + at.row};
    }
    axes.f = element.primitive.s[0];
    axes.g = element.primitive.s[1];
    axes.h = element.primitive.s[2];
    axes_.push_back(axes);
  }
  return true;
}

// Every block of the equations can be weighed from the packed Jacobian; those of other pools always
// are.
void JointSchur::add_parts(int number) {
  const ConstraintPool& pool = *equations_.pools()[nth(number)];
  pools_.push_back(number);
  for (int e = 0; e < pool.count(); ++e) {
    const int block = equations_.block_of(number, e);
    add_part(block, parts_);
    part_blocks_.push_back(block);
  }
}

void JointSchur::add_part(int block, std::vector<Part>& list) const {
  const auto& of = equations_.blocks()[nth(block)];
  const Place& at = places_[nth(block)];
  const Column& c = plan_.columns()[nth(at.column)];
  std::vector<int> met;
  for (const auto& term : equations_.terms(of)) {
    const int n = incidence_at(c, term.body);
    const bool first = std::find(met.begin(), met.end(), term.body) == met.end();
    met.push_back(term.body);
    const int weight = plan_.incidences()[nth(n)].weight, D = n_v_ == 3 ? 2 : 3;
    list.push_back({turns_of(D, weight) + at.row,
                    others_of(D, weight) + at.row,
                    c.size,
                    term.body,
                    term.offset,
                    of.rows,
                    first});
  }
}

// ---- which equations hold

void JointSchur::activate(const std::vector<char>& active) {
  for (std::size_t s = 0; s < held_.size(); ++s) held_[s] = active[nth(plan_.equation()[s])];
  std::fill(anchored_.begin(), anchored_.end(), 0);
  for (const Constant& c : constants_) {
    const int D = n_v_ == 3 ? 2 : 3;
    for (int column = 0; column < D; ++column)
      for (int r = 0; r < D; ++r)
        others_[nth(c.place + column * c.stride + r)] = r == column ? c.k : 0;
    k_[nth(c.incidence)] = c.k;
    anchored_[nth(c.incidence)] = c.at_top ? 1 : 0;
  }
  inactive_.clear();
  keep_rank_ = true;
  for (int k = 0; k < static_cast<int>(plan_.columns().size()); ++k) {
    const Column& c = plan_.columns()[nth(k)];
    bool whole = true, others_turn = true;
    int held = 0;
    for (int i = 0; i < c.size; ++i) held += held_[nth(c.start + i)];
    whole = held == c.size;
    if (!whole) inactive_.push_back(k);
    for (int m = c.first_member + 1; m < c.first_member + c.member_count; ++m)
      others_turn = others_turn && turns_only(*pool_of_block(plan_.members()[nth(m)].block));
    bool point = whole && others_turn;
    for (int n = c.first_incidence; n < c.first_incidence + c.incidence_count; ++n) {
      if (!point) anchored_[nth(n)] = 0;
      point = point && anchored_[nth(n)] != 0;
    }
    keep_rank_ = keep_rank_ && (held == 0 || point);
  }
  choose_kernels();
  std::fill(floor_.begin(), floor_.end(), std::numeric_limits<double>::infinity());
}

const ConstraintPool* JointSchur::pool_of_block(int block) const {
  const auto pools = equations_.pools();
  std::size_t p = pools.size() - 1;
  while (p > 0 && equations_.block_of(static_cast<int>(p), 0) > block) --p;
  return pools[p];
}

void JointSchur::choose_kernels() {
  for (std::size_t k = 0; k < kernel_.size(); ++k) {
    const Column& c = plan_.columns()[k];
    bool uniform = true, anchored = true;
    for (int i = 0; i < c.size; ++i) uniform = uniform && held_[nth(c.start + i)] != 0;
    for (int n = c.first_incidence; n < c.first_incidence + c.incidence_count; ++n)
      anchored = anchored && anchored_[nth(n)] != 0;
    for (int e = c.first_row; e < c.first_row + c.row_count; ++e)
      uniform = uniform && plan_.rows()[nth(e)].size == c.size;
    for (int p = c.first_panel; p < c.first_panel + c.panel_count; ++p) {
      const auto& panel = plan_.panels()[nth(p)];
      uniform = uniform && panel.size == c.size;
      for (int n = panel.first_pair; n < panel.first_pair + panel.pair_count; ++n)
        anchored = anchored && anchored_[nth(plan_.pairs()[nth(n)].i)] != 0;
    }
    kernel_[k] = kernel_of(c.size, uniform, anchored);
  }
  tapes_ = write_tapes(plan_, numbers());
}

void JointSchur::clear_inactive() {
  for (const int k : inactive_) {
    const Column& c = plan_.columns()[nth(k)];
    for (int i = 0; i < c.size; ++i) {
      if (held_[nth(c.start + i)] != 0) continue;
      g_[nth(c.start + i)] = 0;
      for (int n = c.first_incidence; n < c.first_incidence + c.incidence_count; ++n) {
        const int weight = plan_.incidences()[nth(n)].weight, D = n_v_ == 3 ? 2 : 3;
        for (int t = 0; t < D; ++t) others_[nth(others_of(D, weight) + t * c.size + i)] = 0;
        for (int t = 0; t < n_v_ - D; ++t) W_[nth(turns_of(D, weight) + t * c.size + i)] = 0;
      }
    }
  }
}

// ---- W and gamma

void JointSchur::weigh_parts(const double* packed, const std::vector<Part>& parts) {
  for (const Part& p : parts) {
    const double* from = packed + p.offset;
    double *turns = W_.data() + p.turns, *others = others_.data() + p.others;
    const int D = n_v_ == 3 ? 2 : 3;
    const auto put = [&](int column, int r, double value) {
      double& w = column < D ? others[column * p.stride + r] : turns[(column - D) * p.stride + r];
      w = p.first ? value : w + value;
    };
    if (n_v_ == 3) {
      const double* w = weight_.data() + 3 * p.body;
      for (int t = 0; t < 3; ++t)
        for (int r = 0; r < p.rows; ++r) put(t, r, from[t * p.rows + r] * w[t]);
      continue;
    }
    const double* w = weight_.data() + 7 * p.body;
    for (int r = 0; r < p.rows; ++r) {
      for (int t = 0; t < 3; ++t) put(t, r, from[t * p.rows + r] * w[0]);
      const double a = from[3 * p.rows + r], b = from[4 * p.rows + r], c = from[5 * p.rows + r];
      put(3, r, a * w[1]);
      put(4, r, a * w[2] + b * w[3]);
      put(5, r, a * w[4] + b * w[5] + c * w[6]);
    }
  }
}

void JointSchur::evaluate(const Config& at, Workspace& work) {
  const SpaceNumbers numbers{work.rotation.data(), weight_.data(), W_.data()};
  if (!pins_.empty()) put_weights(pins_, numbers.rotation, numbers.W);
  for (std::size_t first = 0; first < std::max(balls_.size(), axes_.size());
       first += rows_at_once) {
    put_weights(some_of(balls_, first), numbers);
    put_weights(some_of(axes_, first), numbers);
  }
  evaluate_others(at, work);
  if (!inactive_.empty()) clear_inactive();
}

// The same with gamma.
void JointSchur::evaluate(const Motion& at, Workspace& work) {
  const SpaceNumbers numbers{work.rotation.data(), weight_.data(), W_.data()};
  const GammaNumbers gamma{at.v.data(), g_.data(), work.gamma.data()};
  if (!pins_.empty()) put_rows(pins_, numbers.rotation, numbers.W, gamma);
  for (std::size_t first = 0; first < std::max(balls_.size(), axes_.size());
       first += rows_at_once) {
    put_rows(some_of(balls_, first), numbers, gamma);
    put_rows(some_of(axes_, first), numbers, gamma);
  }
  evaluate_others(at.config(), work);
  for (const int p : pools_) {
    const ConstraintPool& pool = *equations_.pools()[nth(p)];
    pool.gamma(at,
               View(work.gamma)
                   .subspan(nth(equations_.first_row(nth(p))), nth(pool.count() * pool.rows())));
  }
  for (const int b : part_blocks_) {
    const auto& block = equations_.blocks()[nth(b)];
    const Place& place = places_[nth(b)];
    const int start = plan_.columns()[nth(place.column)].start + place.row;
    for (int r = 0; r < block.rows; ++r) g_[nth(start + r)] = work.gamma[nth(block.first_row + r)];
  }
  if (!inactive_.empty()) clear_inactive();
}

void JointSchur::evaluate_others(const Config& at, Workspace& work) {
  fresh_pose(at, work);
  weigh_parts(work.packed.data(), parts_);
}

void JointSchur::fresh_pose(const Config& at, Workspace& work) const {
  for (const int p : pools_)
    equations_.pools()[nth(p)]->phi_q(at, {work.packed.data(), equations_.slots(nth(p))});
}

void JointSchur::multiply(const Workspace& work, CView x, View out) const {
  const double* rotation = work.rotation.data();
  for (const PinRows& pin : pins_) {
    double sum_x = 0, sum_y = 0;
    for (int i = 0; i < pin.sides; ++i) {
      const PinRows::Side& s = pin.side[i];
      const double cosine = rotation[2 * s.body], sine = rotation[2 * s.body + 1];
      const double* of = x.data() + 3 * s.body;
      const double sign = s.sign;
      sum_x += sign * of[0] - (sine * s.sx + cosine * s.sy) * of[2];
      sum_y += sign * of[1] + (cosine * s.sx - sine * s.sy) * of[2];
    }
    out[nth(pin.row)] = sum_x;
    out[nth(pin.row + 1)] = sum_y;
  }
  for (const BallRows& ball : balls_) {
    Vec<3> sum = Vec<3>::Zero();
    for (int i = 0; i < ball.sides; ++i) {
      const BallRows::Side& s = ball.side[i];
      const double* of = x.data() + 6 * s.body;
      const Vec<3> w(of[3], of[4], of[5]);
      sum += s.sign * Vec<3>(of[0], of[1], of[2]) +
             Eigen::Map<const Mat<3, 3>>(rotation + 9 * s.body) * w.cross(s.s);
    }
    Eigen::Map<Vec<3>>(out.data() + ball.row) = sum;
  }
  for (const ParallelAxes& axes : axes_)
    Eigen::Map<Vec<2>>(out.data() + axes.row) = axes.rate(rotation, x.data());
  for (const int b : part_blocks_) {
    const auto& block = equations_.blocks()[nth(b)];
    double* to = out.data() + block.first_row;
    std::fill_n(to, block.rows, 0.0);
    for (const auto& term : equations_.terms(block)) {
      const double *from = work.packed.data() + term.offset, *of = x.data() + term.body * n_v_;
      for (int t = 0; t < n_v_; ++t)
        for (int r = 0; r < block.rows; ++r) to[r] += from[t * block.rows + r] * of[t];
    }
  }
}

// ---- y = C^-1 f and a = C^-T y

void JointSchur::load(CView f) {
  if (n_v_ == 3) return multiply_each(f, weight_, y_);
  for (int b = 0; b < system_.body_count(); ++b) {
    const double *w = weight_.data() + 7 * b, *from = f.data() + 6 * b;
    double* y = y_.data() + 6 * b;
    for (int k = 0; k < 3; ++k) y[k] = from[k] * w[0];
    y[3] = w[1] * from[3];
    y[4] = w[2] * from[3] + w[3] * from[4];
    y[5] = w[4] * from[3] + w[5] * from[4] + w[6] * from[5];
  }
}

void JointSchur::unload(View a) const {
  if (n_v_ == 3) return multiply_each(y_, weight_, a);
  for (int b = 0; b < system_.body_count(); ++b) {
    const double *w = weight_.data() + 7 * b, *y = y_.data() + 6 * b;
    double* to = a.data() + 6 * b;
    for (int k = 0; k < 3; ++k) to[k] = y[k] * w[0];
    to[3] = w[1] * y[3] + w[2] * y[4] + w[4] * y[5];
    to[4] = w[3] * y[4] + w[5] * y[5];
    to[5] = w[6] * y[5];
  }
}

// ---- elimination

Numbers JointSchur::numbers() {
  return {W_.data(),
          others_.data(),
          k_.data(),
          B_.data(),
          inverse_.data(),
          product_.data(),
          x_.data(),
          y_.data(),
          all_.data(),
          held_.data(),
          kernel_.data(),
          tapes_.forward.data(),
          tapes_.backward.data(),
          tapes_.residual.data()};
}

// After the first solution, whose multipliers are in x.
void JointSchur::refine(double scale, bool sound) {
  const int D = system_.dimension();
  std::copy(x_.begin(), x_.end(), lambda_.begin());
  residual_ = 0;
  if (sound) return;
  for (int pass = 1;; ++pass) {
    const double worst =
        largest_residual(D, plan_, numbers(), g_.data(), any_skipped_ ? skipped_.data() : nullptr);
    residual_ = scale > 0 ? worst / scale : 0;
    if (!(residual_ > residual_aim) || pass == max_refinements) return;
    (void)forward(D, plan_, numbers(), g_.data());
    backward(D, plan_, numbers());
    for (std::size_t s = 0; s < x_.size(); ++s) lambda_[s] += x_[s];
  }
}

Weakest JointSchur::no_pivots() {
  Weakest out{pivots_.data(), sizes_.data(), floor_.data(), pivot_tolerance};
  out.fell = !floor_.empty() && floor_.front() == std::numeric_limits<double>::infinity();
  if (out.fell) out.floor = nullptr;
  return out;
}

void JointSchur::remember_pivots(double share) {
  for (std::size_t s = 0; s < pivots_.size(); ++s) floor_[s] = share * pivots_[s] / sizes_[s];
}

SaddleSolver::Health JointSchur::health(const Weakest& weakest) {
  pivots_kept_ = !weakest.fell;
  any_skipped_ = weakest.skipped > 0;
  if (any_skipped_)
    for (const Column& c : plan_.columns())
      for (int i = 0; i < c.size; ++i)
        skipped_[nth(c.start + i)] = inverse_[nth(c.pivot + i * c.size + i)] == 0 ? 1 : 0;
  Health out;
  out.dependent = weakest.skipped;
  out.worst_row = weakest.scalar < 0 ? -1 : plan_.equation()[nth(weakest.scalar)];
  out.ratio = weakest.least.pivot / weakest.least.size;
  out.ok = !weakest.bad;
  sound_ = out.ratio > sound_pivot && plan_.columns().size() <= few_columns;
  return out;
}

SaddleSolver::Health JointSchur::factor_weights() {
  Weakest weakest = no_pivots();
  (void)factor_forward(system_.dimension(), plan_, numbers(), g_.data(), weakest);
  return health(weakest);
}

SaddleSolver::Health JointSchur::factor(CView packed) {
  std::vector<Part> all;
  for (int b = 0; b < static_cast<int>(places_.size()); ++b) add_part(b, all);
  weigh_parts(packed.data(), all);
  if (!inactive_.empty()) clear_inactive();
  return factor_weights();
}

SaddleSolver::Health JointSchur::factor_pose(const Config& at, Workspace& work) {
  evaluate(at, work);
  return factor_weights();
}

SaddleSolver::Health JointSchur::accelerate(const Motion& at,
                                            Workspace& work,
                                            View a,
                                            View lambda) {
  evaluate(at, work);
  forces_.evaluate(at.t, at.q, at.v, work);
  load(work.Q);
  Weakest weakest = no_pivots();
  const double scale = factor_forward(system_.dimension(), plan_, numbers(), g_.data(), weakest);
  const Health found = health(weakest);
  if (!found.ok) return found;
  finish(scale, sound_, a, lambda);
  return found;
}

void JointSchur::finish(double scale, bool sound, View a, View lambda) {
  backward(system_.dimension(), plan_, numbers());
  refine(scale, sound);
  for (std::size_t s = 0; s < lambda_.size(); ++s) lambda[nth(plan_.equation()[s])] = lambda_[s];
  unload(a);
}

void JointSchur::take_rows(CView g) {
  for (std::size_t s = 0; s < g_.size(); ++s)
    g_[s] = held_[s] != 0 ? g[nth(plan_.equation()[s])] : 0.0;
}

void JointSchur::solve(CView f, CView g, View a, View lambda) {
  load(f);
  take_rows(g);
  const double scale = forward(system_.dimension(), plan_, numbers(), g_.data());
  finish(scale, false, a, lambda);
}

void JointSchur::correct(CView g, View d) {
  std::fill(y_.begin(), y_.end(), 0.0);
  take_rows(g);
  (void)forward(system_.dimension(), plan_, numbers(), g_.data());
  backward(system_.dimension(), plan_, numbers());
  unload(d);
}

}  // namespace cardan
