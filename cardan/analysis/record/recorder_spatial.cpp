// What the user sees of a spatial state: bodies in their own frames with velocities in ground axes,
// reactions at the joints' points in ground axes and in the joint's frame of the first body (x
// along `across`, z along the axis), and the joints' own coordinates.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "cardan/analysis/record/recorder.h"
#include "cardan/math/rotation.h"

namespace cardan {

namespace {

std::size_t at(int k) {
  return static_cast<std::size_t>(k);
}

struct Frame {  // origin, rotation, and their rates in ground axes
  Vec<3> r, v, a, omega, alpha;
  Vec<4> e;
};

Frame user_frame(const System& system, const State& state, int body) {
  const Layout& layout = system.layout();
  const double *q = state.q.data() + layout.q(body), *v = state.v.data() + layout.v(body),
               *a = state.a.data() + layout.v(body);
  const Mat<3, 3> A = matrix_of_quaternion(Quaternion(q + 3));
  const Vec<3> s = -(A * Vec<3>(system.bodies()[at(body)].centre.data()));
  Frame f;
  f.e = Vec<4>(q + 3).normalized();
  f.omega = A * Vec<3>(v + 3);
  f.alpha = A * Vec<3>(a + 3);
  f.r = Vec<3>(q) + s;
  f.v = Vec<3>(v) + f.omega.cross(s);
  f.a = Vec<3>(a) + f.alpha.cross(s) + f.omega.cross(f.omega.cross(s));
  return f;
}

template <class V> double* put(const V& values, double* out) {
  return std::copy(values.data(), values.data() + values.size(), out);
}

Vec<3> vector(const Triple& p) {
  return Vec<3>(p.data());
}

constexpr std::array<const char*, 3> axes{"x", "y", "z"};

}  // namespace

void Recorder::name_spatial_body(const std::string& name) {
  const std::string e = "body " + name, n = name + ".";
  for (const char* k : axes) add_channel(n + k, "m", e, "position");
  for (const char* k : {"qw", "qx", "qy", "qz"}) add_channel(n + k, "", e, "position");
  for (const char* k : axes) add_channel(n + "v" + k, "m/s", e, "velocity");
  for (const char* k : axes) add_channel(n + "omega_" + k, "rad/s", e, "velocity");
  for (const char* k : axes) add_channel(n + "a" + k, "m/s^2", e, "acceleration");
  for (const char* k : axes) add_channel(n + "alpha_" + k, "rad/s^2", e, "acceleration");
}

void Recorder::name_spatial_joint(const System::ConstraintInfo& info) {
  const std::string e = "joint " + info.name;
  for (const char* end : {".first.", ".second."})
    for (const char* frame : {"", "local."}) {
      const std::string n = info.name + end + frame;
      for (const char* k : axes) add_channel(n + "f" + k, "N", e, "reaction");
      for (const char* k : axes) add_channel(n + "m" + k, "N*m", e, "reaction");
    }
  for (const char* end : {".first.", ".second."}) {
    add_channel(info.name + end + "force", "N", e, "reaction size");
    add_channel(info.name + end + "moment", "N*m", e, "reaction size");
  }
  for (const JointCoordinate& c : info.description->coordinates) {
    if (c.channel.empty()) continue;
    const std::string name = info.name + "." + std::string(c.channel),
                      unit(unit_text(unit_kind_of(c.measure)));
    add_channel(name, unit, e, "joint coordinate");
    add_channel(name + "_rate", unit + "/s", e, "joint coordinate");
  }
}

double* Recorder::put_spatial_bodies(const State& state, double* out) const {
  for (const int b : shown_bodies_) {
    const Frame f = user_frame(system_, state, b);
    put(f.alpha,
        put(f.a, put(f.omega, put(f.v, put(f.e, put(f.r, out + 19 * std::ptrdiff_t{b}))))));
  }
  return out + 19 * std::ptrdiff_t{system_.body_count()};
}

Mat<3, 3> Recorder::turn_of(int body) const {
  if (body < 0) return Mat<3, 3>::Identity();
  return Eigen::Map<const Mat<3, 3>>(work_.rotation.data() + 9 * std::ptrdiff_t{body});
}

Vec<3> Recorder::spatial_place(const Side& side, const State& state) const {
  Vec<3> p = turn_of(side.body) * vector(side.point);
  if (side.body >= 0) p += Vec<3>(state.q.data() + system_.layout().q(side.body));
  return p;
}

// Force and moment about the joint's point, in ground axes.
Vec<6> Recorder::spatial_body_wrench(const JointEnd& end, const State& state) const {
  Vec<6> sum = Vec<6>::Zero();
  for (const Reaction& r : end.reactions) {
    const auto& block = system_.equations().blocks()[at(r.block)];
    for (int c = 0; c < 6; ++c)
      for (int k = 0; k < block.rows; ++k)
        sum[c] -=
            work_.packed[at(r.offset + c * block.rows + k)] * state.lambda[at(block.first_row + k)];
  }
  const Mat<3, 3> A = turn_of(end.side.body);
  const Vec<3> force = sum.head<3>(), arm = A * vector(end.side.point);
  sum.tail<3>() = A * sum.tail<3>().eval() - arm.cross(force);
  return sum;
}

Vec<6> Recorder::spatial_wrench(const JointPlan& joint, int end, const State& state) const {
  if (joint.ends[end].side.body >= 0) return spatial_body_wrench(joint.ends[end], state);
  const Vec<6> other = spatial_body_wrench(joint.ends[1 - end], state);
  const Vec<3> force = other.head<3>(), d = spatial_place(joint.ends[1 - end].side, state) -
                                            spatial_place(joint.ends[end].side, state);
  Vec<6> out = -other;
  out.tail<3>() -= d.cross(force);
  return out;
}

void Recorder::put_spatial_joints(const State& state, double* row) {
  if (joints_.empty()) return;
  evaluate_coordinates(state);
  for (const auto& joint : joints_) {
    double* out = row + joint.first;
    const Side& first = joint.ends[0].side;
    const Vec<3> z = vector(first.axis).normalized(), x = vector(first.across);
    Mat<3, 3> frame;
    frame << x, z.cross(x), z;
    frame = turn_of(first.body) * frame;
    Vec<4> sizes;
    for (int e = 0; e < 2; ++e) {
      const Vec<6> w = spatial_wrench(joint, e, state);
      const Vec<3> force = frame.transpose() * w.head<3>(),
                   moment = frame.transpose() * w.tail<3>();
      out = put(moment, put(force, put(w, out)));
      sizes[2 * e] = w.head<3>().norm();
      sizes[2 * e + 1] = w.tail<3>().norm();
    }
    put_joint_coordinates(joint, put(sizes, out));
  }
}

// Moments about the mass centre of the body, and about the origin of the ground; ground axes.
double* Recorder::put_spatial_resultants(const State& state, double* out) const {
  const int bodies = system_.body_count();
  std::fill_n(out, 6 * (bodies + 1), 0.0);
  for (const auto& joint : joints_)
    for (int e = 0; e < 2; ++e) {
      const Side& side = joint.ends[e].side;
      const Vec<6> w = spatial_wrench(joint, e, state);
      const Vec<3> force = w.head<3>(), arm = turn_of(side.body) * vector(side.point);
      Eigen::Map<Vec<6>> sum(out + 6 * std::ptrdiff_t{side.body < 0 ? bodies : side.body});
      sum.head<3>() += force;
      sum.tail<3>() += w.tail<3>() + arm.cross(force);
    }
  add_relation_resultants(state, out);
  return out + 6 * (bodies + 1);
}

void Recorder::evaluate_coordinates(const State& state) {
  const Equations& equations = system_.coordinate_equations();
  const Config here = system_.config(state.t, state.q, work_);
  equations.phi(here, coordinate_);
  equations.phi_q(here, coordinate_packed_);
  equations.multiply(coordinate_packed_, state.v, coordinate_rate_);
}

double* Recorder::put_joint_coordinates(const JointPlan& joint, double* out) const {
  for (const int row : system_.constraints()[at(joint.constraint)].coordinate_rows) {
    *out++ = coordinate_[at(row)];
    *out++ = coordinate_rate_[at(row)];
  }
  return out;
}

std::vector<BodyState> Recorder::spatial_body_states(const State& state) const {
  std::vector<BodyState> list;
  for (int b = 0; b < system_.body_count(); ++b) {
    const Frame f = user_frame(system_, state, b);
    const auto joined = [](const auto& one, const auto& two) {
      std::vector<double> all(one.data(), one.data() + one.size());
      all.insert(all.end(), two.data(), two.data() + two.size());
      return all;
    };
    list.push_back({system_.bodies()[at(b)].name,
                    joined(f.r, f.e),
                    joined(f.v, f.omega),
                    joined(f.a, f.alpha)});
  }
  return list;
}

}  // namespace cardan
