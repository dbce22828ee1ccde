// The exact derivatives of equations of one's own, against differences of the equations themselves.
#include <cmath>

#include "cardan/io/read_model.h"
#include "cardan/system/linearisation.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

const char* const texts[] = {
    // energies, a constraint of positions and time, forces of rates
    R"toml(
[[coordinate]]
name = "a"
[[coordinate]]
name = "b"
[[coordinate]]
name = "s"
[equations]
kinetic = "a'^2*(1 + s^2) + b'^2/2 + a'*b'*cos(a - b) + s'^2 + 0.3*t*a'*s + sin(s)*b'"
potential = "9.81*(2*sin(a) + sin(b)) + s^2*cos(t + b)"
forces = ["-0.2*a'*b'", "0.3*sin(2*t)*s", "a*s'"]
[[constraint]]
formula = "sin(a) + sin(b)*s - 0.9 - 0.1*sin(3*t)*cos(a)"
[[constraint]]
formula = "a'*cos(b) - s'*(1 + a^2) + t*a"
)toml",
    // a mass matrix of positions
    R"toml(
[[coordinate]]
name = "x"
[[coordinate]]
name = "y"
[equations]
mass = [["1 + x^2", "0.3*x*y"], ["0.3*x*y", "2 + cos(y)*exp(-t)"]]
potential = "x^2 + y^2/2 + 0.1*x^4"
[[constraint]]
formula = "y - x^2*y^2 - 0.1*x"
)toml"};

class Residuals {
 public:
  explicit Residuals(const System& system) : system_(system), work_(system.workspace()) {}

  // Q - M a - phi_q^T lambda, gamma - phi_q a, phi_q v - nu, one below the other.
  Eigen::VectorXd at(const State& s) {
    const auto n = static_cast<Eigen::Index>(s.v.size()),
               m = static_cast<Eigen::Index>(s.lambda.size());
    const Equations& of = system_.equations();
    const Config here = system_.config(s.t, s.q, work_);
    of.phi_q(here, work_.packed);
    of.nu(here, work_.nu);
    of.gamma(system_.motion(s.t, s.q, s.v, work_), work_.gamma);
    system_.evaluate_forces(s.t, s.q, s.v, work_);
    std::vector<double> Ma(s.v.size());
    system_.multiply_mass(s.t, s.q, s.a, Ma);
    const Eigen::MatrixXd J = of.dense(work_.packed);
    Eigen::VectorXd out(n + 2 * m);
    out.head(n) = as_vector(CView(work_.Q)) - as_vector(CView(Ma)) -
                  J.transpose() * as_vector(CView(s.lambda));
    out.segment(n, m) = as_vector(CView(work_.gamma)) - J * as_vector(CView(s.a));
    out.tail(m) = J * as_vector(CView(s.v)) - as_vector(CView(work_.nu));
    return out;
  }

 private:
  const System& system_;
  Workspace work_;
};

TEST(OwnEquations, DerivativesAgainstDifferences) {
  for (const char* text : texts) {
    auto model = read_model_text(text, "model.toml");
    ASSERT_TRUE(model) << to_text(model ? Diagnostics{} : model.why());
    auto compiled = compile(model.value());
    ASSERT_TRUE(compiled) << to_text(compiled ? Diagnostics{} : compiled.why());
    const System system = std::move(compiled).value();
    State s = system.given_state();
    const auto fill = [](std::vector<double>& x, double from) {
      for (std::size_t k = 0; k < x.size(); ++k) x[k] = from + 0.37 * std::sin(3.1 * (k + from));
    };
    s.t = 0.4;
    fill(s.q, 0.6);
    fill(s.v, -0.8);
    fill(s.a, 1.3);
    fill(s.lambda, 2.1);
    Linearisation exact(system, std::vector<char>(s.lambda.size(), 1));
    exact.evaluate(s);
    const auto n = static_cast<Eigen::Index>(s.v.size()),
               m = static_cast<Eigen::Index>(s.lambda.size());
    SparseMatrix turned = exact.phi_q();
    exact.phi_q_v_q(s.v, turned);
    Eigen::MatrixXd by_q(n + 2 * m, n), by_v(n + 2 * m, n);
    by_q << Eigen::MatrixXd(exact.Q_q()) - Eigen::MatrixXd(exact.M_a_q()) -
                Eigen::MatrixXd(exact.phi_qT_lambda_q()),
        Eigen::MatrixXd(exact.gamma_q()) - Eigen::MatrixXd(exact.phi_q_a_q()),
        Eigen::MatrixXd(turned);
    by_v << Eigen::MatrixXd(exact.Q_v()), Eigen::MatrixXd(exact.gamma_v()),
        Eigen::MatrixXd(exact.phi_q());
    Residuals of(system);
    constexpr double h = 1e-4;
    for (Eigen::Index k = 0; k < n; ++k)
      for (const bool rates : {false, true}) {
        // central differences of fourth order
        Eigen::VectorXd slope = Eigen::VectorXd::Zero(n + 2 * m);
        for (const auto& [step, weight] :
             {std::pair{-2.0, 1.0 / 12}, {-1.0, -8.0 / 12}, {1.0, 8.0 / 12}, {2.0, -1.0 / 12}}) {
          State moved = s;
          (rates ? moved.v : moved.q)[static_cast<std::size_t>(k)] += step * h;
          slope += weight / h * of.at(moved);
        }
        EXPECT_LT((slope - (rates ? by_v : by_q).col(k)).cwiseAbs().maxCoeff(), 1e-9)
            << k << (rates ? " rates\n" : " positions\n") << slope.transpose() << "\n"
            << (rates ? by_v : by_q).col(k).transpose();
      }
    std::vector<double> unit(s.v.size(), 0.0), column(unit);
    for (Eigen::Index k = 0; k < n; ++k) {
      unit[static_cast<std::size_t>(k)] = 1;
      system.multiply_mass(s.t, s.q, unit, column);
      EXPECT_LT((Eigen::MatrixXd(exact.M()).col(k) - as_vector(CView(column))).norm(), 1e-14);
      unit[static_cast<std::size_t>(k)] = 0;
    }
  }
}

}  // namespace
}  // namespace cardan
