#include "cardan/element/formula/formula_relation.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace cardan {

namespace {

constexpr std::size_t most_measure_sides = 4, most_columns = 6;

std::size_t nth_part(int k) {
  return static_cast<std::size_t>(k);
}

class RelationPool final : public ConstraintPool {
 public:
  RelationPool(int dimension,
               FormulaChain chain,
               std::vector<std::unique_ptr<const ConstraintSet>> measures,
               EquationLabel label)
      : n_(dimension == 2 ? 3 : 6),
        chain_(std::move(chain)),
        sets_(std::move(measures)),
        label_(label),
        velocity_level_(chain_.uses_rates()) {
    bool ground = false;
    for (const auto& set : sets_) {
      const ConstraintPool& pool = set->pool(0);
      if (set->pool_count() != 1 || pool.count() != 1 || pool.rows() != 1 ||
          nth_part(pool.sides()) > most_measure_sides)
        throw std::invalid_argument("a measure is one equation of few bodies");
      for (int s = 0; s < pool.sides(); ++s) {
        const int b = pool.body(0, s);
        ground = ground || b < 0;
        if (b >= 0 && std::find(bodies_.begin(), bodies_.end(), b) == bodies_.end())
          bodies_.push_back(b);
      }
    }
    if (ground) bodies_.push_back(-1);
    for (const auto& set : sets_) {
      Measured& m = measures_.emplace_back();
      m.pool = &set->pool(0);
      for (int s = 0; s < m.pool->sides(); ++s)
        m.side[nth_part(s)] = static_cast<std::size_t>(
            std::find(bodies_.begin(), bodies_.end(), m.pool->body(0, s)) - bodies_.begin());
    }
  }

  std::string_view type() const override { return "formula"; }

  int count() const override { return 1; }

  int rows() const override { return 1; }

  int sides() const override { return static_cast<int>(bodies_.size()); }

  int body(int, int side) const override { return bodies_[nth_part(side)]; }

  EquationLabel equation(int) const override { return label_; }

  bool at_velocity_level(int) const override { return velocity_level_; }

  void phi(const Config& at, View out) const override {
    out[0] = velocity_level_ ? 0 : chain_.value(pose(at));
  }

  void nu(const Config& at, View out) const override {
    const Point here = pose(at);
    if (velocity_level_)
      out[0] = -chain_.value(here);
    else
      out[0] = chain_.uses_time() ? -chain_.along(here, time()) : 0;
  }

  void gamma(const Motion& at, View out) const override {
    const Rows J = rows(at.config());
    const Point here = motion(at, J), w = flow(here), g = gammas(at);
    out[0] = velocity_level_ ? chain_.along(here, as_rates(g)) - chain_.along(here, w)
                             : chain_.along(here, g) - chain_.along(here, w, w);
  }

  void phi_q(const Config& at, Blocks out) const override {
    const Rows J = rows(at);
    const Point here = pose(at);
    for (const Slot slot : out.slots)
      for (int c = 0; slot && c < n_; ++c)
        out.values[slot.offset + std::int64_t{c} * slot.stride] = 0;
    for (std::size_t i = 0; i < measures_.size(); ++i)
      add_row(i, J, chain_.along(here, leading(i)), out);
  }

  void add_phi_q_a_q(const Config& at, CView a, double c, Blocks out) const override {
    const Rows J = rows(at);
    const Point here = pose(at);
    Point moved = moved_by(a, J);
    if (velocity_level_) moved = as_rates(moved);
    for (std::size_t i = 0; i < measures_.size(); ++i) {
      const double slope = chain_.along(here, leading(i));
      measures_[i].pool->add_phi_q_a_q(at, a, c * slope, {out.values, slots(i, out)});
      add_row(i, J, c * chain_.along(here, moved, value_of(i)), out);
    }
  }

  void add_gamma_q(const Motion& at, double c, Blocks out) const override {
    const Rows J = rows(at.config());
    const Point here = motion(at, J), w = flow(here);
    Point g = gammas(at);
    if (velocity_level_) g = as_rates(g);
    for (std::size_t i = 0; i < measures_.size(); ++i) {
      const Point y = value_of(i);
      const auto to = slots(i, out);
      measures_[i].pool->add_gamma_q(at, c * chain_.along(here, leading(i)), {out.values, to});
      add_row(i,
              J,
              c * (chain_.along(here, g, y) -
                   (velocity_level_ ? chain_.along(here, w, y) : chain_.along(here, w, w, y))),
              out);
      measures_[i].pool->add_phi_q_a_q(
          at.config(), at.v, c * gamma_to_rate(here, w, i), {out.values, to});
    }
  }

  void add_gamma_v(const Motion& at, double c, Blocks out) const override {
    const Rows J = rows(at.config());
    const Point here = motion(at, J), w = flow(here);
    for (std::size_t i = 0; i < measures_.size(); ++i) {
      measures_[i].pool->add_gamma_v(
          at, c * chain_.along(here, leading(i)), {out.values, slots(i, out)});
      add_row(i, J, c * gamma_to_rate(here, w, i), out);
    }
  }

  void add_phi_qT_lambda_q(const Config& at, CView lambda, double c, Blocks out) const override {
    if (lambda[0] == 0) return;
    const Rows J = rows(at);
    const Point here = pose(at);
    for (std::size_t i = 0; i < measures_.size(); ++i) {
      const Measured& m = measures_[i];
      const double load = lambda[0] * chain_.along(here, leading(i));
      const auto n = nth_part(m.pool->sides());
      std::array<Slot, most_measure_sides * most_measure_sides> to;
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t s = 0; s < n; ++s)
          to[r * n + s] = out.slots[m.side[r] * bodies_.size() + m.side[s]];
      m.pool->add_phi_qT_lambda_q(
          at, {&load, 1}, c, {out.values, std::span<const Slot>(to).first(n * n)});
      for (std::size_t j = 0; j < measures_.size(); ++j)
        add_square(i, j, J, c * lambda[0] * chain_.along(here, leading(i), value_of(j)), out);
    }
  }

  void add_nu_q(const Config& at, double c, Blocks out) const override {
    if (!velocity_level_ && !chain_.uses_time()) return;
    const Rows J = rows(at);
    const Point here = pose(at);
    for (std::size_t i = 0; i < measures_.size(); ++i)
      add_row(i,
              J,
              -c * (velocity_level_ ? chain_.along(here, value_of(i))
                                    : chain_.along(here, time(), value_of(i))),
              out);
  }

  bool differenced() const override {
    return std::any_of(measures_.begin(), measures_.end(), [](const Measured& m) {
      return m.pool->differenced();
    });
  }

 private:
  using Point = FormulaChain::Point;
  using Row = std::array<double, most_measure_sides * most_columns>;
  using Rows = std::array<Row, max_formula_inputs>;  // y_q of the measures, side by side

  struct Measured {
    const ConstraintPool* pool = nullptr;
    std::array<std::size_t, most_measure_sides> side{};  // of bodies_, of each of its sides
  };

  // ---- directions
  static Point time() {
    Point p;
    p.t = 1;
    return p;
  }

  static Point value_of(std::size_t measure) {
    Point p;
    p.y[measure] = 1;
    return p;
  }

  // What y_i,q is multiplied by: the derivative to the value, at velocity level to the rate.
  Point leading(std::size_t measure) const {
    Point p;
    (velocity_level_ ? p.rate : p.y)[measure] = 1;
    return p;
  }

  static Point as_rates(const Point& values) {
    Point p;
    p.rate = values.y;
    return p;
  }

  static Point flow(const Point& here) {
    Point p;
    p.t = 1;
    p.y = here.rate;
    return p;
  }

  // d gamma / d y_i'.
  double gamma_to_rate(const Point& here, const Point& w, std::size_t i) const {
    if (!velocity_level_) return -2 * chain_.along(here, w, value_of(i));
    return -chain_.along(here, w, leading(i)) - chain_.along(here, value_of(i));
  }

  // ---- measures
  Point pose(const Config& at) const {
    Point p;
    p.t = at.t;
    for (std::size_t i = 0; i < measures_.size(); ++i) measures_[i].pool->phi(at, {&p.y[i], 1});
    return p;
  }

  Rows rows(const Config& at) const {
    Rows J;
    for (std::size_t i = 0; i < measures_.size(); ++i) {
      const ConstraintPool& pool = *measures_[i].pool;
      const auto n = nth_part(pool.sides());
      std::array<Slot, most_measure_sides> to;
      for (std::size_t s = 0; s < n; ++s)
        if (pool.body(0, static_cast<int>(s)) >= 0)
          to[s] = {static_cast<std::int64_t>(s * nth_part(n_)), 1};
      std::fill(J[i].begin(), J[i].end(), 0.0);
      pool.phi_q(at, {J[i].data(), std::span<const Slot>(to).first(n)});
    }
    return J;
  }

  // The values' change along tangent increments or velocities.
  Point moved_by(CView d, const Rows& J) const {
    Point p;
    for (std::size_t i = 0; i < measures_.size(); ++i)
      for (int s = 0; s < measures_[i].pool->sides(); ++s) {
        const int b = measures_[i].pool->body(0, s);
        for (int c = 0; b >= 0 && c < n_; ++c)
          p.y[i] += J[i][nth_part(s * n_ + c)] * d[nth_part(b * n_ + c)];
      }
    return p;
  }

  Point motion(const Motion& at, const Rows& J) const {
    Point p = pose(at.config());
    p.rate = moved_by(at.v, J).y;
    return p;
  }

  Point gammas(const Motion& at) const {
    Point p;
    for (std::size_t i = 0; i < measures_.size(); ++i) measures_[i].pool->gamma(at, {&p.y[i], 1});
    return p;
  }

  // ---- blocks
  // The slots of a measure's sides.
  struct SideSlots {
    std::array<Slot, most_measure_sides> all{};
    std::size_t size = 0;

    operator std::span<const Slot>() const {  // NOLINT(google-explicit-constructor)
      return std::span<const Slot>(all).first(size);
    }
  };

  SideSlots slots(std::size_t measure, const Blocks& out) const {
    const Measured& m = measures_[measure];
    SideSlots to;
    to.size = nth_part(m.pool->sides());
    for (std::size_t s = 0; s < to.size; ++s) to.all[s] = out.slots[m.side[s]];
    return to;
  }

  void add_row(std::size_t measure, const Rows& J, double factor, const Blocks& out) const {
    if (factor == 0) return;
    const Measured& m = measures_[measure];
    for (int s = 0; s < m.pool->sides(); ++s)
      if (const Slot slot = out.slots[m.side[nth_part(s)]])
        for (int c = 0; c < n_; ++c)
          out.values[slot.offset + std::int64_t{c} * slot.stride] +=
              factor * J[measure][nth_part(s * n_ + c)];
  }

  void add_square(
      std::size_t i, std::size_t j, const Rows& J, double factor, const Blocks& out) const {
    if (factor == 0) return;
    for (int a = 0; a < measures_[i].pool->sides(); ++a)
      for (int b = 0; b < measures_[j].pool->sides(); ++b) {
        const Slot slot = out.slots[measures_[i].side[nth_part(a)] * bodies_.size() +
                                    measures_[j].side[nth_part(b)]];
        for (int c = 0; slot && c < n_; ++c)
          for (int r = 0; r < n_; ++r)
            out.values[slot.offset + std::int64_t{c} * slot.stride + r] +=
                factor * J[i][nth_part(a * n_ + r)] * J[j][nth_part(b * n_ + c)];
      }
  }

  int n_;
  FormulaChain chain_;
  std::vector<std::unique_ptr<const ConstraintSet>> sets_;
  std::vector<Measured> measures_;
  std::vector<int> bodies_;  // each once, the ground last
  EquationLabel label_;
  bool velocity_level_;
};

}  // namespace

std::unique_ptr<ConstraintPool> make_formula_relation(
    int dimension,
    FormulaChain chain,
    std::vector<std::unique_ptr<const ConstraintSet>> measures,
    EquationLabel label) {
  return std::make_unique<RelationPool>(dimension, std::move(chain), std::move(measures), label);
}

}  // namespace cardan
