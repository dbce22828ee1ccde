#include "cardan/results/summary.h"

#include "cardan/results/hash.h"
#include "cardan/results/json.h"
#include "cardan/results/run_folder.h"
#include "support.h"

namespace cardan::test {

namespace {

TEST(Hash, AgreesWithThePublishedExamples) {  // FIPS 180-4, appendix
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Summary, KeepsEveryBit) {
  Summary s;
  s.analysis = "dynamic";
  s.formulation = "projected";
  s.integrator = "ode45";
  s.t_end = 0.1 + 0.2;
  s.dof = 1;
  s.stats.steps = 12;
  s.energy.initial = 1.0 / 3.0;
  s.final = {{"crank", {15.810771195153707, 5e-324, -0.0}, {1e300}, {2.0 / 3.0}},
             {"a \"b\"", {}, {}, {}}};
  const auto json = nlohmann::json::parse(to_text(s));
  EXPECT_EQ(json["t_end"].get<double>(), 0.1 + 0.2);
  EXPECT_EQ(json["final"]["crank"]["q"][0].get<double>(), 15.810771195153707);
  EXPECT_EQ(json["final"]["crank"]["q"][1].get<double>(), 5e-324);
  EXPECT_TRUE(std::signbit(json["final"]["crank"]["q"][2].get<double>()));
  EXPECT_EQ(json["final"]["crank"]["a"][0].get<double>(), 2.0 / 3.0);
  EXPECT_TRUE(json["final"].contains("a \"b\""));
  EXPECT_TRUE(json["constraint"]["max_position"].is_null());
  EXPECT_EQ(json["stats"]["steps"], 12);
  EXPECT_FALSE(json.contains("earlier"));
  for (const char* key : {"status",
                          "analysis",
                          "formulation",
                          "integrator",
                          "t_end",
                          "dof",
                          "redundant",
                          "stats",
                          "constraint",
                          "energy",
                          "final",
                          "diagnostics"})
    EXPECT_TRUE(json.contains(key)) << key;
}

TEST(Json, BringsADiagnosticBack) {
  Diagnostic d;
  d.id = "model.unknown-key";
  d.severity = Severity::note;
  d.where = {std::make_shared<const std::string>("a.toml"), 12, 3};
  d.element = "joint 'pin'";
  d.found = "'lenght'";
  d.expected = "a key";
  d.hint = "length";
  d.h = 1e-7;
  d.worst = {{"x", 0.1}};
  const Diagnostic back = diagnostic_from_json(parse_json(to_line(to_json(d))).value());
  EXPECT_EQ(to_text(back), to_text(d));
  EXPECT_EQ(back.h, d.h);
  EXPECT_TRUE(std::isnan(back.t));
  d.found = "\xff\xfe bytes";
  EXPECT_TRUE(nlohmann::json::accept(to_line(to_json(d))));
}

TEST(RunFolder, CountsUp) {
  const Folder folder;
  EXPECT_EQ(value_of(new_run_folder(folder / "runs", "crank")), folder / "runs/crank/1");
  EXPECT_EQ(value_of(new_run_folder(folder / "runs", "crank")), folder / "runs/crank/2");
  std::filesystem::create_directories(folder / "runs/crank/41");
  std::filesystem::create_directories(folder / "runs/crank/99b");
  EXPECT_EQ(value_of(new_run_folder(folder / "runs", "crank")), folder / "runs/crank/42");
  EXPECT_EQ(run_name("models/slider-crank/model.toml"), "slider-crank");
  EXPECT_EQ(run_name("fourbar.toml"), "fourbar");
}

TEST(RunFolder, NeverReplacesARunUnasked) {
  const Folder folder;
  const auto place = folder / "deep/out";
  EXPECT_EQ(value_of(prepare_run_folder(place, false)).folder, place);
  EXPECT_TRUE(prepare_run_folder(place, false));  // empty: still free
  std::ofstream(place / "summary.json") << "{}";
  std::ofstream(place / "notes.txt") << "mine";
  const auto refused = prepare_run_folder(place, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.why().front().id, "io.exists");
  EXPECT_EQ(exit_code(refused.why()), 7);
  EXPECT_TRUE(std::filesystem::exists(place / "summary.json"));
  EXPECT_TRUE(prepare_run_folder(place, true));
  EXPECT_FALSE(std::filesystem::exists(place / "summary.json"));
  EXPECT_TRUE(std::filesystem::exists(place / "notes.txt"));

  std::ofstream(folder / "file") << "x";
  const auto on_a_file = prepare_run_folder(folder / "file", true);
  ASSERT_FALSE(on_a_file);
  EXPECT_EQ(on_a_file.why().front().id, "io.exists");
}

TEST(RunFolder, WritesWholeFiles) {
  const Folder folder;
  EXPECT_FALSE(write_file(folder / "a.json", "{}\n"));
  EXPECT_FALSE(write_file(folder / "a.json", "{1}\n"));
  const auto fault = write_file(folder / "missing/a.json", "{}\n");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->id, "io.write");
}

}  // namespace

}  // namespace cardan::test
