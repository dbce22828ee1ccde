#include "cardan/element/formula/formula_chain.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "cardan/math/expression_along.h"

namespace cardan {

namespace {

constexpr std::size_t most_signals = max_formula_inputs + FormulaChain::most_nodes;
constexpr std::size_t all_sets = 8;  // of three infinitesimals

std::size_t signal_index(int k) {
  return static_cast<std::size_t>(k);
}

// Arguments of one formula at a set of infinitesimals.
struct Arguments {
  std::array<double, 3 + 2 * max_formula_inputs> x;
  std::size_t size = 0;
  bool any = false;  // some are not zero

  CView view() const { return {x.data(), size}; }
};

}  // namespace

struct FormulaChain::Signals {
  std::array<double, all_sets> t{};
  std::array<std::array<double, all_sets>, most_signals> value, rate;

  Arguments at(const Node& node, unsigned set) const {
    Arguments out;
    out.x[0] = t[set];
    out.x[1] = out.x[2] = 0;
    out.size = 3;
    for (const int k : node.inputs) {
      out.x[out.size++] = value[signal_index(k)][set];
      out.x[out.size++] = rate[signal_index(k)][set];
    }
    out.any = std::any_of(out.x.begin(),
                          out.x.begin() + static_cast<std::ptrdiff_t>(out.size),
                          [](double x) { return x != 0; });
    return out;
  }
};

FormulaChain::FormulaChain(int measures, std::vector<Node> nodes)
    : measures_(measures), nodes_(std::move(nodes)) {
  if (measures > max_formula_inputs || nodes_.size() > static_cast<std::size_t>(most_nodes))
    throw std::invalid_argument("too many values in a formula");
  for (const Node& node : nodes_)
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const int first = 3 + 2 * static_cast<int>(i), k = node.inputs[i];
      const bool rate = node.formula.uses(first + 1);
      if (k >= measures) flows_ = flows_ || rate;
      if (k < measures && (rate || node.formula.uses(first))) used_[signal_index(k)] = true;
    }
}

bool FormulaChain::uses_time() const {
  return std::any_of(nodes_.begin(), nodes_.end(), [](const Node& n) { return n.formula.uses(0); });
}

bool FormulaChain::uses_rates() const {
  return std::any_of(nodes_.begin(), nodes_.end(), [](const Node& n) {
    for (std::size_t i = 0; i < n.inputs.size(); ++i)
      if (n.formula.uses(4 + 2 * static_cast<int>(i))) return true;
    return false;
  });
}

bool FormulaChain::uses_second_rates() const {
  std::vector<char> second(nodes_.size(), 0);
  for (std::size_t k = 0; k < nodes_.size(); ++k)
    for (std::size_t i = 0; i < nodes_[k].inputs.size(); ++i) {
      const int input = nodes_[k].inputs[i] - measures_, first = 3 + 2 * static_cast<int>(i);
      const bool of_formula = input >= 0 && second[signal_index(input)] != 0;
      if (nodes_[k].formula.uses(first + 1)) {
        if (of_formula) return true;
        second[k] = 1;
      } else if (of_formula && nodes_[k].formula.uses(first)) {
        second[k] = 1;
      }
    }
  return false;
}

double FormulaChain::part(const Node& node, const Signals& signals, unsigned set) const {
  const Expression& f = node.formula;
  const Arguments x = signals.at(node, 0);
  if (set == 0) return f.value(x.view());
  const Arguments whole = signals.at(node, set);
  double sum = whole.any ? cardan::along(f, x.view(), whole.view()) : 0;
  const unsigned first = set & (~set + 1);
  const unsigned rest = set & ~first;
  if (rest == 0) return sum;
  // Partitions into two: the block of the first infinitesimal is it and a part of the rest.
  for (unsigned more = 0; more < all_sets; ++more) {
    const unsigned other = rest & ~more;
    if ((more & ~rest) != 0 || other == 0) continue;
    const Arguments u = signals.at(node, first | more), v = signals.at(node, other);
    if (u.any && v.any) sum += cardan::along(f, x.view(), u.view(), v.view());
  }
  const unsigned second = rest & (~rest + 1), third = rest & ~second;
  if (third == 0) return sum;
  const Arguments u = signals.at(node, first), v = signals.at(node, second),
                  w = signals.at(node, third);
  if (u.any && v.any && w.any) sum += cardan::along(f, x.view(), u.view(), v.view(), w.view());
  return sum;
}

double FormulaChain::along(const Point& at, const Ways& ways) const {
  unsigned count = 0;
  while (count < ways.size() && ways[count] != nullptr) ++count;
  const unsigned result = (1U << count) - 1, flow = flows_ ? 1U << count : 0U;
  if (flows_ && count == ways.size())
    throw std::logic_error("third derivatives of a formula with rates of formulas");
  const unsigned sets = flows_ ? 2U << count : 1U << count;
  Signals s;
  s.t[0] = at.t;
  if (flows_) s.t[flow] = 1;
  for (unsigned k = 0; k < count; ++k) s.t[1U << k] = ways[k]->t;
  for (std::size_t i = 0; i < signal_index(measures_); ++i) {
    auto &value = s.value[i], &rate = s.rate[i];
    value.fill(0);
    rate.fill(0);
    value[0] = at.y[i];
    rate[0] = at.rate[i];
    if (flows_) value[flow] = at.rate[i];
    for (unsigned k = 0; k < count; ++k) {
      value[1U << k] = ways[k]->y[i];
      rate[1U << k] = ways[k]->rate[i];
      if (flows_) value[flow | 1U << k] = ways[k]->rate[i];
    }
  }
  for (std::size_t n = 0; n + 1 < nodes_.size(); ++n) {
    auto &value = s.value[signal_index(measures_) + n], &rate = s.rate[signal_index(measures_) + n];
    value.fill(0);
    rate.fill(0);
    for (unsigned set = 0; set < sets; ++set) value[set] = part(nodes_[n], s, set);
    if (flows_)
      for (unsigned set = 0; set <= result; ++set) rate[set] = value[set | flow];
  }
  return part(nodes_.back(), s, result);
}

}  // namespace cardan
