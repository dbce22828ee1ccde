// One body on one joint, against series of another program with their stated tolerances: positions,
// velocities, accelerations, orientation and reactions. The data is read where it is present. Its
// models are files of statements "NAME/number, key = value, ..." with markers whose z axis is the
// joint's axis.
#include <cmath>
#include <filesystem>
#include <numbers>

#include <nlohmann/json.hpp>

#include "test/verify/spatial_support.h"

namespace cardan {
namespace {

using test::Memory;

struct Marker3 {
  Vec<3> at = Vec<3>::Zero();
  Quaternion turn = no_rotation();

  Vec<3> axis(int k) const { return matrix_of_quaternion(turn).col(k); }
};

struct Statement {
  std::string name;
  int number = 0;
  std::string rest;

  // The text after "key =", up to the next key.
  std::string value(const std::string& key) const {
    std::size_t from = 0;
    while (true) {
      from = rest.find(key, from);
      if (from == std::string::npos) return {};
      std::size_t to = rest.find_first_not_of(' ', from + key.size());
      const bool whole = from == 0 || rest[from - 1] == ' ' || rest[from - 1] == ',';
      if (whole && to != std::string::npos && rest[to] == '=') {
        std::size_t end = rest.find('=', to + 1);
        if (end != std::string::npos) end = rest.rfind(',', end);
        return rest.substr(to + 1, end == std::string::npos ? end : end - to - 1);
      }
      from += key.size();
    }
  }

  std::vector<double> numbers(const std::string& key) const {
    std::vector<double> list;
    std::stringstream text(value(key));
    std::string cell;
    while (std::getline(text, cell, ',')) {
      const double factor = cell.find('D') != std::string::npos ? std::numbers::pi / 180 : 1;
      list.push_back(std::stod(cell) * factor);
    }
    return list;
  }
};

std::vector<Statement> read_statements(const std::string& path) {
  std::ifstream file(path);
  std::vector<Statement> list;
  std::string line;
  while (std::getline(file, line)) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty() || line[0] == '!') continue;
    const std::size_t slash = line.find('/');
    if (line[0] == ',' && !list.empty()) {
      list.back().rest += line;
    } else if (slash != std::string::npos) {
      const std::size_t comma = line.find(',');
      const std::string number = line.substr(slash + 1, comma - slash - 1);
      list.push_back({line.substr(0, slash),
                      number.empty() || !std::isdigit(number[0]) ? 0 : std::stoi(number),
                      comma == std::string::npos ? "" : line.substr(comma)});
    }
  }
  return list;
}

std::string text(const Vec<3>& p) {
  return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", p.x(), p.y(), p.z());
}

std::string as_model(const std::vector<Statement>& statements) {
  std::map<int, Marker3> markers;
  Statement part, joint;
  for (const auto& s : statements) {
    if (s.name == "MARKER") {
      Marker3 m;
      if (const auto at = s.numbers("QP"); at.size() == 3) m.at = Vec<3>(at.data());
      if (const auto turn = s.numbers("REULER"); turn.size() == 3)
        m.turn = *quaternion_of_angles("zxz", Vec<3>(turn.data()), false);
      markers[s.number] = m;
    }
    if (s.name == "PART" && !s.value("MASS").empty()) part = s;
    if (s.name == "JOINT" || s.name == "GCON") joint = s;
  }
  const Marker3 cm = markers[static_cast<int>(part.numbers("CM").at(0))];
  const auto inertia = part.numbers("IP");
  std::string model = fmt::format(
      "space='spatial'\ngravity=[0,0,-9.80665]\n[[body]]\nname='body'\nmass={}\n"
      "inertia=[{},{},{}]\nat={}\norientation={{quaternion=[{:.17g},{:.17g},{:.17g},{:.17g}]}}\n",
      part.numbers("MASS").at(0),
      inertia[0],
      inertia[1],
      inertia[2],
      text(cm.at),
      cm.turn[0],
      cm.turn[1],
      cm.turn[2],
      cm.turn[3]);
  const auto add_joint = [&](const char* type, const std::string& where) {
    model += fmt::format(
        "[[joint]]\nname='joint'\ntype='{}'\nbetween=['ground','body']\n{}", type, where);
  };
  if (joint.name == "GCON") {
    add_joint("distance", fmt::format("at=[[0,0,0],{}]\n", text(cm.at)));
    return model;
  }
  const Marker3 i = markers[static_cast<int>(joint.numbers("I").at(0))],
                j = markers[static_cast<int>(joint.numbers("J").at(0))];
  const std::string at = "at=" + text(i.at) + "\n", along = at + "axis=" + text(i.axis(2)) + "\n";
  const auto is = [&](const char* word) {
    return joint.rest.find(word) != std::string::npos;
  };
  if (is("REVOLUTE")) add_joint("revolute", along);
  if (is("CYLINDRICAL")) add_joint("cylindrical", along);
  if (is("TRANSLATIONAL")) add_joint("translational", along);
  if (is("SPHERICAL")) add_joint("spherical", at);
  if (is("HOOKE"))
    add_joint("universal", at + fmt::format("axis=[{},{}]\n", text(i.axis(0)), text(j.axis(1))));
  for (const auto& s : statements)
    if (s.name == "SFORCE")  // the series was made with these values, not with those of its text
      model +=
          "[[force]]\nname='spring'\ntype='rotational-spring'\nbetween=['ground','body']\naxis=" +
          text(i.axis(2)) + "\nstiffness='200 N*m'\ndamping='10 N*m*s'\nfree_angle=0\n";
  return model;
}

class JointOfAnotherProgram : public testing::TestWithParam<std::string> {};

TEST_P(JointOfAnotherProgram, AgreesWithinTheStatedTolerances) {
  const std::string folder = test::shared_case("C01_joint_tests/");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  const auto cases = nlohmann::json::parse(std::ifstream(folder + "cases.json"));
  const auto& tolerance = cases[GetParam()]["tolerance"];
  Model model = test::model_of(
      as_model(read_statements(folder + cases[GetParam()]["model"].get<std::string>())) +
      "[[analysis]]\ntype='dynamic'\nuntil=5\noutput_step=0.01\nrtol=1e-9\natol=1e-9\n");
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete");
  EXPECT_LT(out.summary.constraint.max_position, 1e-9);
  std::string data;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().filename() == GetParam() + "_ADAMS_Pos.txt")
      data = entry.path().parent_path().string() + "/" + GetParam() + "_ADAMS_";
  std::vector<std::pair<std::string, std::vector<std::string>>> quantities{
      {"Pos", {"body.x", "body.y", "body.z"}},
      {"Vel", {"body.vx", "body.vy", "body.vz"}},
      {"Acc", {"body.ax", "body.ay", "body.az"}},
      {"Quat", {"body.qw", "body.qx", "body.qy", "body.qz"}},
      {"Avel", {"body.omega_x", "body.omega_y", "body.omega_z"}},
      {"Aacc", {"body.alpha_x", "body.alpha_y", "body.alpha_z"}},
      {"Rforce", {"joint.first.fx", "joint.first.fy", "joint.first.fz"}},
      {"Rtorque", {"joint.first.mx", "joint.first.my", "joint.first.mz"}}};
  if (GetParam() == "RotSpring_Case01")  // there it is the spring's torque, about y
    quantities.back().second = {"joint.first.mx", "spring.torque", "joint.first.mz"};
  for (const auto& [quantity, channels] : quantities) {
    std::ifstream file(data + quantity + ".txt");
    ASSERT_TRUE(file.good()) << data << quantity;
    std::string line;
    std::vector<double> squares(channels.size(), 0.0);
    std::size_t rows = 0;
    while (std::getline(file, line)) {
      if (line.empty() || line[0] == '#' || line[0] == 'T') continue;
      std::stringstream cells(line);
      double t = 0;
      cells >> t;
      std::vector<double> theirs(channels.size());
      for (double& x : theirs) cells >> x;
      double sign = 1;  // of the quaternion: both mean one orientation
      if (quantity == "Quat") {
        double dot = 0;
        for (std::size_t k = 0; k < 4; ++k) dot += theirs[k] * run.value(channels[k], rows);
        sign = dot < 0 ? -1 : 1;
      }
      for (std::size_t k = 0; k < channels.size(); ++k)
        squares[k] += std::pow(sign * run.value(channels[k], rows) - theirs[k], 2);
      ++rows;
    }
    ASSERT_EQ(rows, run.rows.size()) << quantity;
    for (std::size_t k = 0; k < channels.size(); ++k)
      EXPECT_LT(std::sqrt(squares[k] / static_cast<double>(rows)),
                tolerance[quantity].get<double>())
          << quantity << ' ' << channels[k];
  }
}

INSTANTIATE_TEST_SUITE_P(Spatial,
                         JointOfAnotherProgram,
                         testing::Values("Revolute_Case01",
                                         "Revolute_Case02",
                                         "Spherical_Case01",
                                         "Spherical_Case02",
                                         "Universal_Case01",
                                         "Universal_Case02",
                                         "Cylindrical_Case01",
                                         "Cylindrical_Case02",
                                         "Prismatic_Case01",
                                         "Prismatic_Case02",
                                         "Prismatic_Case03",
                                         "Distance_Case01",
                                         "RotSpring_Case01"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace cardan
