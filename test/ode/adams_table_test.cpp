// Coefficients, tables and limits of the fixed-step Adams methods against the recomputed values of
// documents 000 (section 7.4) and 002.
#include <cmath>

#include <gtest/gtest.h>

#include "cardan/math/interpolation.h"
#include "cardan/ode/adams/adams_coefficients.h"
#include "cardan/ode/adams/adams_stability.h"
#include "cardan/ode/registry.h"
#include "test/ode/exact_problems.h"
#include "test/ode/sources.h"

namespace cardan {
namespace {

using namespace test;

LambdaProblem growth() {
  return {1, [](double, CView y, View d) {
            d[0] = y[0];
          }};
}

std::unique_ptr<Method> make(OdeProblem& problem,
                             std::string_view name,
                             int k,
                             std::string start = "self",
                             std::string variant = "") {
  MethodOptions options;
  options.order = k;
  options.start = std::move(start);
  options.variant = std::move(variant);
  auto made = make_method(name, options, problem);
  EXPECT_TRUE(bool(made));
  auto method = std::move(made).value();
  EXPECT_EQ(method->start(0, Vector{1}, {}), Eval::ok);
  return method;
}

void step(Method& method, double h) {
  ASSERT_EQ(method.attempt(h).kind, Attempt::Kind::ok);
  ASSERT_EQ(method.accept(false), Eval::ok);
}

double after(Method& method, double h, int steps) {
  for (int i = 0; i < steps; ++i) step(method, h);
  return method.state()[0];
}

void expect_close(double value, double expected, double relative) {
  EXPECT_NEAR(value, expected, relative * std::abs(expected));
}

TEST(AdamsCoefficients, AreTheExactFractions) {
  const auto& gamma = sources()["000"]["7.4.4"]["values"];
  const auto& star = sources()["000"]["7.4.10"]["values"];
  ASSERT_GE(gamma.size(), 13u);
  for (std::size_t i = 0; i < 13; ++i) {
    EXPECT_EQ(to_text(adams_gamma[i]), gamma[i].get<std::string>());
    EXPECT_EQ(to_text(adams_gamma_star[i]), star[i].get<std::string>());
  }
  const auto& doc = sources()["002"];
  for (const auto& [k, values] : doc["AB_coefficients(f_i,f_{i-1},..)"].items()) {
    const auto b = adams_bashforth(std::stoi(k));
    ASSERT_EQ(b.size(), values.size());
    for (std::size_t j = 0; j < b.size(); ++j) EXPECT_EQ(to_text(b[j]), values[j]);
  }
  for (const auto& [k, values] : doc["AM_coefficients_by_ORDER(f_{i+1},f_i,..)"].items()) {
    const auto b = adams_moulton(std::stoi(k));
    ASSERT_EQ(b.size(), values.size());
    for (std::size_t j = 0; j < b.size(); ++j) EXPECT_EQ(to_text(b[j]), values[j]);
  }
}

// Order conditions in exact arithmetic: with all points at integers, sum b_j (-j)^m = int_0^1 u^m
// du.
TEST(AdamsCoefficients, HaveTheirOrderExactly) {
  for (int k = 1; k <= 12; ++k) {
    for (int moulton = 0; moulton < 2; ++moulton) {
      const auto b = moulton ? adams_moulton(k) : adams_bashforth(k);
      for (int m = 0; m < (k < 11 ? k : 11); ++m) {  // (-11)^11 still fits
        Rational sum;
        for (int j = 0; j < k; ++j) {
          Rational power = 1;
          for (int i = 0; i < m; ++i) power = power * Rational(moulton - j);
          sum += b[static_cast<std::size_t>(j)] * power;
        }
        EXPECT_EQ(sum, Rational(1, m + 1)) << "k = " << k << ", m = " << m;
      }
    }
  }
}

TEST(AdamsCoefficients, WeightsMakeTheCorrectorOfOneOrderMore) {
  for (const auto& [m, w] : sources()["002"]["theorem1_weights m->(w1,w2)"]["values"].items()) {
    const AdamsWeights weights = modified_weights(std::stoi(m));
    EXPECT_EQ(to_text(weights.bashforth), w["w1"]);
    EXPECT_EQ(to_text(weights.moulton), w["w2"]);
  }
  // w_AB AB_k + w_AM AM_k = AM_{k+1} in the differences of f_{n+1}: nabla^i f_n = nabla^i f_{n+1} -
  // nabla^{i+1} f_{n+1}, so that AB_k has coefficients gamma_i - gamma_{i-1}, and -gamma_{k-1} at i
  // = k.
  for (int k = 1; k <= 9; ++k) {  // beyond, the products do not fit 64 bits
    const AdamsWeights w = modified_weights(k);
    EXPECT_EQ(w.bashforth + w.moulton, Rational(1));
    for (int i = 0; i <= k; ++i) {
      const auto at = [&](const auto& c, int j) {
        return j < 0 || j >= k ? Rational(0) : c[static_cast<std::size_t>(j)];
      };
      const Rational ab = at(adams_gamma, i) - at(adams_gamma, i - 1);
      EXPECT_EQ(w.bashforth * ab + w.moulton * at(adams_gamma_star, i),
                adams_gamma_star[static_cast<std::size_t>(i)]);
    }
  }
}

TEST(InterpolationTables, Taylor741AndNewton742) {
  const auto& taylor = sources()["000"]["7.4.1"]["values"];
  const auto& newton = sources()["000"]["7.4.2"]["values"];
  const Vector derivatives(taylor.size() + 1, 1.0);
  for (const auto& [k, row] : taylor.items()) {
    for (const auto& [column, t] : {std::pair{0u, 0.5}, {2u, 1.0}}) {
      const double value = taylor_polynomial(derivatives, std::stoi(k), t).value;
      EXPECT_NEAR(value, number(row[column]), 1e-15);
      EXPECT_NEAR(value - std::exp(t), number(row[column + 1]), 1e-15);
    }
  }
  Vector differences;
  for (std::size_t i = 0; i <= newton.size(); ++i) {
    differences.push_back(std::exp(1 - 0.1 * static_cast<double>(i)));
  }
  backward_differences(differences);
  for (const auto& [k, row] : newton.items()) {
    for (const auto& [column, s] : {std::pair{0u, 1.0}, {2u, 2.0}}) {
      const Approximation p = newton_backward(differences, std::stoi(k), s);
      EXPECT_NEAR(p.value,
                  number(row[column]),
                  5e-16 * std::exp2(2 * std::stoi(k)));  // round-off of differences
      const double error = number(row[column + 1]);      // of the table: value less truth
      EXPECT_NEAR(-p.error, error, 0.3 * std::abs(error) + 1e-12);
    }
  }
}

TEST(AdamsTables, Euler743) {
  const auto& table = sources()["000"]["7.4.3"]["values"];
  for (const auto& [key, h, every] : {std::tuple{"h0.1", 0.1, 1}, {"h0.01", 0.01, 10}}) {
    auto problem = growth();
    const auto method = make(problem, "ab", 1);
    for (std::size_t i = 1; i < table[key].size(); ++i) {
      expect_close(after(*method, h, every), number(table[key][i]), 1e-13);
    }
  }
}

TEST(AdamsTables, Differences745) {
  const auto& columns = sources()["000"]["7.4.5"]["values_columns_t0_to_t4"];
  auto problem = growth();
  const auto method = make(problem, "ab", 5);
  for (std::size_t n = 0; n < columns.size(); ++n) {
    if (n > 0) step(*method, 0.1);
    const auto& adams = dynamic_cast<const AdamsFixed&>(*method);
    ASSERT_EQ(adams.known(), static_cast<int>(n) + 1);
    for (std::size_t i = 0; i < columns[n].size(); ++i) {
      EXPECT_NEAR(
          adams.differences()(0, static_cast<Eigen::Index>(i)), number(columns[n][i]), 2e-15);
    }
  }
}

TEST(AdamsTables, Bashforth746And747) {
  for (const auto& [table, h] : {std::pair{"7.4.6", 0.1}, {"7.4.7", 0.01}}) {
    for (const auto& [k, values] : sources()["000"][table]["values"].items()) {
      auto problem = growth();
      const auto method = make(problem, "ab", std::stoi(k));
      for (std::size_t i = 1; i < values.size(); ++i) {
        expect_close(after(*method, h, 1), number(values[i]), 2e-15);
      }
    }
  }
}

TEST(AdamsTables, Bashforth748And749) {
  for (const auto& [table, h, steps] : {std::tuple{"7.4.8", 0.1, 100}, {"7.4.9", 0.01, 1000}}) {
    const auto& entry = sources()["000"][table];
    for (const auto& [k, values] : entry["values"].items()) {
      auto problem = growth();
      const auto method = make(problem, "ab", std::stoi(k));
      expect_close(after(*method, h, steps), number(values[0]), number(entry["tol_rel"]));
    }
  }
}

TEST(AdamsTables, Corrector7411And7412InBothConventions) {
  for (const auto& [table, h, steps] : {std::tuple{"7.4.11", 0.1, 100}, {"7.4.12", 0.01, 1000}}) {
    for (const auto& [k, values] : sources()["000"][table]["values"].items()) {
      for (const auto& [variant, key] :
           {std::pair{"print", "printed_convention"}, {"text", "text_convention"}}) {
        auto problem = growth();
        const auto method = make(problem, "pece", std::stoi(k), "self", variant);
        expect_close(after(*method, h, steps), number(values[key]), 2e-12);
      }
      auto problem = growth();
      const auto method = make(problem, "pece", std::stoi(k), "self", "print");
      EXPECT_NEAR(after(*method, h, steps), number(values["printed"]), 2e-7);
    }
  }
}

TEST(AdamsTables, Example745PredictedAndCorrected) {
  const auto& values = sources()["000"]["example_7.4.5"]["values"];
  auto problem = growth();
  const auto method = make(problem, "pece", 4);
  for (std::size_t i = 0; i < values["pred"].size(); ++i) {
    ASSERT_EQ(method->attempt(0.1).kind, Attempt::Kind::ok);
    EXPECT_NEAR(
        dynamic_cast<AdamsFixed&>(*method).predicted()[0], number(values["pred"][i]), 2e-15);
    ASSERT_EQ(method->accept(false), Eval::ok);
    EXPECT_NEAR(method->state()[0], number(values["corr"][i]), 2e-15);
  }
}

TEST(AdamsTables, StartBySmallSteps) {
  const auto& values = sources()["000"]["h_start_example(7.4.2 end)"]["values"];
  auto problem = growth();
  const auto method = make(problem, "ab", 5, "small-steps");
  expect_close(after(*method, 0.1, 4), number(values["x04"]), 1e-14);
  expect_close(after(*method, 0.1, 96), number(values["x10"]), 1e-11);
}

TEST(AdamsStart, AccurateStartIsExactToRoundOff) {
  auto problem = growth();
  const auto method = make(problem, "ab", 8, "accurate");
  for (int i = 1; i <= 7; ++i) {
    step(*method, 0.1);
    expect_close(method->state()[0], std::exp(0.1 * i), 2e-15);
  }
}

TEST(AdamsErrors, EstimatesAreTheLocalErrors) {
  auto problem = growth();
  const auto method = make(problem, "pece", 3, "accurate");
  const double h = 0.05;
  for (int i = 0; i < 12; ++i) step(*method, h);
  const double y = method->state()[0];
  ASSERT_EQ(method->attempt(h).kind, Attempt::Kind::ok);
  const auto& adams = dynamic_cast<AdamsFixed&>(*method);
  double predictor = 0, corrector = 0;
  ASSERT_TRUE(adams.predictor_error(View(&predictor, 1)));
  ASSERT_TRUE(adams.corrector_error(View(&corrector, 1)));
  const double exact = y * std::exp(h);
  EXPECT_NEAR(predictor, exact - adams.predicted()[0], 0.15 * std::abs(predictor));
  // the corrector's own error is that of its formula with the exact f at the end
  double formula = y, nabla = exact;
  for (int i = 0; i < 4; ++i) {
    formula += h * adams_gamma_star[static_cast<std::size_t>(i)].value() * nabla;
    nabla -= adams.differences()(0, i);
  }
  EXPECT_NEAR(corrector, exact - formula, 0.5 * std::abs(exact - formula));
}

TEST(ModifiedAdams, WeightedAndDirectFormAgreeToRoundOff) {
  for (int k = 1; k <= 12; ++k) {
    LambdaProblem one(1, [](double t, CView y, View d) { d[0] = std::cos(t) - 0.3 * y[0]; });
    LambdaProblem two(1, [](double t, CView y, View d) { d[0] = std::cos(t) - 0.3 * y[0]; });
    const auto weighted = make(one, "mampc", k, "accurate", "weighted");
    const auto direct = make(two, "mampc", k, "accurate", "direct");
    for (int i = 0; i < 60; ++i) {
      step(*weighted, 0.05);
      step(*direct, 0.05);
      EXPECT_NEAR(weighted->state()[0], direct->state()[0], 5e-14) << "k = " << k;
    }
  }
}

TEST(AdamsStability, LimitsOfDocument002) {
  const auto& table = sources()["002"]["table2"]["values"];
  for (int k = 1; k <= 5; ++k) {
    const std::string n = std::to_string(k);
    EXPECT_NEAR(adams_limits(AdamsScheme::ab, k).real, number(table["ABP_" + n]), 1e-9);
    EXPECT_NEAR(adams_limits(AdamsScheme::ampc, k).real, number(table["AMPC_" + n]), 1e-9);
    EXPECT_NEAR(adams_limits(AdamsScheme::mampc, k).real, number(table["MAMPC_" + n]), 1e-9);
  }
}

// The tabulated limits are where the largest root leaves the unit circle.
TEST(AdamsStability, LimitsAreThoseOfTheRoots) {
  const std::complex<double> i(0, 1);
  for (const AdamsScheme scheme :
       {AdamsScheme::ab, AdamsScheme::am, AdamsScheme::pece, AdamsScheme::ampc}) {
    for (int k = 1; k <= 12; ++k) {
      const StabilityLimits limits = adams_limits(scheme, k);
      if (std::isfinite(limits.real)) {
        EXPECT_LE(adams_amplification(scheme, k, -limits.real * (1 - 1e-9)), 1 + 1e-12);
        EXPECT_GT(adams_amplification(scheme, k, -limits.real * (1 + 1e-8)), 1 + 1e-13);
      } else {
        EXPECT_LT(adams_amplification(scheme, k, -1e6), 1);
      }
      if (limits.imaginary > 0 && std::isfinite(limits.imaginary)) {
        for (const double part : {0.2, 0.6, 0.99}) {
          EXPECT_LE(adams_amplification(scheme, k, i * limits.imaginary * part), 1 + 1e-12);
        }
        EXPECT_GT(adams_amplification(scheme, k, i * limits.imaginary * 1.2), 1 + 1e-12);
      } else if (limits.imaginary == 0 && k <= 6) {
        EXPECT_GT(adams_amplification(scheme, k, i * 0.09), 1 + 1e-12) << "k = " << k;
      }
    }
  }
}

// A stable and an unstable step on either side of the limit, by the method itself.
TEST(AdamsStability, MethodsObeyTheirLimits) {
  for (const char* name : {"ab", "pece", "ampc", "mampc"}) {
    for (int k = 2; k <= 5; ++k) {
      MethodOptions options;
      options.order = k;
      const double limit = find_method(name)->traits(options).real_limit;
      for (const double part : {0.97, 1.03}) {
        const double lambda = -part * limit / 0.1;
        LambdaProblem problem(1, [=](double, CView y, View d) { d[0] = lambda * y[0]; });
        const auto method = make(problem, name, k, "self");
        const double size = std::abs(after(*method, 0.1, 1500));
        EXPECT_EQ(part < 1, size < 1) << name << k << ": " << size;
      }
    }
  }
}

}  // namespace
}  // namespace cardan
