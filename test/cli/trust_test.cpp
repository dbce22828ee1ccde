// What a user may rely on whatever happens: nothing is lost, nothing is replaced that should not be,
// and a file from a stranger does no harm.
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "cardan/results/run_reader.h"
#include "program.h"
#include "test/cli/stored_rows.h"
#include "test/places.h"

namespace cardan::test {

namespace {

const std::string pendulum = std::string(source_dir) + "/models/pendulum/model.toml";
const std::string double_pendulum =
    std::string(source_dir) + "/test/cli/models/double_pendulum.toml";

bool there(const Place& place, const std::string& name) {
  return std::filesystem::exists(place / name);
}

void wait_for(const Place& place, const std::string& name) {
  for (int k = 0; k < 2000 && !there(place, name); ++k) usleep(5000);
  ASSERT_TRUE(there(place, name)) << name;
}

Said with_shell(const Place& place, const std::string& command) {
  const std::string line = "cd '" + place.path().string() + "' && " + command + " >.out 2>.err";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          content_of(place / ".out"),
          content_of(place / ".err")};
}

// A long run in another process, stopped at the end of the test.
class LongRun {
 public:
  explicit LongRun(const Place& place) : place_(place) {
    child_ = start(
        place,
        {"run", double_pendulum, "--until", "1000000 s", "--output-step", "1 s", "-o", "run"});
    wait_for(place, "run/run.db");
    wait_for_rows(place / "run");
  }

  LongRun(const LongRun&) = delete;
  LongRun& operator=(const LongRun&) = delete;

  ~LongRun() { (void)stop(); }

  Said stop() {
    if (child_ == 0) return {};
    kill(child_, SIGINT);
    return finish(place_, std::exchange(child_, 0));
  }

  bool runs() const { return waitpid(child_, nullptr, WNOHANG) == 0; }

 private:
  const Place& place_;
  pid_t child_ = 0;
};

TEST(Trust, ARunThatIsWrittenHasOneOwner) {
  const Place place, outside;
  LongRun owner(place);
  const std::string run = (place / "run").string();
  for (int k = 0; k < 3; ++k) {
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"run", pendulum, "-o", run, "--force"},
          std::vector<std::string>{"resume", run},
          std::vector<std::string>{"export", run, "-o", run + "/samples.csv"}}) {
      const Said said = cardan(outside, words);
      EXPECT_EQ(said.code, 7) << words.front() << said.err;
      EXPECT_TRUE(contains(said.err, "io.busy")) << said.err;
    }
    for (const char* command : {"export", "table", "report"}) {
      const Said said = cardan(outside, {command, run});
      EXPECT_EQ(said.code, 0) << command << said.err;
    }
  }
  ASSERT_TRUE(owner.runs());
  EXPECT_EQ(owner.stop().code, 130);
  EXPECT_EQ(cardan(outside, {"export", run}).code, 0);
}

TEST(Trust, ResumeWritesWhatIsMissing) {
  const Place place;
  ASSERT_EQ(cardan(place, {"run", pendulum, "--until", "0.5 s", "-o", "run", "--csv"}).code, 0);
  std::vector<std::pair<std::string, std::string>> files;
  for (const char* name : {"run/summary.json", "run/samples.csv"})
    files.emplace_back(name, content_of(place / name));
  for (const char* name : {"run/summary.json", "run/samples.csv", "run/report.html"})
    std::filesystem::remove(place / name);
  ASSERT_EQ(cardan(place, {"resume", "run", "--csv"}).code, 0);
  for (const auto& [name, text] : files) EXPECT_EQ(content_of(place / name), text) << name;
  EXPECT_TRUE(there(place, "run/report.html"));
  EXPECT_FALSE(there(place, "run/run.db.lock"));
}

TEST(Trust, DevicesAndPipesAreNeitherReadNorReplaced) {
  const Place place;
  ASSERT_EQ(mkfifo((place / "pipe").c_str(), 0666), 0);
  for (const char* command : {"check", "run", "export", "table", "report", "resume"}) {
    const Said said = cardan(place, {command, "pipe"});
    EXPECT_EQ(said.code, 7) << command << said.err;
  }
  ASSERT_EQ(cardan(place, {"run", pendulum, "--until", "0.1 s", "-o", "run", "--no-report"}).code,
            0);
  EXPECT_EQ(cardan(place, {"export", "run", "-o", "pipe", "--force"}).code, 7);
  EXPECT_TRUE(std::filesystem::is_fifo(place / "pipe"));
  EXPECT_EQ(cardan(place, {"export", "run", "-o", "/dev/null", "--force"}).code, 0);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(Trust, WhatCannotBePrintedIsTold) {
  const Place place;
  ASSERT_EQ(cardan(place, {"run", pendulum, "--until", "0.1 s", "-o", "run", "--no-report"}).code,
            0);
  const std::string program = program_path();
  for (const std::string& words : {std::string("table run"),
                                   std::string("table run --format csv"),
                                   std::string("export run"),
                                   std::string("explain"),
                                   std::string("--help"),
                                   "check " + pendulum,
                                   "check " + pendulum + " --json"}) {
    const Said said = with_shell(place, "(" + program + " " + words + " > /dev/full)");
    EXPECT_EQ(said.code, 7) << words;
    EXPECT_TRUE(contains(said.err, "io.write")) << words << said.err;
  }
}

TEST(Trust, ModelsDoNotSteerTheTerminal) {
  const Place place;
  const std::vector<std::string> models{
      "\"\\u001b[2J\\u001b]0;owned\\u0007\" = 1",
      "[[body]]\nname = \"\\u001b[2Kgood\"\nmass = 1",
      "[[body]]\nname = \"\\u009b31mred\"\nmass = -1",
      "[[body]]\nname = \"a\\nnote: the model was checked\"\nmass = -1",
      "[[body]]\nname = \"a\\u202eb\"\nmass = -1",
      "include = [\"\\u001b[31mx.toml\"]",
      "space = \"\\u001b[31m\""};
  for (const std::string& model : models) {
    write_text(place / "m.toml", model);
    for (const bool json : {false, true}) {
      const Said said = cardan(place,
                               json ? std::vector<std::string>{"check", "m.toml", "--json"}
                                    : std::vector<std::string>{"check", "m.toml"});
      EXPECT_NE(said.code, 0) << model;
      const std::string all = said.out + said.err;
      EXPECT_EQ(all.find_first_of("\x1b\x07\x7f"), std::string::npos) << all;
      EXPECT_FALSE(contains(all, "\xc2\x9b")) << all;
      EXPECT_FALSE(contains(all, "\xe2\x80\xae")) << all;
      EXPECT_FALSE(contains(all, "\nnote: the model")) << all;
    }
  }
}

TEST(Trust, NamesAreNoFormulasInASpreadsheet) {
  const Place place;
  write_text(place / "m.toml", R"([[body]]
name = "=1+2"
from = [0, 0]
to = ["0.5 m", 0]
mass = 1
[[joint]]
type = "revolute"
between = ["ground", "=1+2"]
at = [0, 0]
[[analysis]]
type = "dynamic"
until = "0.1 s"
)");
  ASSERT_EQ(cardan(place, {"run", "m.toml", "-o", "run", "--no-report", "--csv"}).code, 0);
  const auto header = [](const std::string& csv) {
    return csv.substr(0, csv.find('\n'));
  };
  EXPECT_FALSE(contains(header(content_of(place / "run/samples.csv")), ",=1"));
  EXPECT_TRUE(contains(header(cardan(place, {"export", "run"}).out), ",'=1+2."));
  EXPECT_TRUE(contains(header(cardan(place, {"export", "run", "--raw-names"}).out), ",=1+2."));
}

TEST(Trust, NumbersFarOutOfRangeAreTold) {
  const Place place;
  const std::string parallelogram = std::string(source_dir) + "/models/parallelogram/model.toml";
  for (const char* crank : {"1e-13 m", "1e-14 m", "1e-16 m", "1e15 m"}) {
    const Said said =
        cardan(place, {"check", parallelogram, "--set", "crank=" + std::string(crank)});
    EXPECT_TRUE(said.code < 10) << crank << ": " << said.code << said.err;
  }
}

// Steps that never reach the end, and steps that none succeeds in: told at once, not after hours.
TEST(Trust, RunsThatCannotProgressEnd) {
  const Place place;
  const std::string text = R"(gravity = [0, "GRAVITY m/s^2"]
[[body]]
name = "rod"
from = [0, 0]
to = ["0.5 m", 0]
mass = "2 kg"
[[joint]]
type = "revolute"
between = ["ground", "rod"]
at = [0, 0]
[[analysis]]
type = "dynamic"
until = "1 s"
)";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"-9.81", "integrator = \"rk4\"\nstep = 1e-300\n"},
      {"-9.81", "integrator = \"rk4\"\nstep = 1e-17\n"},
      {"-1e300", ""}};
  const auto run = [&](const std::string& settings, const std::string& gravity) {
    std::string model = text + settings;
    model.replace(model.find("GRAVITY"), 7, gravity);
    write_text(place / "m.toml", model);
    return with_shell(place,
                      "timeout 60 " + program_path() + " run m.toml -o run --force --no-report");
  };
  for (const auto& [gravity, settings] : cases) {
    const Said said = run(settings, gravity);
    EXPECT_TRUE(said.code == 6 || said.code == 8) << gravity << settings << said.code << said.err;
  }
  // A tolerance that no step can meet is refused before the first.
  EXPECT_EQ(run("rtol = 1e-300\natol = 1e-300\n", "-9.81").code, 4);
}

}  // namespace

}  // namespace cardan::test
