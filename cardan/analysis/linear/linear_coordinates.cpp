#include "cardan/analysis/linear/linear_coordinates.h"

#include <algorithm>
#include <array>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "cardan/math/dense.h"

namespace cardan {

namespace {

constexpr double shift_weight = 0.3;  // angles before shifts
constexpr double joint_weight = 1.2;  // a joint's own coordinate before those of its bodies
constexpr double still_rate = 1e-9;   // rad/s

Mat<3, 3> cross_of(const Vec<3>& w) {
  Mat<3, 3> out;
  out << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
  return out;
}

class CoordinateMaker {
 public:
  CoordinateMaker(const System& system, const State& state, LinearAxes axes, double spinning)
      : system_(system), state_(state), axes_(axes), spinning_(spinning) {
    work_ = system.workspace();
    system.use(state, work_);
    system.rotations(state.q, work_);
  }

  CoordinateRows make() {
    const Equations& own = system_.coordinate_equations();
    const Eigen::Index n = system_.v_size(), count = n + own.rows();
    for (Eigen::MatrixXd* part : {&out_.S, &out_.S_rate, &out_.P, &out_.V}) part->setZero(count, n);
    for (int k = 0; system_.own() != nullptr && k < system_.v_size(); ++k) {
      out_.S(k, k) = 1;
      name(system_.coordinate_label(k), UnitKind::length, 1);
    }
    for (int b = 0; b < system_.body_count(); ++b)
      if (system_.space() == Space::planar)
        planar(b);
      else
        spatial(b);
    joints();
    return std::move(out_);
  }

 private:
  void name(std::string text, UnitKind unit, double weight) {
    out_.names.push_back(std::move(text));
    out_.units.push_back(unit);
    out_.weights.push_back(weight);
  }

  std::string shift_name(int k, bool in_body) const {
    return system_.coordinate_label(k) + (in_body ? " along its own axis" : "");
  }

  void planar(int b) {
    const int k = system_.layout().v(b);
    const auto at = static_cast<std::size_t>(k);
    const double w = state_.v[at + 2], dw = state_.a[at + 2];
    const bool turning = std::abs(w) > still_rate,
               in_body = turning && axes_ == LinearAxes::of_body;
    const double weight = turning ? spinning_ : 1;
    const double c = work_.rotation[2 * static_cast<std::size_t>(b)],
                 s = work_.rotation[2 * static_cast<std::size_t>(b) + 1];
    Mat<2, 2> A = Mat<2, 2>::Identity(), cross;
    if (in_body) A << c, -s, s, c;
    cross << 0, -1, 1, 0;
    out_.S.block<2, 2>(k, k) = A.transpose();
    out_.S(k + 2, k + 2) = 1;
    if (in_body) {
      const Mat<2, 2> W = w * cross;
      out_.S_rate.block<2, 2>(k, k) = -W * A.transpose();
      out_.P.block<2, 2>(k, k) = (W * W - dw * cross) * A.transpose();
      out_.V.block<2, 2>(k, k) = -2 * W * A.transpose();
    }
    for (int i = 0; i < 2; ++i)
      name(shift_name(k + i, in_body), UnitKind::length, shift_weight * weight);
    name(system_.coordinate_label(k + 2), UnitKind::angle, weight);
  }

  void spatial(int b) {
    const int k = system_.layout().v(b), r = k + 3;
    const Vec<3> w = system_.layout().rotation(CView(state_.v), b),
                 dw = system_.layout().rotation(CView(state_.a), b);
    const bool turning = w.norm() > still_rate, in_body = turning && axes_ == LinearAxes::of_body;
    const double weight = turning ? spinning_ : 1;
    const Mat<3, 3> A = Eigen::Map<const Mat<3, 3>>(work_.rotation.data() + 9 * std::ptrdiff_t{b});
    const Mat<3, 3> W = cross_of(w), along = W * W - cross_of(dw);
    if (in_body) {
      const Mat<3, 3> back = A.transpose();
      out_.S.block<3, 3>(k, k) = back;
      out_.S_rate.block<3, 3>(k, k) = -W * back;
      out_.P.block<3, 3>(k, k) = along * back;
      out_.V.block<3, 3>(k, k) = -2 * W * back;
      out_.S.block<3, 3>(r, r).setIdentity();
      out_.S_rate.block<3, 3>(r, r) = -W;
      out_.P.block<3, 3>(r, r) = along;
      out_.V.block<3, 3>(r, r) = -W;
    } else {
      out_.S.block<3, 3>(k, k).setIdentity();
      out_.S.block<3, 3>(r, r) = A;
      out_.V.block<3, 3>(r, r) = A * W;
    }
    for (int i = 0; i < 6; ++i)
      name(shift_name(k + i, in_body),
           i < 3 ? UnitKind::length : UnitKind::angle,
           i < 3 ? shift_weight * weight : weight);
  }

  void joints() {
    const Equations& own = system_.coordinate_equations();
    const Eigen::Index first = system_.v_size();
    const Config here = system_.config(state_.t, state_.q, work_);
    const Motion motion = system_.motion(state_.t, state_.q, state_.v, work_);
    const auto add = [&](Eigen::MatrixXd& to, double sign, auto&& fill) {
      std::vector<double> packed(static_cast<std::size_t>(own.packed_size()), 0.0);
      for (std::size_t p = 0; p < own.pools().size(); ++p)
        fill(*own.pools()[p], Blocks{packed.data(), own.slots(p)});
      to.bottomRows(to.rows() - first) += sign * own.dense(packed);
    };
    const auto fill_S = [&](const ConstraintPool& pool, Blocks b) {
      pool.phi_q(here, b);
    };
    const auto fill_rate = [&](const ConstraintPool& pool, Blocks b) {
      pool.add_phi_q_a_q(here, state_.v, 1, b);
    };
    const auto fill_a = [&](const ConstraintPool& pool, Blocks b) {
      pool.add_phi_q_a_q(here, state_.a, 1, b);
    };
    const auto fill_gamma_q = [&](const ConstraintPool& pool, Blocks b) {
      pool.add_gamma_q(motion, 1, b);
    };
    const auto fill_gamma_v = [&](const ConstraintPool& pool, Blocks b) {
      pool.add_gamma_v(motion, 1, b);
    };
    add(out_.S, 1, fill_S);
    add(out_.S_rate, 1, fill_rate);
    add(out_.P, 1, fill_a);
    add(out_.P, -1, fill_gamma_q);
    add(out_.V, -1, fill_gamma_v);
    name_joints();
  }

  void name_joints() {
    const auto count = static_cast<std::size_t>(system_.coordinate_equations().rows());
    const std::size_t first = out_.names.size();
    out_.names.resize(first + count);
    out_.units.resize(first + count, UnitKind::length);
    out_.weights.resize(first + count, 0);
    for (const auto& joint : system_.constraints()) {
      std::size_t next = 0;
      if (joint.description == nullptr) continue;
      for (const JointCoordinate& c : joint.description->coordinates) {
        if (c.channel.empty() || next >= joint.coordinate_rows.size()) continue;
        const std::size_t at = first + static_cast<std::size_t>(joint.coordinate_rows[next++]);
        out_.names[at] = fmt::format("{} of '{}'", c.channel, joint.name);
        out_.units[at] = unit_kind_of(c.measure);
        out_.weights[at] = joint_weight;
      }
    }
  }

  const System& system_;
  const State& state_;
  LinearAxes axes_;
  double spinning_;
  Workspace work_;
  CoordinateRows out_;
};

}  // namespace

CoordinateRows CoordinateRows::only(const std::vector<int>& which) const {
  CoordinateRows out;
  for (const int k : which) {
    const auto at = static_cast<std::size_t>(k);
    out.names.push_back(names[at]);
    out.units.push_back(units[at]);
    out.weights.push_back(weights[at]);
  }
  out.S = S(which, Eigen::all);
  out.S_rate = S_rate(which, Eigen::all);
  out.P = P(which, Eigen::all);
  out.V = V(which, Eigen::all);
  return out;
}

CoordinateRows coordinate_rows(const System& system,
                               const State& state,
                               LinearAxes axes,
                               double spinning) {
  return CoordinateMaker(system, state, axes, spinning).make();
}

std::vector<int> choose_coordinates(const CoordinateRows& rows,
                                    const Eigen::MatrixXd& motions,
                                    const Eigen::VectorXd& scale,
                                    double length) {
  const Eigen::Index count = motions.cols();
  if (count == 0) return {};
  Eigen::MatrixXd seen = rows.S * scale.cwiseInverse().asDiagonal() * motions;
  for (Eigen::Index k = 0; k < seen.rows(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    seen.row(k) *= rows.weights[at] * (rows.units[at] == UnitKind::angle ? length : 1);
  }
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(seen.transpose());
  std::vector<int> chosen;
  for (Eigen::Index k = 0; k < count; ++k)
    chosen.push_back(static_cast<int>(qr.colsPermutation().indices()[k]));
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace cardan
