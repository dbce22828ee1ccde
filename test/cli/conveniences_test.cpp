// What makes a command line kind: completion in three shells, opening a page, watching a model, and files of other programs
// read back by their formats.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "program.h"

namespace cardan::test {

namespace {

const std::string bar_model = R"(gravity = [0, "-9.81 m/s^2"]
[[body]]
name = "bar"
from = [0, 0]
to   = ["1 m", 0]
mass = "1 kg"
[[joint]]
type = "revolute"
name = "pivot"
between = ["ground", "bar"]
at = [0, 0]
[[analysis]]
type = "dynamic"
until = "0.5 s"
)";

// What a shell says; "" where the machine has not got it.
std::string said_by(const Place& place, const std::string& shell, const std::string& script) {
  if (std::system(("command -v " + shell + " > /dev/null 2>&1").c_str()) != 0) return "";
  write_text(place / "script", script);
  const std::string line = "cd '" + place.path().string() + "' && " + shell + " script > said 2>&1";
  if (std::system(line.c_str()) == -1) return "";
  return content_of(place / "said");
}

// Until it is there, or for ten seconds.
std::string text_that_comes(const std::filesystem::path& path, const std::string& part) {
  for (int k = 0; k < 200; ++k) {
    const std::string text = content_of(path);
    if (contains(text, part.c_str())) return text;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return content_of(path);
}

std::vector<double> numbers_of_column(const std::string& csv, std::size_t column) {
  std::vector<double> out;
  std::size_t line = csv.find('\n') + 1;
  while (line > 0 && line < csv.size()) {
    std::size_t at = line;
    for (std::size_t k = 0; k < column; ++k) at = csv.find(',', at) + 1;
    out.push_back(std::strtod(csv.c_str() + at, nullptr));
    line = csv.find('\n', line) + 1;
  }
  return out;
}

TEST(Conveniences, CompletionKnowsCommandsAndOptions) {
  const Place place;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Said script = cardan(place, {"completion", shell});
    EXPECT_EQ(script.code, 0) << script.err;
    write_text(place / shell, script.out);
    for (const char* word : {"linearise", "optimise", "output-step"})
      EXPECT_TRUE(contains(script.out, word)) << shell << " " << word;
  }
  const std::string bash = said_by(place,
                                   "bash",
                                   "source ./bash\nCOMP_WORDS=(cardan ru)\nCOMP_CWORD=1\n_cardan\n"
                                   "echo ${COMPREPLY[@]}\nCOMP_WORDS=(cardan run --output-s)\n"
                                   "COMP_CWORD=2\n_cardan\necho ${COMPREPLY[@]}\n");
  EXPECT_EQ(bash, "run runs\n--output-step\n");
  const std::string fish = said_by(place,
                                   "fish",
                                   "source ./fish\ncomplete -C 'cardan ru' | cut -f 1\n"
                                   "complete -C 'cardan run --output-s'\n");
  EXPECT_TRUE(fish.empty() || fish == "run\nruns\n--output-step\n") << fish;
  const std::string zsh = said_by(place, "zsh", "zsh -n ./zsh && echo sound\n");
  EXPECT_TRUE(zsh.empty() || zsh == "sound\n") << zsh;
}

// Runs are filed under the model's name; those of another file of that name are not among them.
TEST(Conveniences, ModelsOfOneNameHaveFoldersOfTheirOwn) {
  const Place place;
  write_text(place / "first/crane.toml", bar_model);
  write_text(place / "second/crane.toml", bar_model);
  write_text(place / "third/crane/model.toml", bar_model);
  const auto folder = [&](const std::string& model) {
    const Said run = cardan(place, {"run", model, "--no-report"});
    EXPECT_EQ(run.code, 0) << run.err;
    return run.out.substr(0, run.out.find('\n'));
  };
  EXPECT_EQ(folder("first/crane.toml"), "runs/crane/1");
  EXPECT_EQ(folder("second/crane.toml"), "runs/second-crane/1");
  EXPECT_EQ(folder("third/crane"), "runs/third-crane/1");
  EXPECT_EQ(folder("first/crane.toml"), "runs/crane/2");
  EXPECT_EQ(folder("second/crane.toml"), "runs/second-crane/2");
  std::filesystem::rename(place / "first", place / "moved");  // the other is not there any more
  EXPECT_EQ(folder("moved/crane.toml"), "runs/crane/3");
}

TEST(Conveniences, OptionsMayNameTheParametersOfTheModel) {
  const Place place;
  write_text(place / "bar.toml", bar_model + "[parameters]\nspeed = \"240 rpm\"\nn = 2\n");
  const auto end_of = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"run", "bar.toml", "--no-report"};
    words.insert(words.end(), more.begin(), more.end());
    const Said run = cardan(place, words);
    return run.code == 0 ? run.out : run.err;
  };
  EXPECT_TRUE(contains(end_of({"--until", "2*pi/speed"}), "complete, t = 0.25 s"));
  EXPECT_TRUE(
      contains(end_of({"--until", "2*pi/speed", "--set", "speed=120 rpm"}), "complete, t = 0.5 s"));
  EXPECT_TRUE(
      contains(end_of({"--until", "n"}), "complete, t = 2 s"));  // a bare number, in seconds
  EXPECT_TRUE(contains(end_of({"--until", "speed"}), "expected s (time)"));
  EXPECT_TRUE(contains(end_of({"--until", "2*pi/sped"}), "did you mean 'speed'?"));
  EXPECT_TRUE(contains(end_of({"--until", "5sec"}), "did you mean s?"));
}

TEST(Conveniences, APageIsHandedToTheBrowser) {
  const Place place;
  write_text(place / "bar.toml", bar_model);
  write_text(place / "browser",
             "#!/bin/sh\necho \"shown $1\" > '" + (place / "shown").string() + "'\n");
  std::filesystem::permissions(place / "browser", std::filesystem::perms::owner_all);
  setenv("BROWSER", (place / "browser").c_str(), 1);
  const Said run = cardan(place, {"run", "bar.toml", "-o", "out", "--open"});
  unsetenv("BROWSER");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(contains(text_that_comes(place / "shown", "shown"), "out/report.html"));
}

TEST(Conveniences, AModelIsCheckedAtEverySave) {
  const Place place;
  write_text(place / "bar.toml", bar_model);
  const pid_t child = start(place, {"watch", "bar.toml", "--times", "2"});
  const std::string first = text_that_comes(place / ".stdout", "Ctrl-C");
  EXPECT_TRUE(contains(first, "degrees of freedom    1")) << first;
  std::string page = first.substr(0, first.find(" shows it"));
  page = page.substr(page.find_last_of('\n') + 1);
  EXPECT_TRUE(contains(content_of(page), "<svg")) << page;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // a file's time has grains
  write_text(place / "next.toml", "mas = 1\n" + bar_model);
  std::filesystem::rename(place / "next.toml", place / "bar.toml");  // as editors save
  const Said said = finish(place, child);
  EXPECT_EQ(said.code, 4);
  EXPECT_TRUE(contains(said.err, "bar.toml:1:1: error [model.unknown-key]")) << said.err;
  EXPECT_FALSE(std::filesystem::exists(page));
}

// MATLAB 5: tagged elements; an array of doubles (class 6) has flags, sizes, a name and its numbers by columns.
std::vector<double> matlab_array(const std::string& file, const std::string& wanted) {
  const auto word = [&](std::size_t at) {
    std::uint32_t x = 0;
    std::memcpy(&x, file.data() + at, 4);
    return std::size_t{x};
  };
  for (std::size_t at = 128; at + 8 <= file.size(); at += 8 + word(at + 4)) {
    std::size_t part = at + 8;
    const auto next = [&] {  // type and place of the data; small elements have both in eight bytes
      const bool small = word(part) > 0xffff;
      const std::size_t size = small ? word(part) >> 16U : word(part + 4);
      const std::pair<std::size_t, std::size_t> data{part + (small ? 4 : 8), size};
      part = small ? part + 8 : data.first + (size + 7) / 8 * 8;
      return data;
    };
    next(), next();
    const auto [name, length] = next();
    if (file.substr(name, length) != wanted) continue;
    const auto [numbers, bytes] = next();
    std::vector<double> out(bytes / 8);
    std::memcpy(out.data(), file.data() + numbers, bytes);
    return out;
  }
  return {};
}

TEST(Conveniences, FilesOfOtherProgramsHoldTheStoredNumbers) {
  const Place place;
  write_text(place / "bar.toml", bar_model);
  ASSERT_EQ(cardan(place, {"run", "bar.toml", "-o", "out", "-q", "--no-report"}).code, 0);
  const std::string csv = cardan(place, {"export", "out", "-c", "bar.angle", "-c", "bar.vx"}).out;
  const std::vector<double> t = numbers_of_column(csv, 0), angle = numbers_of_column(csv, 1),
                            vx = numbers_of_column(csv, 2);
  ASSERT_GT(t.size(), 100U);
  for (const char* file : {"out.mat", "out.xlsx"})
    EXPECT_EQ(cardan(place, {"export", "out", "-o", file, "-c", "bar.angle", "-c", "bar.vx"}).code,
              0);
  const std::string mat = content_of(place / "out.mat");
  EXPECT_EQ(matlab_array(mat, "t"), t);
  std::vector<double> both = angle;
  both.insert(both.end(), vx.begin(), vx.end());
  EXPECT_EQ(matlab_array(mat, "values"), both);
  // A workbook is a stored ZIP; a row is <row><c><v>t</v></c>...
  const std::string xlsx = content_of(place / "out.xlsx");
  EXPECT_TRUE(xlsx.starts_with("PK\x03\x04"));
  std::vector<double> cells;
  for (std::size_t at = xlsx.find("<v>"); at != std::string::npos; at = xlsx.find("<v>", at + 3))
    cells.push_back(std::strtod(xlsx.c_str() + at + 3, nullptr));
  ASSERT_EQ(cells.size(), 3 * t.size());
  for (std::size_t i = 0; i < t.size(); ++i) {
    EXPECT_EQ(cells[3 * i], t[i]);
    EXPECT_EQ(cells[3 * i + 1], angle[i]);
    EXPECT_EQ(cells[3 * i + 2], vx[i]);
  }
}

}  // namespace

}  // namespace cardan::test
