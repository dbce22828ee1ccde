// The saddle-point matrix [M phi_q^T; phi_q 0] itself, by KLU: analysed once, refactored while the
// pivots of the last full factorization stay good, factored anew when they do not. A row that is
// not active becomes lambda_i = 0.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <klu.h>

#include "cardan/system/saddle.h"

namespace cardan {

namespace {

constexpr double growth_limit = 1e-6;  // reciprocal pivot growth below which pivots are chosen anew
constexpr double condition_limit =
    1e-15;  // reciprocal condition below which the matrix counts as singular

class Kkt final : public SaddleSolver {
 public:
  Kkt(const Equations& equations, const MassMatrix& mass)
      : equations_(equations),
        n_(mass.size()),
        m_(equations.rows()),
        active_(static_cast<std::size_t>(m_), 1) {
    klu_defaults(&common_);
    build(mass);
    symbolic_ = klu_analyze(n_ + m_, columns_.data(), rows_.data(), &common_);
    if (symbolic_ == nullptr)
      throw std::runtime_error("analysis of the saddle-point matrix failed");
    x_.resize(static_cast<std::size_t>(n_ + m_));
    b_ = r_ = x_;
  }

  ~Kkt() override {
    klu_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }

  Kkt(const Kkt&) = delete;
  Kkt& operator=(const Kkt&) = delete;

  Health factor(CView packed) override {
    fill(packed);
    if (!std::all_of(values_.begin(), values_.end(), [](double x) { return std::isfinite(x); }))
      return {0, -1, 0, false};
    bool good = false;
    if (numeric_ != nullptr) {
      good =
          klu_refactor(
              columns_.data(), rows_.data(), values_.data(), symbolic_, numeric_, &common_) != 0 &&
          klu_rgrowth(
              columns_.data(), rows_.data(), values_.data(), symbolic_, numeric_, &common_) != 0 &&
          common_.rgrowth > growth_limit;
    }
    if (!good) {
      klu_free_numeric(&numeric_, &common_);
      numeric_ = klu_factor(columns_.data(), rows_.data(), values_.data(), symbolic_, &common_);
      if (numeric_ == nullptr) return {1, singular_row(), 0, false};
    }
    klu_rcond(symbolic_, numeric_, &common_);
    const bool ok = common_.rcond > condition_limit;
    return {ok ? 0 : 1, ok ? -1 : singular_row(), common_.rcond, ok, !good};
  }

  void solve(CView f, CView g, View a, View lambda) override {
    std::copy(f.begin(), f.end(), b_.begin());
    for (int i = 0; i < m_; ++i)
      b_[static_cast<std::size_t>(n_ + i)] =
          active_[static_cast<std::size_t>(i)] != 0 ? g[static_cast<std::size_t>(i)] : 0.0;
    std::copy(b_.begin(), b_.end(), x_.begin());
    klu_solve(symbolic_, numeric_, n_ + m_, 1, x_.data(), &common_);
    refine();
    std::copy_n(x_.begin(), n_, a.begin());
    std::copy_n(x_.begin() + n_, m_, lambda.begin());
  }

  double residual() const override { return residual_; }

  void activate(const std::vector<char>& active) override { active_ = active; }

 private:
  void build(const MassMatrix& mass) {
    struct Entry {
      int column, row,
          source;  // source: >= 0 packed index; -1 a constant; -2 - i the diagonal of row i
      double constant;
    };

    const int n_v = equations_.body_size();
    std::vector<Entry> entries;
    for (int b = 0; b < equations_.bodies(); ++b)
      for (int c = 0; c < n_v; ++c)
        for (int r = 0; r < n_v; ++r)
          if (r == c || mass.at(b, r, c) != 0)
            entries.push_back({b * n_v + c, b * n_v + r, -1, mass.at(b, r, c)});
    for (const auto& block : equations_.blocks()) {
      for (const auto& term : equations_.terms(block))
        for (int c = 0; c < n_v; ++c)
          for (int r = 0; r < block.rows; ++r) {
            const int source = term.offset + c * block.rows + r;
            entries.push_back({term.body * n_v + c, n_ + block.first_row + r, source, 0});
            entries.push_back({n_ + block.first_row + r, term.body * n_v + c, source, 0});
          }
      for (int r = 0; r < block.rows; ++r)
        entries.push_back(
            {n_ + block.first_row + r, n_ + block.first_row + r, -2 - (block.first_row + r), 0});
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.column, a.row) < std::pair(b.column, b.row);
    });
    columns_.assign(static_cast<std::size_t>(n_ + m_ + 1), 0);
    for (const Entry& e : entries) {
      const bool same = !rows_.empty() && last_column_ == e.column &&
                        rows_.back() == e.row;  // a body on two sides
      if (!same) {
        rows_.push_back(e.row);
        constant_.push_back(e.constant);
      }
      last_column_ = e.column;
      sources_.push_back({static_cast<int>(rows_.size()) - 1, e.source});
      columns_[static_cast<std::size_t>(e.column + 1)] = static_cast<int>(rows_.size());
    }
    for (std::size_t c = 1; c < columns_.size(); ++c)
      columns_[c] = std::max(columns_[c], columns_[c - 1]);
    values_.resize(rows_.size());
  }

  bool row_active(int k) const { return k < n_ || active_[static_cast<std::size_t>(k - n_)] != 0; }

  void fill(CView packed) {
    std::copy(constant_.begin(), constant_.end(), values_.begin());
    for (const Source& s : sources_) {
      if (s.from >= 0)
        values_[static_cast<std::size_t>(s.to)] += packed[static_cast<std::size_t>(s.from)];
      if (s.from <= -2 && active_[static_cast<std::size_t>(-2 - s.from)] == 0)
        values_[static_cast<std::size_t>(s.to)] = 1;
    }
    for (int c = 0; c < n_ + m_;
         ++c)  // rows and columns of equations that are not active keep only their diagonal
      for (int k = columns_[static_cast<std::size_t>(c)];
           k < columns_[static_cast<std::size_t>(c + 1)];
           ++k)
        if (rows_[static_cast<std::size_t>(k)] != c &&
            !(row_active(rows_[static_cast<std::size_t>(k)]) && row_active(c)))
          values_[static_cast<std::size_t>(k)] = 0;
  }

  void refine() {
    r_ = b_;
    double scale = 0;
    for (const double x : b_) scale = std::max(scale, std::abs(x));
    residual_into();
    klu_solve(symbolic_, numeric_, n_ + m_, 1, r_.data(), &common_);
    for (std::size_t k = 0; k < x_.size(); ++k) x_[k] += r_[k];
    r_ = b_;
    residual_into();
    double worst = 0;
    for (std::size_t k = static_cast<std::size_t>(n_); k < r_.size(); ++k)
      worst = std::max(worst, std::abs(r_[k]));
    residual_ = scale > 0 ? worst / scale : 0;
  }

  void residual_into() {  // r <- r - A x
    for (int c = 0; c < n_ + m_; ++c)
      for (int k = columns_[static_cast<std::size_t>(c)];
           k < columns_[static_cast<std::size_t>(c + 1)];
           ++k)
        r_[static_cast<std::size_t>(rows_[static_cast<std::size_t>(k)])] -=
            values_[static_cast<std::size_t>(k)] * x_[static_cast<std::size_t>(c)];
  }

  int singular_row() const { return common_.singular_col >= n_ ? common_.singular_col - n_ : -1; }

  struct Source {
    int to, from;
  };

  const Equations& equations_;
  int n_, m_, last_column_ = -1;
  std::vector<char> active_;
  std::vector<int> columns_, rows_;
  std::vector<double> values_, constant_, x_, b_, r_;
  std::vector<Source> sources_;
  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
  double residual_ = 0;
};

}  // namespace

std::unique_ptr<SaddleSolver> make_kkt(const Equations& equations, const MassMatrix& mass) {
  return std::make_unique<Kkt>(equations, mass);
}

}  // namespace cardan
