// Tangent-plane parametrisation: p along an orthonormal basis V of the null space of phi_q in the
// pose of the last choice, V^T (q - q_0) = p, from the singular value decomposition (tangent-svd)
// or from a QR factorization of phi_q^T (tangent-qr). The basis is kept for many steps and chosen
// anew when the tangents have turned well away from it. References: Mani, Haug & Atkinson, J. Mech.
// Transm. Autom. Des. 107 (1985) 82-87; Potra & Rheinboldt, Mech. Struct. Mach. 19 (1991) 1-18.
#include <fmt/format.h>

#include "cardan/formulation/explicit/local.h"
#include "cardan/formulation/explicit/partition.h"
#include "cardan/formulation/makers.h"

namespace cardan {

namespace {

using Basis = Eigen::MatrixXd (*)(const Eigen::MatrixXd& phi_q);

class Tangent final : public Local {
 public:
  Tangent(const FormulationSetting& setting, std::string_view name, Basis basis)
      : Local(setting), name_(name), basis_(basis) {}

  std::string_view name() const override { return name_; }

 protected:
  void choose(double t, CView q, Chart& chart) override {
    chart.along(basis_(active_jacobian(system_, motion_.active(), t, q)), q);
  }

  std::string coordinate_name(int j) const override {
    return fmt::format("tangent coordinate {}", j + 1);
  }

  double widest_stretch() const override { return 2; }

  double near_stretch() const override { return 1.1; }

 private:
  std::string_view name_;
  Basis basis_;
};

}  // namespace

Result<std::unique_ptr<Formulation>> make_tangent_svd(const FormulationSetting& setting) {
  return std::unique_ptr<Formulation>(
      std::make_unique<Tangent>(setting, "tangent-svd", null_space_svd));
}

Result<std::unique_ptr<Formulation>> make_tangent_qr(const FormulationSetting& setting) {
  return std::unique_ptr<Formulation>(
      std::make_unique<Tangent>(setting, "tangent-qr", null_space_qr));
}

}  // namespace cardan
