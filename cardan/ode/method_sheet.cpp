#include "cardan/ode/method_sheet.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <Eigen/Core>
#include <fmt/format.h>

#include "cardan/ode/adams/adams_coefficients.h"
#include "cardan/ode/implicit/implicit_tableau.h"
#include "cardan/ode/implicit/rosenbrock.h"
#include "cardan/ode/implicit/sdirk_tableaux.h"
#include "cardan/ode/second_order/generalized_alpha.h"

namespace cardan {

namespace {

using Cells = std::vector<std::string>;

double factorial(int n) {
  double out = 1;
  for (int k = 2; k <= n; ++k) out *= k;
  return out;
}

// Of y' = lambda y: R(z) = 1 + sum_k b^T A^(k-1) 1 z^k, so the first term that is not that of
// exp(z) is 1/(p+1)! - b^T A^p 1.
double linear_error(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, int order) {
  Eigen::VectorXd x = Eigen::VectorXd::Ones(A.rows());
  for (int k = 0; k < order; ++k) x = A * x;
  return 1 / factorial(order + 1) - b.dot(x);
}

// c | A, b below, and the weights of the embedded method where there is one.
CoefficientTable butcher(const Eigen::VectorXd& c,
                         const Eigen::MatrixXd& A,
                         const Eigen::VectorXd& b,
                         const Eigen::VectorXd& embedded) {
  const Eigen::Index s = c.size();
  CoefficientTable out;
  out.title = "Butcher array";
  out.head = {"", "c"};
  for (Eigen::Index j = 0; j < s; ++j) out.head.push_back(fmt::format("a_i{}", j + 1));
  for (Eigen::Index i = 0; i < s; ++i) {
    Cells row{fmt::format("{}", i + 1), as_fraction(c[i])};
    for (Eigen::Index j = 0; j < s; ++j)
      row.push_back(A(i, j) == 0 && j >= i ? "" : as_fraction(A(i, j)));
    out.rows.push_back(std::move(row));
  }
  const auto weights = [&](const char* name, const Eigen::VectorXd& w) {
    Cells row{name, ""};
    for (Eigen::Index j = 0; j < s; ++j) row.push_back(as_fraction(w[j]));
    out.rows.push_back(std::move(row));
  };
  weights("b", b);
  if (embedded.size() == s) weights("b embedded", embedded);
  return out;
}

MethodSheet sheet_of_stages(const Tableau& t) {
  const Eigen::Index s = t.stages;
  Eigen::VectorXd c(s), b(s), e(t.error_order > 0 ? s : 0);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(s, s);
  for (Eigen::Index i = 0; i < s; ++i) {
    const auto at = static_cast<std::size_t>(i);
    c[i] = t.c[at], b[i] = t.b[at];
    if (e.size() > 0) e[i] = t.b[at] - t.e[at];
    for (Eigen::Index j = 0; j < i; ++j) A(i, j) = t.a[at][static_cast<std::size_t>(j)];
  }
  MethodSheet out;
  out.formula = "k_i = f(t + c_i h, y + h sum_(j<i) a_ij k_j),   y_new = y + h sum b_i k_i";
  out.tables.push_back(butcher(c, A, b, e));
  out.error_constant = linear_error(A, b, t.order);
  return out;
}

MethodSheet dop853_sheet() {
  const Tableau& t = dop853_tableau;
  MethodSheet out;
  out.formula =
      "k_i = f(t + c_i h, y + h sum_(j<i) a_ij k_j),   y_new = y + h sum b_i k_i\n"
      "error from two estimates, of order 5 (weights e) and 3";
  CoefficientTable table;
  table.title = "coefficients that are not zero, by stage";
  table.head = {"stage", "coefficient", "value"};
  for (int i = 0; i < t.stages; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::string stage = std::to_string(i + 1);
    table.rows.push_back({stage, "c", as_fraction(t.c[at])});
    for (int j = 0; j < i; ++j)
      if (t.a[at][static_cast<std::size_t>(j)] != 0)
        table.rows.push_back({stage,
                              fmt::format("a_{},{}", i + 1, j + 1),
                              as_fraction(t.a[at][static_cast<std::size_t>(j)])});
    if (t.b[at] != 0) table.rows.push_back({stage, "b", as_fraction(t.b[at])});
    if (t.e[at] != 0) table.rows.push_back({stage, "e", as_fraction(t.e[at])});
  }
  out.tables.push_back(std::move(table));
  const auto r = stability_polynomial(t);
  if (r.size() > 9) out.error_constant = 1 / factorial(9) - r[9];
  return out;
}

MethodSheet collocation_sheet(const ImplicitTableau& t) {
  MethodSheet out;
  out.formula = "k_i = f(t + c_i h, y + h sum_j a_ij k_j),   y_new = y + h sum b_i k_i";
  out.tables.push_back(butcher(t.c, t.A, t.b, {}));
  out.error_constant = linear_error(t.A, t.b, t.order);
  return out;
}

MethodSheet diagonal_sheet(const DiagonalTableau& t) {
  const Eigen::Index s = t.stages;
  Eigen::VectorXd c(s), b(s), e(t.error_order > 0 ? s : 0);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(s, s);
  for (Eigen::Index i = 0; i < s; ++i) {
    c[i] = t.c[i];
    for (Eigen::Index j = 0; j < i; ++j) A(i, j) = t.a[i][j];
    A(i, i) = i == 0 && t.explicit_first ? 0 : t.gamma;
  }
  b = A.row(s - 1).transpose();  // the last stage is the result
  for (Eigen::Index i = 0; i < e.size(); ++i) e[i] = b[i] - t.e[i];
  MethodSheet out;
  out.formula =
      "k_i = f(t + c_i h, y + h sum_(j<=i) a_ij k_j),   y_new = y + h sum b_i k_i, the last stage";
  out.tables.push_back(butcher(c, A, b, e));
  out.error_constant = linear_error(A, b, t.order);
  return out;
}

MethodSheet rosenbrock_sheet() {
  const RosenbrockTableau& t = rodasp_tableau;
  MethodSheet out;
  out.formula =
      "(I - h g f_y) u_i = h g (f(t + alpha_i h, y + sum_(j<i) a_ij u_j) + sum_(j<i) c_ij u_j/h"
      " + h d_i f_t)\ny_new = y + sum m_i u_i, error u_6";
  CoefficientTable nodes{
      "nodes and weights, g = " + as_fraction(t.gamma), {"stage", "alpha", "d", "m"}, {}};
  CoefficientTable a{"a_ij and c_ij", {"i,j", "a", "c"}, {}};
  for (int i = 0; i < RosenbrockTableau::stages; ++i) {
    nodes.rows.push_back(
        {std::to_string(i + 1), as_fraction(t.alpha[i]), as_fraction(t.d[i]), as_fraction(t.m[i])});
    for (int j = 0; j < i; ++j)
      a.rows.push_back(
          {fmt::format("{},{}", i + 1, j + 1), as_fraction(t.a[i][j]), as_fraction(t.c[i][j])});
  }
  out.tables = {std::move(nodes), std::move(a)};
  return out;
}

// ---- multistep

CoefficientTable differences_table(int k) {
  CoefficientTable out{"coefficients of backward differences", {"i", "gamma_i", "gamma*_i"}, {}};
  for (int i = 0; i <= k; ++i)
    out.rows.push_back({std::to_string(i),
                        to_text(adams_gamma[static_cast<std::size_t>(i)]),
                        to_text(adams_gamma_star[static_cast<std::size_t>(i)])});
  return out;
}

CoefficientTable values_table(const std::string& title,
                              const std::vector<Rational>& weights,
                              int newest) {
  CoefficientTable out{title, {"of", "weight"}, {}};
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const int at = newest - static_cast<int>(j);
    out.rows.push_back({at == 0 ? "f_n" : fmt::format("f_(n{:+})", at), to_text(weights[j])});
  }
  return out;
}

MethodSheet adams_sheet(std::string_view name, int k) {
  MethodSheet out;
  const auto at = [](int i) {
    return static_cast<std::size_t>(i);
  };
  out.tables.push_back(differences_table(std::min(k + 1, adams_most)));
  const std::string order = std::to_string(k);
  if (name != "am") {
    out.tables.push_back(values_table("Adams-Bashforth of order " + order, adams_bashforth(k), 0));
  }
  if (name == "ab") {
    out.formula = "y_(n+1) = y_n + h sum_(i<k) gamma_i nabla^i f_n";
    out.error_constant = adams_gamma[at(k)].value();
    return out;
  }
  const bool higher = name == "pece" || name == "adams";
  const int corrector = higher ? k + 1 : k;
  out.tables.push_back(values_table(
      "Adams-Moulton of order " + std::to_string(corrector), adams_moulton(corrector), 1));
  if (name == "am") {
    out.formula = "y_(n+1) = y_n + h sum_(i<k) gamma*_i nabla^i f_(n+1), iterated to convergence";
    out.error_constant = adams_gamma_star[at(k)].value();
  } else if (name == "ampc") {
    out.formula =
        "Adams-Bashforth of order k predicts;\n"
        "Adams-Moulton of order k corrects once, with f of the prediction";
  } else if (name == "mampc") {
    out.formula = "y_(n+1) = w_AB y_AB + w_AM y_AM, both of order k, y_AM with f of y_AB";
    CoefficientTable weights{"weights of the two results", {"k", "w_AB", "w_AM"}, {}};
    for (int i = 1; i <= std::max(k, 5) && i < adams_most; ++i) {
      const AdamsWeights x = modified_weights(i);
      weights.rows.push_back({std::to_string(i), to_text(x.bashforth), to_text(x.moulton)});
    }
    out.tables.insert(out.tables.begin(), std::move(weights));
  } else {
    out.formula =
        "Adams-Bashforth of order k predicts;\n"
        "Adams-Moulton of order k + 1 corrects once, with f of the prediction";
  }
  return out;
}

// sum_(i=1..k) nabla^i y_(n+1)/i = h f_(n+1), divided by the coefficient of y_(n+1).
MethodSheet bdf_sheet(int k, bool ndf) {
  std::vector<Rational> alpha(static_cast<std::size_t>(k) + 1);
  for (int i = 1; i <= k; ++i) {
    long long binomial = 1;  // C(i, j)
    for (int j = 0; j <= i; ++j) {
      alpha[static_cast<std::size_t>(j)] += Rational(j % 2 == 0 ? binomial : -binomial, i);
      binomial = binomial * (i - j) / (j + 1);
    }
  }
  MethodSheet out;
  out.formula = "sum_(i=1..k) nabla^i y_(n+1)/i = h f_(n+1)";
  if (ndf) out.formula += " + kappa_k gamma_k (y_(n+1) - predicted), for orders 1 to 4";
  CoefficientTable table{"coefficients of the values", {"of", "alpha", "alpha/alpha_0"}, {}};
  for (int j = 0; j <= k; ++j) {
    const Rational x = alpha[static_cast<std::size_t>(j)];
    table.rows.push_back(
        {j == 1 ? "y_n" : fmt::format("y_(n{:+})", 1 - j), to_text(x), to_text(x / alpha[0])});
  }
  table.rows.push_back({"h f_(n+1)", "1", to_text(Rational(1) / alpha[0])});
  out.tables.push_back(std::move(table));
  if (!ndf) out.error_constant = -1.0 / (k + 1) / alpha[0].value();
  return out;
}

// ---- second-order equations

MethodSheet alpha_sheet(const AlphaParameters& p) {
  MethodSheet out;
  out.formula =
      "(1 - alpha_m) A_(n+1) + alpha_m A_n = (1 - alpha_f) a_(n+1) + alpha_f a_n\n"
      "q_(n+1) = q_n + h v_n + h^2 ((1/2 - beta) A_n + beta A_(n+1))\n"
      "v_(n+1) = v_n + h ((1 - gamma) A_n + gamma A_(n+1))";
  out.tables.push_back({"parameters",
                        {"", "value"},
                        {{"alpha_m", as_fraction(p.alpha_m)},
                         {"alpha_f", as_fraction(p.alpha_f)},
                         {"gamma", as_fraction(p.gamma)},
                         {"beta", as_fraction(p.beta)}}});
  return out;
}

double given_or(double x, double usual) {
  return std::isnan(x) ? usual : x;
}

struct SheetEntry {
  std::string_view name;
  std::string_view reference;
  MethodSheet (*make)(const MethodOptions&, const Traits&);
};

template <const Tableau& tableau> MethodSheet stages_sheet(const MethodOptions&, const Traits&) {
  return sheet_of_stages(tableau);
}

template <const DiagonalTableau& tableau>
MethodSheet diagonal(const MethodOptions&, const Traits&) {
  return diagonal_sheet(tableau);
}

MethodSheet sdirk(const MethodOptions&, const Traits& t) {
  return diagonal_sheet(t.order_max == 2   ? sdirk2_tableau
                        : t.order_max == 3 ? sdirk3_tableau
                                           : sdirk4_tableau);
}

// Order k of the options where it was given; k of the method otherwise. pece and mampc are one
// order higher than k.
template <int above> MethodSheet adams(const MethodOptions& o, const Traits& t) {
  return adams_sheet(t.name, o.order > 0 ? o.order : t.order_max - above);
}

template <int scheme> MethodSheet second_order(const MethodOptions&, const Traits&) {
  static const char* const formulas[] = {
      "q_new = q + h v + h^2/2 a,   v_new = v + h a",
      "k = a(t + h/2, q + h/2 v, v),   q_new = q + h v + h^2/2 k,   v_new = v + h k",
      "v_new = v + h a,   q_new = q + h v_new",
      "q_new = q + h v + h^2/2 a,   v_new = v + h/2 (a + a(t + h, q_new, v + h a))"};
  MethodSheet out;
  out.formula = formulas[scheme];
  return out;
}

constexpr std::string_view hnw =
    "Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I (1993)";
constexpr std::string_view hw =
    "Hairer & Wanner, Solving Ordinary Differential Equations II (1996)";

const SheetEntry sheets[] = {
    {"euler", hnw, stages_sheet<euler_tableau>},
    {"heun", hnw, stages_sheet<heun_tableau>},
    {"midpoint", hnw, stages_sheet<midpoint_tableau>},
    {"rk2",
     "Ralston, Math. Comput. 16 (1962)",
     [](const MethodOptions& o, const Traits&) {
       return sheet_of_stages(two_stage_tableau(given_or(o.alpha, 0.75)));
     }},
    {"rk3", "Kutta, Z. Math. Phys. 46 (1901)", stages_sheet<rk3_tableau>},
    {"rk4", "Kutta, Z. Math. Phys. 46 (1901)", stages_sheet<rk4_tableau>},
    {"ode23", "Bogacki & Shampine, Appl. Math. Lett. 2 (1989)", stages_sheet<ode23_tableau>},
    {"ode45", "Dormand & Prince, J. Comput. Appl. Math. 6 (1980)", stages_sheet<ode45_tableau>},
    {"rkf45", "Fehlberg, NASA TR R-315 (1969)", stages_sheet<rkf45_tableau>},
    {"dop853",
     "Prince & Dormand, J. Comput. Appl. Math. 7 (1981); Hairer, Norsett & Wanner I (1993), II.5",
     [](const MethodOptions&, const Traits&) {
       return dop853_sheet();
     }},
    {"taylor2", hnw, second_order<0>},
    {"euler2", hnw, second_order<1>},
    {"semi-implicit",
     "Hairer, Lubich & Wanner, Geometric Numerical Integration (2006)",
     second_order<2>},
    {"verlet", "Verlet, Phys. Rev. 159 (1967)", second_order<3>},
    {"ab", hnw, adams<0>},
    {"am", hnw, adams<0>},
    {"pece", hnw, adams<1>},
    {"ampc", hnw, adams<0>},
    {"mampc", "Wu, Chiou & Lin, Mech. Struct. Mach. 28 (2000)", adams<1>},
    {"adams",
     "Shampine & Gordon, Computer Solution of Ordinary Differential Equations (1975)",
     [](const MethodOptions& o, const Traits& t) {
       return adams_sheet("adams",
                          std::min(o.order > 0 ? o.order : t.order_max - 1, adams_most - 1));
     }},
    {"newmark",
     "Newmark, J. Eng. Mech. Div. ASCE 85 (1959)",
     [](const MethodOptions& o, const Traits&) {
       const double gamma = given_or(o.gamma, 0.5);
       return alpha_sheet({0, 0, gamma, given_or(o.beta, 0.25 * (gamma + 0.5) * (gamma + 0.5))});
     }},
    {"hht",
     "Hilber, Hughes & Taylor, Earthquake Eng. Struct. Dyn. 5 (1977)",
     [](const MethodOptions& o, const Traits&) {
       return alpha_sheet(hht_parameters(given_or(o.alpha, -0.1)));
     }},
    {"generalized-alpha",
     "Chung & Hulbert, J. Appl. Mech. 60 (1993)",
     [](const MethodOptions& o, const Traits&) {
       return alpha_sheet(generalized_alpha_parameters(given_or(o.rho_infinity, 0.8)));
     }},
    {"backward-euler", hw, diagonal<backward_euler_tableau>},
    {"trapezoidal", hw, diagonal<trapezoidal_tableau>},
    {"sdirk", "Alexander, SIAM J. Numer. Anal. 14 (1977); Hairer & Wanner II (1996), IV.6", sdirk},
    {"gauss",
     hw,
     [](const MethodOptions&, const Traits& t) {
       return collocation_sheet(gauss_tableau(t.order_max / 2));
     }},
    {"gauss-simd",
     hw,
     [](const MethodOptions&, const Traits& t) {
       return collocation_sheet(gauss_tableau(t.order_max / 2));
     }},
    {"radau-fixed",
     hw,
     [](const MethodOptions&, const Traits& t) {
       return collocation_sheet(radau_tableau((t.order_max + 1) / 2));
     }},
    {"radau5",
     "Hairer & Wanner II (1996), IV.8",
     [](const MethodOptions&, const Traits&) {
       return collocation_sheet(radau_tableau(3));
     }},
    {"esdirk", "Kennedy & Carpenter, Appl. Numer. Math. 44 (2003)", diagonal<esdirk4_tableau>},
    {"rosenbrock",
     "Steinebach, order reduction of ROW methods (1995); Hairer & Wanner II (1996), IV.7",
     [](const MethodOptions&, const Traits&) {
       return rosenbrock_sheet();
     }},
    {"ode23s",
     "Shampine & Reichelt, SIAM J. Sci. Comput. 18 (1997)",
     [](const MethodOptions&, const Traits&) {
       MethodSheet out;
       out.formula =
           "W k1 = f(t, y) + h d f_t,   W = I - h d f_y,   d = 1/(2 + sqrt(2))\n"
           "W (k2 - k1) = f1 - k1,   f1 = f(t + h/2, y + h/2 k1),   y_new = y + h k2\n"
           "W k3 = f(t + h, y_new) - (6 + sqrt(2)) (k2 - f1) - 2 (k1 - f(t, y)) + h d f_t\n"
           "error h/6 (k1 - 2 k2 + k3)";
       out.tables.push_back({"parameters",
                             {"", "value"},
                             {{"d", as_fraction(1 / (2 + std::sqrt(2.0)))},
                              {"e", as_fraction(6 + std::sqrt(2.0))}}});
       return out;
     }},
    {"ode23t", "Shampine & Reichelt, SIAM J. Sci. Comput. 18 (1997)", diagonal<ode23t_tableau>},
    {"ode23tb", "Hosea & Shampine, Appl. Numer. Math. 20 (1996)", diagonal<ode23tb_tableau>},
    {"bdf-fixed",
     "Curtiss & Hirschfelder, Proc. Natl. Acad. Sci. 38 (1952)",
     [](const MethodOptions&, const Traits& t) {
       return bdf_sheet(t.order_max, false);
     }},
    {"bdf",
     "Jackson & Sacks-Davis, ACM Trans. Math. Softw. 6 (1980); Shampine & Reichelt, SIAM J. Sci. "
     "Comput. 18 (1997)",
     [](const MethodOptions& o, const Traits& t) {
       return bdf_sheet(t.order_max, o.variant == "ndf");
     }},
};

}  // namespace

// Continued fraction of x; its convergents are the best fractions there are.
std::string as_fraction(double x) {
  constexpr double most = 1e6;           // denominator
  constexpr double round_off = 4.5e-16;  // relative
  if (x == 0) return "0";
  double p0 = 0, q0 = 1, p1 = 1, q1 = 0, rest = std::abs(x);
  for (int k = 0; k < 30; ++k) {
    const double whole = std::floor(rest);
    const double p = whole * p1 + p0, q = whole * q1 + q0;
    if (q > most || p > 1e12) break;
    if (std::abs(p / q - std::abs(x)) <= round_off * std::max(std::abs(x), 0.1))
      return fmt::format(
          "{}{:.0f}{}", x < 0 ? "-" : "", p, q == 1 ? std::string() : fmt::format("/{:.0f}", q));
    p0 = p1, q0 = q1, p1 = p, q1 = q;
    rest = 1 / (rest - whole);
  }
  return fmt::format("{:.17g}", x);
}

MethodSheet tableau_sheet(const Tableau& tableau) {
  return sheet_of_stages(tableau);
}

MethodSheet method_sheet(const MethodEntry& entry, const MethodOptions& options) {
  for (const SheetEntry& sheet : sheets) {
    if (sheet.name != entry.name) continue;
    MethodSheet out = sheet.make(options, entry.traits(options));
    out.reference = sheet.reference;
    return out;
  }
  throw std::logic_error("no sheet of the method " + std::string(entry.name));
}

}  // namespace cardan
