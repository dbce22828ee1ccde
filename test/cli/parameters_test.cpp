// Parameters and sensitivities through the program.
#include <nlohmann/json.hpp>

#include "cardan/results/run_reader.h"
#include "program.h"
#include "test/places.h"

namespace cardan::test {

namespace {

std::string reference_case(const std::string& name) {
  return std::string(test::source_dir) + "/test/reference/analyses/" + name;
}

TEST(Parameters, AreListedWithWhatFollowsFromThem) {
  const Place place;
  const Said said = cardan(place, {"parameters", reference_case("four-bar-kinematics")});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "a = 0.12")) << said.out;
  EXPECT_TRUE(contains(said.out, "from a, start: a*cos(start)")) << said.out;
  EXPECT_TRUE(contains(said.out, "body 'crank'")) << said.out;
  EXPECT_TRUE(contains(said.out, "driver 'motor' (motion)")) << said.out;
  const Said json = cardan(place, {"parameters", reference_case("hanging-chain"), "--json"});
  EXPECT_EQ(json.code, 0) << json.err;
  const auto list = nlohmann::json::parse(json.out).at("parameters");
  ASSERT_FALSE(list.empty());
  for (const auto& p : list) EXPECT_TRUE(p.contains("used_by")) << p;
}

const std::string driven_bar = R"([parameters]
length = "1 m"
speed = "1 rad/s"
area = "2 m^2"
spare = 5
[[body]]
name = "bar"
from = [0, 0]
to = ["length", 0]
mass = 1
[[joint]]
type = "revolute"
name = "pin"
between = ["ground", "bar"]
at = [0, 0]
[[driver]]
joint = "pin"
motion = "speed*t"
[[request]]
type = "expression"
name = "pressure"
value = "`pin.first.force`/area"
[[analysis]]
type = "kinematic"
until = "0.5 s"
)";

TEST(Parameters, ThatNothingUsesAreTold) {
  const Place place;
  write_text(place / "bar.toml", driven_bar);
  const Said spare = cardan(place, {"check", "bar.toml", "--set", "spare=6"});
  EXPECT_EQ(spare.code, 0);
  EXPECT_TRUE(contains(spare.err, "changes nothing")) << spare.err;
  EXPECT_TRUE(contains(spare.out, "unused parameters     spare\n")) << spare.out;
  for (const char* set : {"length=2 m", "speed=2 rad/s", "area=3 m^2"})
    EXPECT_FALSE(contains(cardan(place, {"check", "bar.toml", "--set", set}).err, "nothing"))
        << set;
}

// The end of the motion is the model's, whichever analysis says it.
TEST(Parameters, AnalysesTakeTheEndOfEachOther) {
  const Place place;
  write_text(place / "bar.toml", driven_bar);
  const Said said = cardan(place, {"inverse", "bar.toml", "-o", "out", "--no-report"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "t = 0.5 s")) << said.out;
}

TEST(Parameters, SensitivitiesAreChannels) {
  const Place place;
  const Said said = cardan(place,
                           {"kinematic",
                            reference_case("four-bar-kinematics"),
                            "--sensitivity",
                            "a,speed",
                            "--until",
                            "1.2 s",
                            "--output-step",
                            "0.4 s",
                            "-o",
                            "out"});
  EXPECT_EQ(said.code, 0) << said.err;
  const Said csv = cardan(place, {"export", "out", "-c", "d(rocker.angle)/d(a)"});
  EXPECT_EQ(csv.code, 0) << csv.err;
  EXPECT_TRUE(contains(csv.out, "d(rocker.angle)/d(a)")) << csv.out;
  const Said unknown =
      cardan(place, {"kinematic", reference_case("four-bar-kinematics"), "--sensitivity", "sped"});
  EXPECT_NE(unknown.code, 0);
  EXPECT_TRUE(contains(unknown.err, "did you mean 'speed'?")) << unknown.err;
}

TEST(Parameters, AreRankedByTheirEffect) {
  const Place place;
  const Said said = cardan(place,
                           {"sensitivity",
                            reference_case("four-bar-kinematics"),
                            "--analysis",
                            "kinematic",
                            "--of",
                            "rocker.angle",
                            "--json"});
  EXPECT_EQ(said.code, 0) << said.err;
  const auto ranking = nlohmann::json::parse(said.out).at("ranking");
  ASSERT_EQ(ranking.size(), 6u) << ranking;  // a, b, c, d, start, speed
  for (std::size_t k = 1; k < ranking.size(); ++k)
    EXPECT_GE(ranking[k - 1]["effect"].get<double>(), ranking[k]["effect"].get<double>());
  const Said table = cardan(place,
                            {"sensitivity",
                             reference_case("four-bar-kinematics"),
                             "--analysis",
                             "kinematic",
                             "--of",
                             "rocker.*",
                             "--by",
                             "a,b"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_TRUE(contains(table.out, "rocker.angle")) << table.out;
}

}  // namespace

}  // namespace cardan::test
