#include "cardan/system/equations.h"

#include <algorithm>
#include <utility>

#include "cardan/element/formula/coordinate_equations.h"

namespace cardan {

Equations::Equations(std::vector<const ConstraintPool*> pools,
                     int bodies,
                     int n_v,
                     const CoordinateEquations* mass)
    : pools_(std::move(pools)), mass_(mass), bodies_(bodies), n_v_(n_v) {
  for (const ConstraintPool* pool : pools_) {
    first_row_.push_back(rows_);
    first_block_.push_back(static_cast<int>(blocks_.size()));
    first_slot_.push_back(slots_.size());
    for (int e = 0; e < pool->count(); ++e) {
      blocks_.push_back({rows_, pool->rows(), static_cast<int>(terms_.size()), 0, pool->sides()});
      for (int side = 0; side < pool->sides(); ++side) {
        const int body = pool->body(e, side);
        if (body < 0) {
          slots_.push_back({});
          continue;
        }
        slots_.push_back({packed_size_, pool->rows()});
        terms_.push_back({body, packed_size_});
        ++blocks_.back().term_count;
        packed_size_ += pool->rows() * n_v_;
      }
      for (int r = 0; r < pool->rows(); ++r)
        velocity_level_.push_back(pool->at_velocity_level(r) ? 1 : 0);
      rows_ += pool->rows();
    }
  }
  if (mass_ != nullptr) packed_size_ += n_v_ * n_v_;
}

int Equations::row(int pool, int element, int equation) const {
  return first_row_[static_cast<std::size_t>(pool)] +
         element * pools_[static_cast<std::size_t>(pool)]->rows() + equation;
}

namespace {

View part(View all, int first, const ConstraintPool& pool) {
  return all.subspan(static_cast<std::size_t>(first),
                     static_cast<std::size_t>(pool.count() * pool.rows()));
}

}  // namespace

void Equations::phi(const Config& at, View out) const {
  for (std::size_t p = 0; p < pools_.size(); ++p)
    pools_[p]->phi(at, part(out, first_row_[p], *pools_[p]));
}

void Equations::nu(const Config& at, View out) const {
  for (std::size_t p = 0; p < pools_.size(); ++p)
    pools_[p]->nu(at, part(out, first_row_[p], *pools_[p]));
}

void Equations::gamma(const Motion& at, View out) const {
  for (std::size_t p = 0; p < pools_.size(); ++p)
    pools_[p]->gamma(at, part(out, first_row_[p], *pools_[p]));
}

void Equations::phi_q(const Config& at, View packed) const {
  for (std::size_t p = 0; p < pools_.size(); ++p) {
    const std::size_t blocks = static_cast<std::size_t>(pools_[p]->count() * pools_[p]->sides());
    pools_[p]->phi_q(at, {packed.data(), std::span(slots_).subspan(first_slot_[p], blocks)});
  }
  if (mass_ != nullptr)
    mass_->mass(at.t, at.q, packed.subspan(static_cast<std::size_t>(mass_offset())));
}

namespace {

// out += block x and out += c block^T l for a block of R rows and N columns; 0: known at run time
// only.
template <int R, int N>
inline void add_product(const double* block, const double* x, double* out, int rows, int columns) {
  const int m = R != 0 ? R : rows, n = N != 0 ? N : columns;
  for (int c = 0; c < n; ++c)
    for (int r = 0; r < m; ++r) out[r] += block[c * m + r] * x[c];
}

template <int R, int N>
inline void add_transposed_product(
    const double* block, const double* l, double factor, double* out, int rows, int columns) {
  const int m = R != 0 ? R : rows, n = N != 0 ? N : columns;
  for (int k = 0; k < n; ++k) {
    double sum = 0;
    for (int r = 0; r < m; ++r) sum += block[k * m + r] * l[r];
    out[k] += factor * sum;
  }
}

}  // namespace

void Equations::multiply(CView packed, CView x, View y) const {
  std::fill_n(y.begin(), rows_, 0.0);
  for (const Block& b : blocks_) {
    double* out = y.data() + b.first_row;
    for (const Term& term : terms(b)) {
      const double* block = packed.data() + term.offset;
      const double* xb = x.data() + static_cast<std::ptrdiff_t>(term.body) * n_v_;
      if (b.rows == 2 && n_v_ == 3)
        add_product<2, 3>(block, xb, out, 2, 3);
      else
        add_product<0, 0>(block, xb, out, b.rows, n_v_);
    }
  }
}

void Equations::add_transposed(CView packed, CView lambda, double c, View out) const {
  for (const Block& b : blocks_) {
    const double* l = lambda.data() + b.first_row;
    for (const Term& term : terms(b)) {
      const double* block = packed.data() + term.offset;
      double* ob = out.data() + static_cast<std::ptrdiff_t>(term.body) * n_v_;
      if (b.rows == 2 && n_v_ == 3)
        add_transposed_product<2, 3>(block, l, c, ob, 2, 3);
      else
        add_transposed_product<0, 0>(block, l, c, ob, b.rows, n_v_);
    }
  }
}

void Equations::scale_rows(CView factors, View packed) const {
  for (const Block& b : blocks_)
    for (const Term& term : terms(b))
      for (int k = 0; k < n_v_ * b.rows; ++k)
        packed[static_cast<std::size_t>(term.offset + k)] *=
            factors[static_cast<std::size_t>(b.first_row + k % b.rows)];
}

Eigen::MatrixXd Equations::dense(CView packed) const {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(rows_, bodies_ * n_v_);
  for (const Block& b : blocks_)
    for (const Term& term : terms(b))
      J.block(b.first_row, term.body * n_v_, b.rows, n_v_) +=
          Eigen::Map<const Eigen::MatrixXd>(packed.data() + term.offset, b.rows, n_v_);
  return J;
}

}  // namespace cardan
