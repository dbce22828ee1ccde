#pragma once
// Exact fractions for coefficients of methods, also at compile time. Numerator and denominator fit
// 64 bits; sums and products go through 128 bits and must fit again after cancelling.
#include <stdexcept>
#include <string>

namespace cardan {

class Rational {
 public:
  constexpr Rational() = default;

  constexpr Rational(long long whole) : top_(whole) {}  // NOLINT(google-explicit-constructor)

  constexpr Rational(long long top, long long bottom) : Rational(make(top, bottom)) {}

  constexpr long long numerator() const { return top_; }

  constexpr long long denominator() const { return bottom_; }  // positive

  constexpr double value() const {
    return static_cast<double>(top_) / static_cast<double>(bottom_);
  }

  friend constexpr Rational operator+(Rational a, Rational b) {
    return make(Wide(a.top_) * b.bottom_ + Wide(b.top_) * a.bottom_, Wide(a.bottom_) * b.bottom_);
  }

  friend constexpr Rational operator-(Rational a, Rational b) { return a + Rational(-1) * b; }

  friend constexpr Rational operator*(Rational a, Rational b) {
    return make(Wide(a.top_) * b.top_, Wide(a.bottom_) * b.bottom_);
  }

  friend constexpr Rational operator/(Rational a, Rational b) {
    return make(Wide(a.top_) * b.bottom_, Wide(a.bottom_) * b.top_);
  }

  constexpr Rational& operator+=(Rational b) { return *this = *this + b; }

  constexpr Rational& operator-=(Rational b) { return *this = *this - b; }

  friend constexpr bool operator==(Rational, Rational) = default;

 private:
  using Wide = __int128;

  static constexpr Rational make(Wide top, Wide bottom) {
    if (bottom == 0) throw std::invalid_argument("a fraction with denominator 0");
    Wide a = top < 0 ? -top : top, b = bottom < 0 ? -bottom : bottom;
    while (b != 0) {
      const Wide rest = a % b;
      a = b;
      b = rest;
    }
    if (bottom < 0) a = -a;
    Rational out;
    out.top_ = static_cast<long long>(top / a);
    out.bottom_ = static_cast<long long>(bottom / a);
    if (Wide(out.top_) != top / a || Wide(out.bottom_) != bottom / a) {
      throw std::overflow_error("a fraction beyond 64 bits");
    }
    return out;
  }

  long long top_ = 0, bottom_ = 1;
};

inline std::string to_text(Rational x) {
  const std::string top = std::to_string(x.numerator());
  return x.denominator() == 1 ? top : top + "/" + std::to_string(x.denominator());
}

}  // namespace cardan
