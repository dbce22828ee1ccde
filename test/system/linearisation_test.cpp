// Every derivative of a linearisation at random states of every model and of every element type,
// against differences of fourth order along tangent increments; and identities between the products
// that hold to round-off.
#include "cardan/system/linearisation.h"

#include <filesystem>
#include <random>

#include "cardan/system/friction_solver.h"
#include "test/analysis/model_of_type.h"
#include "test/mechanisms.h"

namespace cardan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Differences of functions of size 1, the best of several steps.
constexpr double difference_tolerance = 1e-8;
constexpr double round_off = 1e-12;
constexpr double steps[] = {1e-3, 1e-4, 1e-5, 1e-6};

class Check {
 public:
  Check(const System& system, const std::string& what, unsigned seed, double spread)
      : system_(system),
        what_(what),
        rng_(seed),
        work_(system.workspace()),
        friction_(system),
        active_(static_cast<std::size_t>(system.equations().rows()), 1),
        at_(system, active_) {
    state_ = system.given_state();
    std::vector<double> d(static_cast<std::size_t>(system.v_size()));
    const double length = std::min(1.0, system.length());
    for (std::size_t k = 0; k < d.size(); ++k)
      d[k] = spread * random() * (system.layout().turns(static_cast<int>(k)) ? 1 : length);
    system.advance(state_.q, d, state_.q);
    state_.t = 0.1 + 0.05 * random();
    for (double& x : state_.v) x += 0.5 * length * random();
    state_.a = fill(state_.v.size());
    state_.lambda = fill(active_.size());
    for (double& x : state_.z) x += random();
    for (double& x : state_.u) x += random();
    at_.evaluate(state_);
  }

  void all() {
    const VectorXd a = vector(state_.a), lambda = vector(state_.lambda);
    const Increment move = [&](State& s, int k, double h) {
      std::vector<double> d(s.v.size(), 0.0);
      d[static_cast<std::size_t>(k)] = h;
      system_.advance(s.q, d, s.q);
    };
    const Increment push = [](State& s, int k, double h) {
      s.v[static_cast<std::size_t>(k)] += h;
    };
    const Increment load = [](State& s, int k, double h) {
      s.lambda[static_cast<std::size_t>(k)] += h;
    };
    const Increment store = [](State& s, int k, double h) {
      s.z[static_cast<std::size_t>(k)] += h;
    };
    const Increment feed = [](State& s, int k, double h) {
      s.u[static_cast<std::size_t>(k)] += h;
    };
    const Quantity force = [&](const State& s) {
      return forces(s);
    };
    const Quantity rate = [&](const State& s) {
      return rates(s);
    };
    compare("phi_q_a_q", at_.phi_q_a_q(), move, [&](const State& s) {
      return VectorXd(jacobian(s) * a);
    });
    compare("phi_qT_lambda_q", at_.phi_qT_lambda_q(), move, [&](const State& s) {
      return VectorXd(jacobian(s).transpose() * lambda);
    });
    const Quantity gamma = [&](const State& s) {
      return gammas(s);
    };
    compare("gamma_q", at_.gamma_q(), move, gamma);
    compare("gamma_v", at_.gamma_v(), push, gamma);
    compare("Q_q", at_.Q_q(), move, force);
    compare("Q_v", at_.Q_v(), push, force);
    compare("Q_lambda", at_.Q_lambda(), load, force);
    compare("Q_z", at_.Q_z(), store, force, sizes(state_.z));
    compare("Q_u", at_.Q_u(), feed, force);
    compare("z_q", at_.z_q(), move, rate);
    compare("z_v", at_.z_v(), push, rate);
    compare("z_lambda", at_.z_lambda(), load, rate);
    compare("z_z", at_.z_z(), store, rate, sizes(state_.z));
    compare("z_u", at_.z_u(), feed, rate);
    identities();
  }

  double stiffness() const { return at_.Q_q().norm(); }

 private:
  using Increment = std::function<void(State&, int, double)>;
  using Quantity = std::function<VectorXd(const State&)>;

  double random() { return std::uniform_real_distribution<>(-1, 1)(rng_); }

  std::vector<double> fill(std::size_t n) {
    std::vector<double> out(n);
    for (double& x : out) x = random();
    return out;
  }

  static VectorXd vector(const std::vector<double>& x) { return as_vector(CView(x)); }

  void place(const State& s) {
    system_.use(s, work_);
    system_.rotations(s.q, work_);
  }

  MatrixXd jacobian(const State& s) {
    place(s);
    system_.equations().phi_q(system_.config(s.t, s.q, work_), work_.packed);
    return system_.equations().dense(work_.packed);
  }

  VectorXd gammas(const State& s) {
    place(s);
    system_.equations().gamma(system_.motion(s.t, s.q, s.v, work_), work_.gamma);
    return vector(work_.gamma);
  }

  VectorXd forces(const State& s) {
    place(s);
    system_.evaluate_forces(s.t, s.q, s.v, work_);
    if (friction_.any()) {
      friction_.prepare(s.t, s.q, s.v, work_);
      friction_.add(s.lambda, work_.Q);
    }
    return vector(work_.Q);
  }

  VectorXd rates(const State& s) {
    place(s);
    system_.evaluate_forces(s.t, s.q, s.v, work_);
    std::vector<double> out(s.z.size());
    system_.state_rates(s.t, s.q, s.v, s.lambda, work_, out);
    return vector(out);
  }

  static VectorXd sizes(const std::vector<double>& x) { return vector(x).cwiseAbs().cwiseMax(1); }

  // Columns in units of their sizes, which are 1 unless told.
  void compare(const char* name,
               const SparseMatrix& found,
               const Increment& move,
               const Quantity& f,
               VectorXd units = {}) {
    if (found.rows() == 0 || found.cols() == 0) return;
    if (units.size() == 0) units.setOnes(found.cols());
    const MatrixXd x = found * units.asDiagonal();
    ASSERT_TRUE(x.allFinite()) << what_ << ": " << name;
    VectorXd errors = VectorXd::Constant(x.cols(), INFINITY);
    double size = 1;
    for (const double h : steps)
      for (int k = 0; k < x.cols(); ++k) {
        const auto moved = [&](double by) {
          State s = state_;
          move(s, k, by * units[k]);
          return f(s);
        };
        const VectorXd slope =
            (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
        size = std::max(size, slope.cwiseAbs().maxCoeff());
        errors[k] = std::min(errors[k], (slope - x.col(k)).cwiseAbs().maxCoeff());
      }
    Eigen::Index worst = 0;
    const double error = errors.maxCoeff(&worst) / size;
    EXPECT_LE(error, difference_tolerance) << what_ << ": " << name << ", column " << worst;
  }

  // lambda^T (phi_q a)_q = a^T (phi_q^T lambda)_q, and gamma is quadratic in v:
  // gamma(v) - gamma(0) = -(phi_q v)_q v, gamma_v v = 2 (gamma(v) - gamma(0)).
  void identities() {
    const VectorXd a = vector(state_.a), v = vector(state_.v), lambda = vector(state_.lambda);
    const VectorXd one = at_.phi_q_a_q().transpose() * lambda,
                   two = at_.phi_qT_lambda_q().transpose() * a;
    EXPECT_LE((one - two).cwiseAbs().maxCoeff(), tolerance(one)) << what_;
    if (active_.empty()) return;
    State rest = state_;
    std::fill(rest.v.begin(), rest.v.end(), 0.0);
    const VectorXd bent = gammas(state_) - gammas(rest), twice = at_.gamma_v() * v;
    EXPECT_LE((twice - 2 * bent).cwiseAbs().maxCoeff(), tolerance(bent)) << what_;
    SparseMatrix turning = at_.phi_q();
    at_.phi_q_v_q(state_.v, turning);
    EXPECT_LE((turning * v + bent).cwiseAbs().maxCoeff(), tolerance(bent)) << what_;
    EXPECT_LE((MatrixXd(at_.phi_q()) - jacobian(state_)).cwiseAbs().maxCoeff(), round_off) << what_;
  }

  // Products that are themselves differences are good to fewer digits.
  double tolerance(const VectorXd& x) const {
    const auto pools = system_.equations().pools();
    const bool differenced = std::any_of(
        pools.begin(), pools.end(), [](const ConstraintPool* p) { return p->differenced(); });
    return (differenced ? difference_tolerance : round_off) * (1 + x.cwiseAbs().maxCoeff());
  }

  const System& system_;
  std::string what_;
  std::mt19937 rng_;
  Workspace work_;
  FrictionSolver friction_;
  std::vector<char> active_;
  Linearisation at_;
  State state_;
};

void check(const System& system, const std::string& what, double spread = 0.05, int repeats = 3) {
  for (int k = 0; k < repeats; ++k) Check(system, what, 5 + static_cast<unsigned>(k), spread).all();
}

TEST(Linearisation, of_every_model) {
  int count = 0;
  const std::filesystem::path all = std::filesystem::path(source_dir) / "models";
  for (const auto& entry : std::filesystem::directory_iterator(all)) {
    if (!std::filesystem::exists(entry.path() / "model.toml")) continue;
    const std::string name = entry.path().filename();
    check(
        system_of(model_file(name)), name, 0.05, name == "n-four-bar" || name == "vehicle" ? 1 : 3);
    ++count;
  }
  EXPECT_GE(count, 30);
}

TEST(Linearisation, of_every_element_type) {
  for (const ElementType& type : element_types()) {
    Model model = ModelOfType{type}.model();
    if (type.kind == Kind::stop) model.stops[0].settings.emplace_back("upper", 3.0);
    if (type.contact && type.contact->hollow)
      model.contacts[0].settings = {{"radii", std::vector<double>{2, 0.1}}};
    check(system_of(model), title(type));
  }
}

void set_radii(Element& e, const ElementType& type, const std::vector<double>& radii) {
  const bool two = std::any_of(
      type.keys.begin(), type.keys.end(), [](const KeySpec& key) { return key.name == "radii"; });
  if (two)
    e.settings = {{"radii", radii}};
  else
    e.settings = {{"radius", radii[0]}};
}

// Stops and contacts that give, deep in each other, with friction where there can be some.
TEST(Linearisation, of_every_compliant_limit) {
  int rubbing = 0;
  for (const ElementType& type : element_types()) {
    if (type.kind != Kind::stop && type.kind != Kind::contact) continue;
    Model model = ModelOfType{type}.model();
    Element& e = type.kind == Kind::stop ? model.stops[0] : model.contacts[0];
    if (type.kind == Kind::stop)
      e.settings.emplace_back("upper", -3.0);
    else
      set_radii(e, type, {type.contact->hollow ? 1.5 : 2.0, 1.2});
    e.settings.emplace_back("stiffness", 30.0);
    e.settings.emplace_back("damping", 0.7);
    if (type.kind == Kind::contact) {
      e.settings.emplace_back("friction", 0.3);
      e.settings.emplace_back("static_friction", 0.5);
      e.settings.emplace_back("transition_speed", 0.4);
    }
    const auto compiled = compile(model);
    if (!compiled) {
      for (const auto& d : compiled.why()) ADD_FAILURE() << title(type) << to_text(d);
      continue;
    }
    rubbing += compiled.value().friction().count();
    const std::string what = "compliant " + title(type);
    EXPECT_GT(Check(compiled.value(), what, 5, 0.05).stiffness(), 1) << what;
    check(compiled.value(), what);
  }
  EXPECT_GE(rubbing, 5);
}

// Hard contacts and joints: friction under the reactions.
TEST(Linearisation, of_every_friction) {
  int rubbing = 0;
  for (const ElementType& type : element_types()) {
    Model model = ModelOfType{type}.model();
    Element* e = nullptr;
    if (type.kind == Kind::contact) {
      e = &model.contacts[0];
      set_radii(*e, type, {type.contact->hollow ? 2.0 : 0.3, 0.1});
    } else if (type.kind == Kind::joint && std::holds_alternative<FrictionRule>(type.friction)) {
      e = &model.joints.back();
    } else {
      continue;
    }
    for (const KeySpec& key : type.keys)
      if (key.name.ends_with("_radius") || key.name == "bearing_length" ||
          key.name == "guide_length" || key.name == "guide_width")
        e->settings.emplace_back(std::string(key.name), 0.37);
    e->settings.emplace_back("friction", 0.3);
    e->settings.emplace_back("static_friction", 0.5);
    e->settings.emplace_back("transition_speed", 0.4);
    const System system = system_of(model);
    EXPECT_GT(system.friction().count(), 0) << title(type);
    rubbing += system.friction().count();
    check(system, "rubbing " + title(type));
  }
  EXPECT_GE(rubbing, 10);
}

// Forces of formulas that read measures, other formulas, their rates, states and inputs.
const std::string formulas =
    "[[state]]\nname='x'\ninitial=0.3\nrate='(sin(g) - x*turn)/(1 s) + 0.2*rate(g)*u'\n"
    "[[state]]\nname='y'\ninitial=0.1\nrate='x*y/(1 s) - rate(mixed)'\n"
    "[[input]]\nname='u'\nvalue=0.7\n"
    "[[input]]\nname='w'\nmotion='sin(2*t)'\n"
    "[[request]]\nname='g'\ntype='expression'\nvalue='gap/(1 m)'\n"
    "[[request]]\nname='mixed'\ntype='expression'\nvalue='g^2*sin(turn + t/(1 s))*x + w*turn'\n"
    "[[request]]\nname='deep'\ntype='expression'\n"
    "value='mixed*x + 0.3*rate(mixed)*(1 s) + u^2'\n"
    "[[request]]\nname='deep_2'\ntype='expression'\nvalue='mixed^2 + y'\n";

TEST(Linearisation, of_formulas_in_the_plane) {
  const std::string text =
      "gravity = [0, -9.81]\n"
      "[[body]]\nname='a'\nat=[0.1,0.2]\nmass=1\ninertia=0.5\n"
      "[[body]]\nname='b'\nat=[1.1,0.4]\nmass=1\ninertia=0.5\n"
      "[[body]]\nname='c'\nat=[2.0,-0.4]\nmass=1\ninertia=0.5\n"
      "[[joint]]\ntype='revolute'\nname='axle'\nbetween=['ground','a']\nat=[0,0]\n"
      "[[request]]\ntype='distance'\nname='gap'\nbetween=['a','b']\nat=[[0.3,0.3],[1,0.6]]\n"
      "[[request]]\nname='turn'\njoint='axle'\n" +
      formulas +
      "[[force]]\ntype='force'\nname='push'\nbody='c'\nat=[2.1,-0.3]\n"
      "value=['deep*u*(1 N)','rate(deep_2)*x*(1 N*s) + mixed*(1 N)']\n"
      "[[force]]\ntype='spring'\nname='spring'\nbetween=['b','c']\nat=[[1.2,0.4],[2,-0.2]]\n"
      "stiffness=3\nfree_length=0.5\nforce='length*rate*mixed*(1 kg/m/s) + y*rate(x)*(1 N*s)'\n";
  check(system_of(model_of(text)), "formulas in the plane");
}

TEST(Linearisation, of_formulas_in_space) {
  const std::string text =
      "space='spatial'\ngravity = [0, 0, -9.81]\n"
      "[[body]]\nname='a'\nat=[0.1,0.2,0.3]\nmass=1\ninertia=[0.5,0.6,0.7]\n"
      "[[body]]\nname='b'\nat=[1.1,0.4,0.1]\nmass=1\ninertia=[0.5,0.6,0.7]\n"
      "[[body]]\nname='c'\nat=[2.0,-0.4,0.4]\nmass=1\ninertia=[0.5,0.6,0.7]\n"
      "[[joint]]\ntype='revolute'\nname='axle'\nbetween=['ground','a']\nat=[0,0,0]\naxis=[1,2,3]\n"
      "[[request]]\ntype='distance'\nname='gap'\nbetween=['a','b']\nat=[[0.3,0.3,0],[1,0.6,0.2]]\n"
      "[[request]]\nname='turn'\njoint='axle'\n" +
      formulas +
      "[[force]]\ntype='general-force'\nname='push'\nbody='c'\nat=[2.1,-0.3,0.1]\n"
      "value=['deep*u*(1 N)','rate(deep_2)*x*(1 N*s) + mixed*(1 N)','y*(1 N)',"
      "'u*deep*(1 N*m)','turn*(1 N*m)','x*(1 N*m)']\n"
      "[[force]]\ntype='spring'\nname='spring'\nbetween=['b','c']\nat=[[1.2,0.4,0],[2,-0.2,0]]\n"
      "stiffness=3\nfree_length=0.5\nforce='length*rate*mixed*(1 kg/m/s) + y*rate(x)*(1 N*s)'\n";
  check(system_of(model_of(text)), "formulas in space");
}

}  // namespace
}  // namespace cardan::test
