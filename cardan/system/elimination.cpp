#include "cardan/system/elimination.h"

#include <algorithm>

#include "cardan/system/pin_kernel.h"
#include "cardan/system/point_kernel.h"

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__)
#define CARDAN_INSTRUCTION_SETS [[gnu::target_clones("avx2", "default")]]
#else
#define CARDAN_INSTRUCTION_SETS
#endif

namespace cardan::elimination {

namespace {

constexpr int anchored_kernel = 16, pin_kernel = anchored_kernel + 2;

// f(kernel) with the kernel of a column.
template <int D, class F> [[gnu::always_inline]] inline void with_kernel(int code, F&& f) {
  if constexpr (D == 3) {
    if (code == anchored_kernel + 5) return f(Kernel<3, 5, true>());
    if (code == 5) return f(Kernel<3, 5, false>());
  }
  switch (code) {
    case anchored_kernel + 3:
      return f(Kernel<D, 3, true>());
    case 1:
      return f(Kernel<D, 1, false>());
    case 2:
      return f(Kernel<D, 2, false>());
    case 3:
      return f(Kernel<D, 3, false>());
    default:
      return f(MixedKernel<D>());
  }
}

// ---- columns of pins that follow each other

int pins_from(const char* kernel, const char* end) {
  const char* k = kernel;
  while (k != end && *k == pin_kernel) ++k;
  return static_cast<int>(k - kernel);
}

CARDAN_INSTRUCTION_SETS const int* factor_pins(
    const int* tape, int count, double* all, const double* g, RightSide& side, Weakest& weakest) {
  RightSide met = side;
  WeakestPins pins;
  for (int n = 0; n < count; ++n) tape = PinKernel::forward<true>(tape, all, met, g, weakest, pins);
  side = met;
  pins.tell(weakest);
  return tape;
}

CARDAN_INSTRUCTION_SETS const int* forward_pins(
    const int* tape, int count, double* all, const double* g, RightSide& side) {
  RightSide met = side;
  Weakest none{};
  WeakestPins pins;
  for (int n = 0; n < count; ++n) tape = PinKernel::forward<false>(tape, all, met, g, none, pins);
  side = met;
  return tape;
}

CARDAN_INSTRUCTION_SETS const int* backward_pins(const int* tape, int count, double* all) {
  for (int n = 0; n < count; ++n) tape = PinKernel::backward(tape, all);
  return tape;
}

CARDAN_INSTRUCTION_SETS const int* residual_of_pins(const int* tape,
                                                    int count,
                                                    const double* all,
                                                    const double* g,
                                                    const char* skipped,
                                                    double& worst) {
  Two most{};
  for (int n = 0; n < count; ++n) {
    const int start = tape[0];
    Two r;
    tape = PinKernel::right_side(tape, all, g, r);
    if (skipped != nullptr) {
      if (skipped[start] != 0) r[0] = 0;
      if (skipped[start + 1] != 0) r[1] = 0;
    }
    most = larger(size_of(r), most);
  }
  worst = std::max({worst, most[0], most[1]});
  return tape;
}

// ---- all columns

template <int D, bool factoring>
[[gnu::always_inline]] inline double forward_all(const EliminationPlan& plan,
                                                 const Numbers& numbers,
                                                 const double* g,
                                                 Weakest& weakest) {
  const Numbers m = numbers;
  RightSide side{g};
  Weakest seen = weakest;
  const EliminationPlan::Column* column = plan.columns().data();
  const char *kernel = m.kernel, *end = kernel + plan.columns().size();
  const int* tape = m.forward;
  while (kernel != end) {
    if (D == 2 && *kernel == pin_kernel) {
      const int count = pins_from(kernel, end);
      tape = factoring ? factor_pins(tape, count, m.all, g, side, seen)
                       : forward_pins(tape, count, m.all, g, side);
      kernel += count;
      column += count;
      continue;
    }
    const char code = *kernel++;
    const EliminationPlan::Column& now = *column++;
    if constexpr (D == 3 && factoring) {
      if (code == anchored_kernel + 3) {
        PointKernel<3>::factor(plan, now, m, side, seen);
        continue;
      }
      if (code == anchored_kernel + 5) {
        PointKernel<5>::factor(plan, now, m, side, seen);
        continue;
      }
    }
    with_kernel<D>(
        code, [&](auto k) __attribute__((always_inline)) {
          decltype(k)::template forward<factoring>(plan, now, m, side, seen);
        });
  }
  weakest = seen;
  return side.largest();
}

template <int D>
[[gnu::always_inline]] inline void backward_all(const EliminationPlan& plan,
                                                const Numbers& numbers) {
  const Numbers m = numbers;
  const int* tape = m.backward;
  for (std::size_t k = plan.columns().size(); k-- > 0;) {
    if (D == 2 && m.kernel[k] == pin_kernel) {
      int count = 1;
      for (; k > 0 && m.kernel[k - 1] == pin_kernel; --k) ++count;
      tape = backward_pins(tape, count, m.all);
      continue;
    }
    const EliminationPlan::Column& column = plan.columns()[k];
    with_kernel<D>(
        m.kernel[k], [&](auto of) __attribute__((always_inline)) {
          decltype(of)::backward(plan, column, m);
        });
  }
}

template <int D>
[[gnu::always_inline]] inline double residual_of_all(const EliminationPlan& plan,
                                                     const Numbers& numbers,
                                                     const double* g,
                                                     const char* skipped) {
  const Numbers m = numbers;
  const RightSide side{g};
  double worst = 0;
  const int* tape = m.residual;
  const std::size_t size = plan.columns().size();
  for (std::size_t k = 0; k < size; ++k) {
    if (D == 2 && m.kernel[k] == pin_kernel) {
      const int count = pins_from(m.kernel + k, m.kernel + size);
      tape = residual_of_pins(tape, count, m.all, g, skipped, worst);
      k += static_cast<std::size_t>(count) - 1;
      continue;
    }
    const EliminationPlan::Column& column = plan.columns()[k];
    with_kernel<D>(
        m.kernel[k], [&](auto of) __attribute__((always_inline)) {
          double r[most_rows] = {};
          decltype(of)::right_side(plan, column, m, side, r);
          for (int i = 0; i < column.size; ++i) {
            if (skipped != nullptr && skipped[column.start + i] != 0) continue;
            const double size_of_r = std::abs(r[i]);
            worst = size_of_r > worst ? size_of_r : worst;
          }
        });
  }
  return worst;
}

CARDAN_INSTRUCTION_SETS double factor_in_plane(const EliminationPlan& plan,
                                               const Numbers& m,
                                               const double* g,
                                               Weakest& weakest) {
  return forward_all<2, true>(plan, m, g, weakest);
}

CARDAN_INSTRUCTION_SETS double factor_in_space(const EliminationPlan& plan,
                                               const Numbers& m,
                                               const double* g,
                                               Weakest& weakest) {
  return forward_all<3, true>(plan, m, g, weakest);
}

CARDAN_INSTRUCTION_SETS double forward_in_plane(const EliminationPlan& plan,
                                                const Numbers& m,
                                                const double* g) {
  Weakest none{};
  return forward_all<2, false>(plan, m, g, none);
}

CARDAN_INSTRUCTION_SETS double forward_in_space(const EliminationPlan& plan,
                                                const Numbers& m,
                                                const double* g) {
  Weakest none{};
  return forward_all<3, false>(plan, m, g, none);
}

CARDAN_INSTRUCTION_SETS void backward_in_plane(const EliminationPlan& plan, const Numbers& m) {
  backward_all<2>(plan, m);
}

CARDAN_INSTRUCTION_SETS void backward_in_space(const EliminationPlan& plan, const Numbers& m) {
  backward_all<3>(plan, m);
}

CARDAN_INSTRUCTION_SETS double residual_in_plane(const EliminationPlan& plan,
                                                 const Numbers& m,
                                                 const double* g,
                                                 const char* skipped) {
  return residual_of_all<2>(plan, m, g, skipped);
}

CARDAN_INSTRUCTION_SETS double residual_in_space(const EliminationPlan& plan,
                                                 const Numbers& m,
                                                 const double* g,
                                                 const char* skipped) {
  return residual_of_all<3>(plan, m, g, skipped);
}

CARDAN_INSTRUCTION_SETS void weigh(const std::vector<PinRow>& pins,
                                   const double* rotation,
                                   const double* v,
                                   double* W,
                                   double* g) {
  for (const PinRow& pin : pins) {
    Two gamma{};
    for (int i = 0; i < pin.sides; ++i) {
      const PinRow::Side& s = pin.side[i];
      const double* turn = rotation + 2 * s.body;
      const Two point = two(s.along) * turn[0] + two(s.across) * turn[1];
      put(W + s.weight, Two{point[1], point[0]} * two(s.scale));
      const double w = v != nullptr ? v[3 * s.body + 2] : 0;
      gamma += point * (w * w);
    }
    if (v != nullptr) put(g + pin.start, gamma);
  }
}

}  // namespace

void weigh_pins(const std::vector<PinRow>& pins,
                const double* rotation,
                const double* v,
                double* W,
                double* g) {
  weigh(pins, rotation, v, W, g);
}

Tapes write_tapes(const EliminationPlan& plan, const Numbers& m) {
  Tapes out;
  const auto at = [&](const double* list, int k) {
    return static_cast<int>(list - m.all) + k;
  };
  const auto side = [&](std::vector<int>& tape, int n) {  // W, y
    const auto& of = plan.incidences()[static_cast<std::size_t>(n)];
    tape.insert(tape.end(), {at(m.W, of.weight), at(m.y, 3 * of.body)});
  };
  const auto sides = [&](std::vector<int>& tape, const EliminationPlan::Column& c) {
    for (int n = c.first_incidence; n < c.first_incidence + c.incidence_count; ++n) side(tape, n);
  };
  const std::size_t count = plan.columns().size();
  for (std::size_t k = 0; k < count; ++k) {
    if (m.kernel[k] != pin_kernel) continue;
    const auto& c = plan.columns()[k];
    auto& tape = out.forward;
    tape.insert(tape.end(),
                {at(m.x, c.start),
                 c.start,
                 at(m.inverse, c.pivot),
                 c.incidence_count,
                 c.row_count,
                 c.panel_count});
    sides(tape, c);
    for (int n = c.first_row; n < c.first_row + c.row_count; ++n) {
      const auto& row = plan.rows()[static_cast<std::size_t>(n)];
      tape.insert(tape.end(),
                  {at(m.B, row.block),
                   at(m.inverse, row.pivot),
                   at(m.x, row.start),
                   at(m.product, 2 * row.product)});
    }
    for (int p = c.first_panel; p < c.first_panel + c.panel_count; ++p) {
      const auto& panel = plan.panels()[static_cast<std::size_t>(p)];
      tape.insert(tape.end(), {at(m.B, panel.block), panel.pair_count, panel.update_count});
      for (int n = panel.first_pair; n < panel.first_pair + panel.pair_count; ++n) {
        const auto& pair = plan.pairs()[static_cast<std::size_t>(n)];
        const auto weight = [&](int i) {
          return at(m.W, plan.incidences()[static_cast<std::size_t>(i)].weight);
        };
        tape.insert(tape.end(), {weight(pair.i), weight(pair.k)});
      }
      for (int n = panel.first_update; n < panel.first_update + panel.update_count; ++n) {
        const auto& update = plan.updates()[static_cast<std::size_t>(n)];
        tape.insert(tape.end(), {at(m.B, update.block), at(m.product, 2 * update.product)});
      }
    }
    out.residual.insert(out.residual.end(), {c.start, c.incidence_count});
    sides(out.residual, c);
  }
  for (std::size_t k = count; k-- > 0;) {
    if (m.kernel[k] != pin_kernel) continue;
    const auto& c = plan.columns()[k];
    auto& tape = out.backward;
    tape.insert(tape.end(),
                {at(m.x, c.start), at(m.inverse, c.pivot), c.panel_count, c.incidence_count});
    for (int p = c.first_panel; p < c.first_panel + c.panel_count; ++p) {
      const auto& panel = plan.panels()[static_cast<std::size_t>(p)];
      tape.insert(tape.end(), {at(m.B, panel.block), at(m.x, panel.start)});
    }
    sides(tape, c);
  }
  return out;
}

char kernel_of(int size, bool uniform, bool anchored) {
  return static_cast<char>(uniform ? size + (anchored ? anchored_kernel : 0) : 0);
}

double factor_forward(int dimension,
                      const EliminationPlan& plan,
                      const Numbers& m,
                      const double* g,
                      Weakest& weakest) {
  return dimension == 2 ? factor_in_plane(plan, m, g, weakest)
                        : factor_in_space(plan, m, g, weakest);
}

double forward(int dimension, const EliminationPlan& plan, const Numbers& m, const double* g) {
  return dimension == 2 ? forward_in_plane(plan, m, g) : forward_in_space(plan, m, g);
}

void backward(int dimension, const EliminationPlan& plan, const Numbers& m) {
  return dimension == 2 ? backward_in_plane(plan, m) : backward_in_space(plan, m);
}

double largest_residual(int dimension,
                        const EliminationPlan& plan,
                        const Numbers& m,
                        const double* g,
                        const char* skipped) {
  return dimension == 2 ? residual_in_plane(plan, m, g, skipped)
                        : residual_in_space(plan, m, g, skipped);
}

}  // namespace cardan::elimination
