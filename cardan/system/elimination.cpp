#include "cardan/system/elimination.h"

#include <algorithm>
#include <atomic>

#include "cardan/system/pin_kernel.h"
#include "cardan/system/point_kernel.h"
#include "cardan/system/wide_operands.h"

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__)
#define CARDAN_INSTRUCTION_SETS [[gnu::target_clones("avx2", "default")]]
#define CARDAN_WIDE [[gnu::target("avx512f,avx512vl,avx512dq")]]
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

// The weakest of every fourth pivot, four at once.
struct FourWeakest {
  using Mask [[gnu::vector_size(32)]] = long;

  Four pivot{1, 1, 1, 1}, size{1, 1, 1, 1};
  Mask which{-1, -1, -1, -1}, bad{}, fell{};

  [[gnu::always_inline]] void look_at(Four a, Four b, Mask at) {
    const Mask weaker = ~(a * size >= pivot * b);
    bad |= (a != a) | (b != b);
    pivot = weaker ? a : pivot;
    size = weaker ? b : size;
    which = weaker ? at : which;
  }
};

[[gnu::always_inline]] inline void look_at_all(Weakest& weakest, int count) {
  using Mask = FourWeakest::Mask;
  FourWeakest found;
  Mask at{0, 1, 2, 3};
  int k = 0;
  for (; k + 4 <= count; k += 4, at += 4) {
    const Four a = four(weakest.pivot + k), b = four(weakest.size + k);
    if (weakest.floor != nullptr) found.fell |= ~(a >= four(weakest.floor + k) * b);
    found.look_at(a, b, at);
  }
  if (k < count) {
    Four a = found.pivot, b = found.size;
    for (int l = 0; k + l < count; ++l) {
      a[l] = weakest.pivot[k + l];
      b[l] = weakest.size[k + l];
      if (weakest.floor != nullptr && !(a[l] >= weakest.floor[k + l] * b[l])) found.fell[l] = -1;
    }
    found.look_at(a, b, at);
  }
  for (int l = 0; l < 4; ++l) {
    weakest.bad = weakest.bad || found.bad[l] != 0;
    weakest.fell = weakest.fell || found.fell[l] != 0;
    const double a = found.pivot[l] * weakest.least.size, b = weakest.least.pivot * found.size[l];
    const int which = static_cast<int>(found.which[l]);
    if (which < 0 || !(a < b || (a == b && which < weakest.scalar))) continue;
    weakest.least = {found.pivot[l], found.size[l]};
    weakest.scalar = which;
  }
}

template <int D, bool factoring, bool wide = false>
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
  for (; kernel != end; ++kernel, ++column) {
    if (D == 2 && *kernel == pin_kernel) {
      tape = PinKernel::forward<factoring>(tape, m.all, column->start, side, g, seen);
      continue;
    }
    if constexpr (D == 3 && factoring) {
      if (*kernel == anchored_kernel + 3) {
        PointKernel<3, wide>::factor(plan, *column, m, side, seen);
        continue;
      }
      if (*kernel == anchored_kernel + 5) {
        PointKernel<5, wide>::factor(plan, *column, m, side, seen);
        continue;
      }
    }
    with_kernel<D>(
        *kernel, [&](auto k) __attribute__((always_inline)) {
          decltype(k)::template forward<factoring>(plan, *column, m, side, seen);
        });
  }
  if constexpr (factoring) {
    look_at_all(seen, static_cast<int>(plan.equation().size()));
    weakest = seen;
  }
  return side.largest();
}

template <int D>
[[gnu::always_inline]] inline void backward_all(const EliminationPlan& plan,
                                                const Numbers& numbers) {
  const Numbers m = numbers;
  const int* tape = m.backward;
  for (std::size_t k = plan.columns().size(); k-- > 0;) {
    if (D == 2 && m.kernel[k] == pin_kernel) {
      tape = PinKernel::backward(tape, m.all);
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
  Two worst_pins{};
  const int* tape = m.residual;
  for (std::size_t k = 0; k < plan.columns().size(); ++k) {
    const EliminationPlan::Column& column = plan.columns()[k];
    if (D == 2 && m.kernel[k] == pin_kernel) {
      Two r;
      tape = PinKernel::right_side(tape, m.all, g, r);
      if (skipped != nullptr) {
        if (skipped[column.start] != 0) r[0] = 0;
        if (skipped[column.start + 1] != 0) r[1] = 0;
      }
      worst_pins = larger(size_of(r), worst_pins);
      continue;
    }
    with_kernel<D>(
        m.kernel[k], [&](auto of) __attribute__((always_inline)) {
          double r[most_rows] = {};
          decltype(of)::right_side(plan, column, m, side, r);
          for (int i = 0; i < column.size; ++i) {
            if (skipped != nullptr && skipped[column.start + i] != 0) continue;
            const double size = std::abs(r[i]);
            worst = size > worst ? size : worst;
          }
        });
  }
  return std::max({worst, worst_pins[0], worst_pins[1]});
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

#ifdef CARDAN_WIDE
CARDAN_WIDE double factor_in_space_wide(const EliminationPlan& plan,
                                        const Numbers& m,
                                        const double* g,
                                        Weakest& weakest) {
  return forward_all<3, true, true>(plan, m, g, weakest);
}
#endif

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

}  // namespace

namespace {

bool has_wide_operands() {
#ifdef CARDAN_WIDE
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0;
#else
  return false;
#endif
}

std::atomic<bool> wide_operands{has_wide_operands()};

}  // namespace

bool takes_wide_operands() {
  return wide_operands.load(std::memory_order_relaxed);
}

void allow_wide_operands(bool allowed) {
  wide_operands = allowed && has_wide_operands();
}

Tapes write_tapes(const EliminationPlan& plan, const Numbers& m) {
  Tapes out;
  const auto at = [&](const double* list, int k) {
    return static_cast<int>(list - m.all) + k;
  };
  const auto side = [&](std::vector<int>& tape, int n) {  // p, y, k
    const auto& of = plan.incidences()[static_cast<std::size_t>(n)];
    tape.insert(tape.end(), {at(m.W, turns_of(2, of.weight)), at(m.y, 3 * of.body), at(m.k, n)});
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
                   at(m.product, row.product)});
    }
    for (int p = c.first_panel; p < c.first_panel + c.panel_count; ++p) {
      const auto& panel = plan.panels()[static_cast<std::size_t>(p)];
      tape.insert(tape.end(), {at(m.B, panel.block), panel.pair_count, panel.update_count});
      for (int n = panel.first_pair; n < panel.first_pair + panel.pair_count; ++n) {
        const auto& pair = plan.pairs()[static_cast<std::size_t>(n)];
        const auto weight = [&](int i) {
          return turns_of(2, plan.incidences()[static_cast<std::size_t>(i)].weight);
        };
        tape.insert(
            tape.end(),
            {at(m.W, weight(pair.i)), at(m.W, weight(pair.k)), at(m.k, pair.i), at(m.k, pair.k)});
      }
      for (int n = panel.first_update; n < panel.first_update + panel.update_count; ++n) {
        const auto& update = plan.updates()[static_cast<std::size_t>(n)];
        tape.insert(tape.end(), {at(m.B, update.block), at(m.product, update.product)});
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
#ifdef CARDAN_WIDE
  if (dimension == 3 && takes_wide_operands()) return factor_in_space_wide(plan, m, g, weakest);
#endif
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
