#include "cardan/model/other_words.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace cardan {

namespace {

struct WordEntry {
  WordPlace place;
  std::string_view words;  // separated by spaces, in small letters
  std::string_view means;
  std::string_view hint = "";  // empty: did you mean 'means'?
};

// The first entry counts whose meaning can stand there: a ball joint in space, else a revolute one.
// clang-format off
constexpr WordEntry other_words[] = {
    {WordPlace::key, "k spring_constant spring_rate", "stiffness"},
    {WordPlace::key, "c d b damping_coefficient viscosity dashpot", "damping"},
    {WordPlace::key, "l0 length0 rest_length natural_length initial_length unstretched_length",
     "free_length"},
    {WordPlace::key, "rest_angle angle0", "free_angle"},
    {WordPlace::key, "mu friction_coefficient", "friction"},
    {WordPlace::key, "bodies body1 parts links connects parent child", "between"},
    {WordPlace::key, "joint", "between", "it acts between two bodies: write those of the joint, between = [\"ground\", \"bar\"]"},
    {WordPlace::key, "position pos origin location point p", "at"},
    {WordPlace::key, "speed omega velocity rpm", "motion",
     "a driver gives the position over time: motion = \"100 rpm*t\" turns at a constant speed"},
    {WordPlace::key, "angle value position function law", "motion"},
    {WordPlace::key, "torque force moment load magnitude", "value"},
    {WordPlace::key, "weight m", "mass"},
    {WordPlace::key, "i j izz jzz moment_of_inertia i_zz", "inertia"},
    {WordPlace::key, "com cog cg center centroid mass_center center_of_mass centre_of_mass", "centre"},
    {WordPlace::key, "length l", "to", "the length follows from the ends: from = [x, y], to = [x, y]"},
    {WordPlace::key, "rho", "density"},
    {WordPlace::key, "depth", "thickness"},
    {WordPlace::key, "omega angular_velocity w", "rate"},
    {WordPlace::key, "position", "displacement"},
    {WordPlace::key, "theta phi rotation orientation", "angle"},
    {WordPlace::key, "direction normal", "axis"},
    {WordPlace::key, "end end_time t_end tend stop_time stop tstop duration time final_time tmax", "until"},
    {WordPlace::key, "dt h timestep time_step step_size stepsize fixed_step", "step"},
    {WordPlace::key, "solver method ode", "integrator"},
    {WordPlace::key, "tol tolerance reltol accuracy eps", "rtol"},
    {WordPlace::key, "abstol", "atol"},
    {WordPlace::key, "output_interval dt_out sample_time save_every print_step", "output_step"},

    {WordPlace::section, "motor actuator drive motion motors", "driver",
     "write [[driver]] with joint = \"NAME\" and motion = \"100 rpm*t\" for a prescribed motion, or [[force]] with "
     "type = \"torque\" for a given torque"},
    {WordPlace::section, "spring springs", "force", "write [[force]] with type = \"spring\" or \"rotational-spring\""},
    {WordPlace::section, "damper dampers dashpot", "force",
     "write [[force]] with type = \"spring\" and damping = \"10 N*s/m\"; its stiffness may be left out"},
    {WordPlace::section, "torque load loads bushing", "force", "write [[force]] with type = \"torque\", \"force\", ..."},
    {WordPlace::section, "bodies link links part parts rigid_body rigidbody element bar", "body"},
    {WordPlace::section, "constraints hinge connection connector connections", "joint"},
    {WordPlace::section, "simulation solver settings run simulate analyses options integrator time", "analysis"},
    {WordPlace::section, "sensor sensors measure measures measurement signal probe", "request"},
    {WordPlace::section, "variables constants define params const parameter var vars", "parameters"},
    {WordPlace::section, "point points frame frames node", "marker"},
    {WordPlace::section, "initial_conditions ic initials start initial_condition", "initial"},
    {WordPlace::section, "name", "title"},
    {WordPlace::section, "dimension dimensions dim", "space"},
    {WordPlace::section, "g", "gravity"},
    {WordPlace::section, "spline table function functions profile", "curve"},
    {WordPlace::section, "collision collisions", "contact"},
    {WordPlace::section, "limit limits", "stop"},

    {WordPlace::body, "gnd world base frame fixed earth land floor origin inertial global reference environment background 0",
     "ground"},

    {WordPlace::joint, "ball ball-joint ball_joint ball-socket socket", "spherical"},
    {WordPlace::joint, "hinge hinged pin pinned pin-joint pivot rotational rotary rotation revolution turn ball bearing", "revolute"},
    {WordPlace::joint, "prismatic slider sliding slide linear translation guide rail", "translational"},
    {WordPlace::joint, "weld welded rigid fix clamp clamped lock locked", "fixed"},
    {WordPlace::joint, "cardan hooke hookes u-joint ujoint universal-joint", "universal"},
    {WordPlace::joint, "helical helix lead-screw leadscrew", "screw"},
    {WordPlace::joint, "slot point-on-line", "pin-in-slot"},
    {WordPlace::joint, "rod link rope massless-link bar", "distance"},
    {WordPlace::joint, "rack", "rack-and-pinion"},
    {WordPlace::joint, "cv homokinetic", "constant-velocity"},
    {WordPlace::joint, "wheel roll", "rolling"},

    {WordPlace::driver, "motor rotation rotational rotary revolute hinge speed", "angle"},
    {WordPlace::driver, "translation translational linear prismatic position slider", "displacement"},

    {WordPlace::force, "damper dashpot shock", "spring",
     "a damper is a spring with damping alone: type = \"spring\", damping = \"10 N*s/m\""},
    {WordPlace::force, "spring-damper linear-spring springdamper spring_damper", "spring"},
    {WordPlace::force, "torsion torsion-spring torsional-spring torsional_spring torsion_spring rotational-damper angular-spring",
     "rotational-spring"},
    {WordPlace::force, "motor moment", "torque"},
    {WordPlace::force, "load point-force", "force"},

    {WordPlace::analysis, "transient time simulation dynamics time-domain forward", "dynamic"},
    {WordPlace::analysis, "static statics static-equilibrium", "equilibrium"},
    {WordPlace::analysis, "modal eigen linear linearize linearization eigenvalues modes vibration", "linearise"},
    {WordPlace::analysis, "kinematics position", "kinematic"},
    {WordPlace::analysis, "inverse-dynamics kinetostatic", "inverse"},
};

// clang-format on

bool has_word(const WordEntry& entry, std::string_view word) {
  for (std::size_t from = 0; from < entry.words.size();) {
    const std::size_t end = std::min(entry.words.find(' ', from), entry.words.size());
    if (entry.words.substr(from, end - from) == word) return true;
    from = end + 1;
  }
  return false;
}

}  // namespace

OtherWord other_word(WordPlace place,
                     std::string_view word,
                     const std::vector<std::string_view>& known) {
  if (word.size() > 40) return {};
  std::string small(word);
  std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  const char quote = place == WordPlace::key || place == WordPlace::body ? '\'' : '"';
  for (const WordEntry& entry : other_words) {
    if (entry.place != place || !has_word(entry, small)) continue;
    if (std::find(known.begin(), known.end(), entry.means) == known.end()) continue;
    if (!entry.hint.empty()) return {entry.means, std::string(entry.hint)};
    if (place == WordPlace::section)
      return {entry.means, fmt::format("did you mean {}?", entry.means)};
    return {entry.means, fmt::format("did you mean {0}{1}{0}?", quote, entry.means)};
  }
  return {};
}

OtherWord other_word(WordPlace place,
                     std::string_view word,
                     const std::vector<std::string>& known) {
  return other_word(place, word, std::vector<std::string_view>(known.begin(), known.end()));
}

}  // namespace cardan
