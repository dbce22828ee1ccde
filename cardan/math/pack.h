#pragma once
// Several numbers as one operand: a pack has W doubles (1: a number), and its sums, products, quotients and
// comparisons are those of its numbers one by one, so that every number gets the bits it would get
// alone. Functions that work on packs are compiled for several instruction sets, of which the best
// is taken at run time (CARDAN_EVERY_PROCESSOR); all of them give the same bits. How a pack is handed
// over by value, and what the compiler takes its alignment for, depends on the instruction set: packs go
// in and out by address, and stand where PackPlace or alignas(64) puts them.
#include <cmath>

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__)
#define CARDAN_EVERY_PROCESSOR [[gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define CARDAN_EVERY_PROCESSOR
#endif

namespace cardan {

template <int W> struct PackOf;

template <> struct PackOf<1> {
  using Type = double;
  using Anywhere = double;
};

template <> struct PackOf<4> {
  typedef double Type __attribute__((vector_size(32)));
  typedef double Anywhere __attribute__((vector_size(32), aligned(8), may_alias));
};

template <> struct PackOf<8> {
  typedef double Type __attribute__((vector_size(64)));
  typedef double Anywhere __attribute__((vector_size(64), aligned(8), may_alias));
};

template <int W> using Pack = typename PackOf<W>::Type;

struct alignas(64) PackPlace {  // of one Pack<8>
  double number[8];
};

template <int W> [[gnu::always_inline]] inline Pack<W> load_pack(const double* from) {
  return *reinterpret_cast<const typename PackOf<W>::Anywhere*>(from);
}

template <int W> [[gnu::always_inline]] inline void store_pack(double* to, const Pack<W>& x) {
  *reinterpret_cast<typename PackOf<W>::Anywhere*>(to) = x;
}

template <int W>
[[gnu::always_inline]] inline Pack<W> larger_of(const Pack<W>& a, const Pack<W>& b) {
  return a > b ? a : b;
}

template <int W> [[gnu::always_inline]] inline Pack<W> size_of_pack(const Pack<W>& a) {
  if constexpr (W == 1)
    return std::abs(a);
  else
    return a < 0.0 ? -a : a;
}

template <int W> [[gnu::always_inline]] inline Pack<W> root_of_pack(const Pack<W>& a) {
  if constexpr (W == 1) {
    return std::sqrt(a);
  } else {
    Pack<W> root;
    for (int l = 0; l < W; ++l) root[l] = __builtin_sqrt(a[l]);
    return root;
  }
}

}  // namespace cardan
