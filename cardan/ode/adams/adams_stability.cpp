#include "cardan/ode/adams/adams_stability.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "cardan/math/eigenvalues.h"
#include "cardan/ode/adams/adams_coefficients.h"

namespace cardan {

double adams_amplification(AdamsScheme scheme, int k, std::complex<double> z) {
  const bool higher = scheme == AdamsScheme::pece || scheme == AdamsScheme::mampc;
  const auto b = adams_bashforth(k);
  const auto c = adams_moulton(higher ? k + 1 : k);
  const int size = std::max(k, 1);
  Eigen::MatrixXcd step = Eigen::MatrixXcd::Zero(size, size);  // acts on (y_n, ..., y_{n-k+1})
  for (int j = 1; j < size; ++j) step(j, j - 1) = 1;
  std::complex<double> scale = 1;
  for (int j = 0; j < size; ++j) {
    const auto m = static_cast<std::size_t>(j);
    const double bj = b[m].value(), cj = m + 1 < c.size() ? c[m + 1].value() : 0;
    const double first = j == 0 ? 1 : 0;
    if (scheme == AdamsScheme::ab) {
      step(0, j) = first + z * bj;
    } else if (scheme == AdamsScheme::am) {
      step(0, j) = first + z * cj;
      scale = 1.0 - z * c[0].value();
    } else {
      step(0, j) = first + z * (c[0].value() * (first + z * bj) + cj);
    }
  }
  step.row(0) /= scale;
  return spectral_radius(step);
}

namespace {

constexpr double none = 0, unbounded = std::numeric_limits<double>::infinity();

// Rows: ab, am, pece and mampc, ampc; columns: k = 1..12. The test recomputes them from the roots.
// On the imaginary axis `none` means that the principal root grows from the start, however slowly.
constexpr StabilityLimits limits[4][12] = {
    {{2, none},
     {1, none},
     {6.0 / 11, 0.7236272269866},
     {0.3, 0.4299870799093},
     {90.0 / 551, none},
     {5.0 / 57, none},
     {0.04651391725937, 0.05808972588891},
     {0.02440851327617, 0.02948955204006},
     {0.01270447596389, none},
     {0.006571246450716, none},
     {0.003382547094661, 0.003845136903432},
     {0.001734656177629, 0.001947291501173}},
    {{unbounded, unbounded},
     {unbounded, unbounded},
     {6, none},
     {3, none},
     {90.0 / 49, 1.211930594217},
     {45.0 / 38, 1.376357866557},
     {0.7686051240342, none},
     {0.4929577464789, none},
     {0.3099614051584, 0.4265360190429},
     {0.1905959231969, 0.251826824013},
     {0.1146649981585, none},
     {0.06762563926487, none}},
    {{2, none},
     {2.4, 1.2},
     {1.934608421157, 1.178471730604},
     {1.411461485997, none},
     {1.039349453686, none},
     {0.7727669405417, 0.5188549831254},
     {0.5797016656012, 0.3741673502897},
     {0.4393742284899, none},
     {0.3374145013843, none},
     {0.2635056697733, 0.1197874476953},
     {0.2100972151559, 0.07522889703212},
     {0.0616580325818, none}},
    {{1, 1},
     {2, 1.287188505811},
     {1.728783568074, none},
     {1.284816263107, none},
     {0.9469170345372, 0.2587117477},
     {0.6980026295486, 0.5267174269442},
     {0.5153159255102, none},
     {0.3815690950419, none},
     {0.2839200410489, 0.142604126},
     {0.2128242290083, 0.1440152285159},
     {0.1611957728948, none},
     {0.1237868014366, none}},
};

}  // namespace

StabilityLimits adams_limits(AdamsScheme scheme, int k) {
  if (k < 1 || k > 12) throw std::invalid_argument("Adams methods have orders 1 to 12");
  constexpr int rows[] = {0, 1, 2, 3, 2};  // ab, am, pece, ampc, mampc
  return limits[rows[static_cast<int>(scheme)]][k - 1];
}
}  // namespace cardan
