#include "cardan/report/spectrum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>

namespace cardan {

namespace {

constexpr std::size_t most_even_rows = 1U << 19U;
constexpr double tau = 2 * std::numbers::pi;

struct EvenRows {
  std::vector<double> values;
  double step = 0;
};

double slope_at(const std::vector<double>& t, const std::vector<double>& v, std::size_t i) {
  const auto slope = [&](std::size_t a) {
    return (v[a + 1] - v[a]) / (t[a + 1] - t[a]);
  };
  const std::size_t last = t.size() - 1;
  const bool before = i > 0 && t[i] > t[i - 1], after = i < last && t[i + 1] > t[i];
  if (!before && !after) return 0;
  if (!before) return slope(i);
  if (!after) return slope(i - 1);
  const double h0 = t[i] - t[i - 1], h1 = t[i + 1] - t[i];
  return (slope(i - 1) * h1 + slope(i) * h0) / (h0 + h1);
}

bool at_even_steps(const std::vector<double>& t) {
  const double mean = (t.back() - t.front()) / static_cast<double>(t.size() - 1);
  for (std::size_t i = 1; i < t.size(); ++i)
    if (!(std::abs(t[i] - t[i - 1] - mean) <= 1e-6 * mean)) return false;
  return true;
}

// As close as a tenth of the rows are.
std::size_t wanted_parts(const std::vector<double>& t) {
  const double span = t.back() - t.front(), mean = span / static_cast<double>(t.size() - 1);
  std::vector<double> gaps;
  for (std::size_t i = 1; i < t.size(); ++i)
    if (t[i] - t[i - 1] > 1e-9 * mean) gaps.push_back(t[i] - t[i - 1]);
  const auto tenth = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 10);
  std::nth_element(gaps.begin(), tenth, gaps.end());
  const double parts = std::ceil(span / *tenth);
  return static_cast<std::size_t>(
      std::min({parts, 4.0 * static_cast<double>(t.size()), double{most_even_rows - 1}}));
}

EvenRows even_rows(const std::vector<double>& t, const std::vector<double>& v) {
  const double span = t.back() - t.front();
  if (at_even_steps(t)) return {v, span / static_cast<double>(t.size() - 1)};
  const std::size_t parts = wanted_parts(t);
  EvenRows out{std::vector<double>(parts + 1), span / static_cast<double>(parts)};
  std::size_t j = 0;
  double m0 = slope_at(t, v, 0), m1 = slope_at(t, v, 1);
  for (std::size_t i = 0; i <= parts; ++i) {
    const double at = t.front() + static_cast<double>(i) * out.step;
    for (; j + 2 < t.size() && t[j + 1] <= at; m0 = m1, m1 = slope_at(t, v, ++j + 1)) {
    }
    const double h = t[j + 1] - t[j];
    const double s = h > 0 ? std::clamp((at - t[j]) / h, 0.0, 1.0) : 1.0, r = 1 - s;
    out.values[i] =
        (1 + 2 * s) * r * r * v[j] + s * s * (3 - 2 * s) * v[j + 1] + h * s * r * (r * m0 - s * m1);
  }
  return out;
}

// Without the straight line, times the window; answers the window's sum.
double weigh(std::vector<double>& values, std::vector<std::complex<double>>& out) {
  const auto n = static_cast<double>(values.size());
  const double middle = (n - 1) / 2;
  double sum = 0, squares = 0, level = 0, slope = 0;
  const auto weight = [n](double i) {
    return 0.5 * (1 - std::cos(tau * (i + 0.5) / n));
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto at = static_cast<double>(i);
    const double w = weight(at), x = at - middle;
    sum += w;
    squares += w * x * x;
    level += w * values[i];
    slope += w * x * values[i];
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto at = static_cast<double>(i);
    out[i] = weight(at) * (values[i] - level / sum - slope / squares * (at - middle));
  }
  return sum;
}

// Radix-2 transform in place.
void transform(std::vector<std::complex<double>>& x) {
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n / 2;
    for (; (j & bit) != 0; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  std::vector<std::complex<double>> turn(n / 2);
  for (std::size_t k = 0; k < n / 2; ++k)
    turn[k] = std::polar(1.0, -tau * static_cast<double>(k) / static_cast<double>(n));
  for (std::size_t half = 1; half < n; half *= 2)
    for (std::size_t from = 0; from < n; from += 2 * half)
      for (std::size_t k = 0; k < half; ++k) {
        const std::complex<double> w = turn[k * (n / (2 * half))], y = x[from + k + half];
        const std::complex<double> b{y.real() * w.real() - y.imag() * w.imag(),
                                     y.real() * w.imag() + y.imag() * w.real()};
        x[from + k + half] = x[from + k] - b;
        x[from + k] += b;
      }
}

void sharpen(Spectrum& s, double line) {
  for (std::size_t k = 1; k + 1 < s.amplitude.size(); ++k) {
    const double before = s.amplitude[k - 1], here = s.amplitude[k], after = s.amplitude[k + 1];
    if (!(here >= before && here > after && before > 0 && after > 0)) continue;
    const double a = std::log(before / here), b = std::log(after / here);
    const double place = 0.5 * (a - b) / (a + b);
    s.frequency[k] += place * line;
    s.amplitude[k] = here * std::exp(-0.25 * (a - b) * place);
    ++k;  // the neighbour has been used as it was
  }
}

// Bins as wide as a share of their frequency, so that low ones keep their lines.
Spectrum thinned_lines(const Spectrum& all, std::size_t lines) {
  const std::size_t n = all.frequency.size();
  if (n <= lines) return all;
  const double share = (2 + std::log(static_cast<double>(n))) / static_cast<double>(lines);
  Spectrum out;
  for (std::size_t k = 0; k < n;) {
    const auto width = static_cast<std::size_t>(std::max(1.0, share * static_cast<double>(k)));
    const auto from = all.amplitude.begin() + static_cast<std::ptrdiff_t>(k);
    const auto to = all.amplitude.begin() + static_cast<std::ptrdiff_t>(std::min(n, k + width));
    const auto best = std::max_element(from, to);
    out.frequency.push_back(all.frequency[static_cast<std::size_t>(best - all.amplitude.begin())]);
    out.amplitude.push_back(*best);
    k += width;
  }
  return out;
}

}  // namespace

Spectrum amplitude_spectrum(const std::vector<double>& t,
                            const std::vector<double>& v,
                            std::size_t lines) {
  std::vector<double> times, values;
  for (std::size_t i = 0; i < v.size(); ++i)
    if (std::isfinite(v[i])) times.push_back(t[i]), values.push_back(v[i]);
  if (times.size() < 8 || !(times.back() > times.front())) return {};
  EvenRows even = even_rows(times, values);
  const std::size_t n = even.values.size();
  double mean = 0;
  for (const double x : even.values) mean += x / static_cast<double>(n);
  std::vector<std::complex<double>> x(std::bit_ceil(2 * n));
  const double sum = weigh(even.values, x);
  transform(x);
  const double line = 1 / (static_cast<double>(x.size()) * even.step);
  Spectrum out;
  for (std::size_t k = 0; k <= x.size() / 2; ++k) {
    out.frequency.push_back(static_cast<double>(k) * line);
    out.amplitude.push_back(2 / sum * std::abs(x[k]));
  }
  sharpen(out, line);
  out.amplitude.front() = std::abs(mean);
  return thinned_lines(out, lines);
}

}  // namespace cardan
