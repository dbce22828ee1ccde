#include "cardan/system/system.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "cardan/element/feature.h"
#include "cardan/element/formula/coordinate_equations.h"
#include "cardan/element/spatial/turns.h"
#include "cardan/math/rotation.h"

namespace cardan {

namespace {

std::size_t at(int k) {
  return static_cast<std::size_t>(k);
}

}  // namespace

std::string System::ConstraintInfo::words() const {
  return fmt::format("{} '{}'", description == nullptr ? "constraint" : kind_name(kind), name);
}

std::string System::assembly_text(int row) const {
  if (row < joint_rows_) return equation_label(row);
  for (const auto& info : initial_info_)
    if (info.row == row) return info.words;
  return "initial condition";
}

std::string System::equation_label(int row) const {
  const ConstraintInfo& info = constraints_[at(constraint_of(row))];
  return own_ != nullptr ? info.words() : info.words() + ", " + row_words_[at(row)];
}

std::string System::coordinate_label(int k) const {
  static constexpr std::array<const char*, 3> planar{"x", "y", "angle"};
  static constexpr std::array<const char*, 6> spatial{
      "x", "y", "z", "rotation about x", "rotation about y", "rotation about z"};
  const auto [body, local] = layout_.place_of_v(k);
  if (own_ != nullptr) return fmt::format("'{}'", own_->equations().coordinates[at(local)].name);
  return fmt::format("{} of '{}'",
                     space_ == Space::planar ? planar[at(local)] : spatial[at(local)],
                     bodies_[at(body)].name);
}

std::string System::position_label(int k) const {
  if (space_ == Space::planar) return coordinate_label(k);
  if (k >= layout_.q_size()) return fmt::format("counted angle {}", k - layout_.q_size() + 1);
  const auto [body, local] = layout_.place_of_q(k);
  return coordinate_label(layout_.v(body) + std::min(local, 5));
}

Workspace System::workspace() const {
  Workspace w;
  w.rotation.resize(at(body_count() * rotation_size(dimension())));
  w.packed.resize(at(equations_.packed_size()));
  w.phi.resize(at(equations_.rows()));
  w.nu = w.gamma = w.phi;
  w.Q.resize(at(v_size()));
  w.request_packed.resize(at(request_equations_.packed_size()));
  w.request_rows.resize(at(request_equations_.rows()));
  w.request_row_rates = w.request_rows;
  w.request_value.resize(request_info_.size());
  w.request_rate.resize(request_info_.size());
  std::size_t most = 3;
  for (const auto& info : request_info_) most = std::max(most, 3 + 2 * info.inputs.size());
  w.mode = given_.mode;
  w.slide = given_.slide;
  w.z = given_.z;
  w.u = given_.u;
  w.arguments.resize(most);
  w.slopes.resize(most);
  return w;
}

void System::rotations(CView q, Workspace& w) const {
  if (!bodies_.empty()) fill_rotations(dimension(), q, w.rotation);
}

// Quaternions: e' = e (0, omega) / 2, with omega in body axes.
void System::rate(CView q, CView v, View q_dot) const {
  if (space_ == Space::planar) {
    std::copy(v.begin(), v.end(), q_dot.begin());
    return;
  }
  for (int b = 0; b < body_count(); ++b) {
    const double *qb = q.data() + layout_.q(b), *vb = v.data() + layout_.v(b);
    double* out = q_dot.data() + layout_.q(b);
    std::copy_n(vb, 3, out);
    const Quaternion omega(0, vb[3], vb[4], vb[5]);
    Eigen::Map<Quaternion>(out + 3) = 0.5 * quaternion_product({qb[3], qb[4], qb[5], qb[6]}, omega);
  }
  if (turn_count_ > 0) turns_->rates(q, v, q_dot.last(at(turn_count_)));
}

void System::tangent(CView q, CView q_dot, View v) const {
  if (space_ == Space::planar) {
    std::copy(q_dot.begin(), q_dot.end(), v.begin());
    return;
  }
  for (int b = 0; b < body_count(); ++b) {
    const double *qb = q.data() + layout_.q(b), *db = q_dot.data() + layout_.q(b);
    double* out = v.data() + layout_.v(b);
    std::copy_n(db, 3, out);
    const Quaternion e(qb[3], qb[4], qb[5], qb[6]);
    const Quaternion w =
        quaternion_product(quaternion_inverse(e), {db[3], db[4], db[5], db[6]}) / e.squaredNorm();
    Eigen::Map<Vec<3>>(out + 3) = 2 * w.tail<3>();
  }
}

void System::advance(CView q, CView d, View out) const {
  if (space_ == Space::planar) {
    for (std::size_t k = 0; k < d.size(); ++k) out[k] = q[k] + d[k];
    return;
  }
  for (int b = 0; b < body_count(); ++b)
    add_increment(3, q.data() + layout_.q(b), d.data() + layout_.v(b), out.data() + layout_.q(b));
  std::copy_n(q.end() - turn_count_, turn_count_, out.end() - turn_count_);
  update_windings(out);
}

void System::update_windings(View q) const {
  if (turn_count_ > 0) turns_->settle(q);
}

void System::difference(CView q1, CView q0, View d) const {
  if (space_ == Space::planar) {
    for (std::size_t k = 0; k < d.size(); ++k) d[k] = q1[k] - q0[k];
    return;
  }
  for (int b = 0; b < body_count(); ++b) {
    const double *one = q1.data() + layout_.q(b), *zero = q0.data() + layout_.q(b);
    double* out = d.data() + layout_.v(b);
    for (int k = 0; k < 3; ++k) out[k] = one[k] - zero[k];
    const Quaternion turn = quaternion_product({zero[3], -zero[4], -zero[5], -zero[6]},
                                               {one[3], one[4], one[5], one[6]});
    Eigen::Map<Vec<3>>(out + 3) = vector_of_quaternion(turn);
  }
}

double System::quaternion_drift(CView q) const {
  if (space_ == Space::planar) return 0;
  double worst = 0;
  for (int b = 0; b < body_count(); ++b) {
    const double off = std::abs(Quaternion(q.data() + layout_.q_rotation(b)).norm() - 1);
    if (!(off <= worst)) worst = off;
  }
  return worst;
}

double System::normalise(View q) const {
  const double worst = quaternion_drift(q);
  if (space_ == Space::planar) return worst;
  for (int b = 0; b < body_count(); ++b)
    Eigen::Map<Quaternion>(q.data() + layout_.q_rotation(b)).normalize();
  if (turn_count_ > 0) turns_->settle(q);
  return worst;
}

void System::evaluate_forces(double t, CView q, CView v, Workspace& w) const {
  evaluate_requests(t, q, v, w);
  std::fill(w.Q.begin(), w.Q.end(), 0.0);
  const Motion here = motion(t, q, v, w);
  const Inputs read = inputs(w);
  for (int p = 0; p < force_set_->pool_count(); ++p) force_set_->pool(p).add_Q(here, read, w.Q);
}

Sliding System::sliding(int k, std::span<const int> mode, CView slide) const {
  const std::size_t place = friction_modes() + at(k), first = 3 * at(k);
  Sliding out;
  if (place < mode.size()) out.mode = mode[place];
  if (first + 3 <= slide.size()) out.u = {slide[first], slide[first + 1], slide[first + 2]};
  if (const double length = out.u.norm(); length > 0) out.u /= length;
  return out;
}

double System::friction_load(int k, const Motion& here, CView lambda, const Workspace& w) const {
  const FrictionElement& e = friction_->element(k);
  if (e.load != FrictionElement::Load::compliant) {
    std::array<double, 8> slopes{};
    return friction_->load(k, friction_->frame(k, here.config()), lambda, slopes);
  }
  std::array<double, 3> shown{};
  force_set_->pool(e.pool).output(here, inputs(w), e.element, shown);
  return e.sign * shown[2];
}

double System::potential(double t, CView q, const Workspace& w) const {
  double sum = 0;
  for (int p = 0; p < force_set_->pool_count(); ++p)
    sum += force_set_->pool(p).potential(config(t, q, w));
  return sum;
}

bool System::constant_mass() const {
  return own_ == nullptr || own_->mass_is_constant();
}

double System::kinetic(double t, CView q, CView v) const {
  return own_ != nullptr ? own_->kinetic(t, q, v) : mass_.energy(v);
}

void System::multiply_mass(double t, CView q, CView x, View out) const {
  if (own_ == nullptr) return mass_.multiply(x, out);
  const auto n = static_cast<Eigen::Index>(own_->size());
  Eigen::MatrixXd M(n, n);
  own_->mass(t, q, {M.data(), at(own_->size() * own_->size())});
  as_vector(out) = M * as_vector(x);
}

double System::largest_move(CView d) const {
  double largest = 0;
  for (std::size_t k = 0; k < d.size(); ++k) {
    const bool angle = layout_.turns(static_cast<int>(k));
    largest = std::max(largest, std::abs(d[k]) * (angle ? length() : 1.0));
  }
  return largest;
}

}  // namespace cardan
