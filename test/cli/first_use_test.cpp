// bin/cardan builds when a source is newer than the program, and only then: with copies of its files
// in which installing is a script that says so and fails.
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "program.h"

namespace cardan::test {
namespace {

namespace fs = std::filesystem;

constexpr int asked_to_build = 33;

struct Tree {
  Place place;

  void write_program(const std::string& name, const std::string& text) const {
    write_text(place / name, "#!/bin/sh\n" + text);
    fs::permissions(place / name, fs::perms::owner_all);
  }

  Tree() {
    fs::create_directories(place / "bin");
    fs::copy_file(std::string(source_dir) + "/bin/cardan", place / "bin/cardan");
    write_program("bin/setup", "exit " + std::to_string(asked_to_build) + "\n");
    write_program("build/release/apps/cardan/cardan", "exit 7\n");
    for (const char* source : sources) write_text(place / source, "");
    write_text(place / "build/release/built", "");
    for (const char* source : sources) set_age(source, 100);
  }

  void set_age(const std::string& file, int seconds) const {
    fs::last_write_time(
        place / file,
        fs::last_write_time(place / "build/release/built") - std::chrono::seconds(seconds));
  }

  int run() const {
    const int code = std::system((place / "bin/cardan").string().append(" 2> /dev/null").c_str());
    return WIFEXITED(code) ? WEXITSTATUS(code) : -1;
  }

  static constexpr const char* sources[] = {"cardan/math/curve.cpp",
                                            "apps/cardan/main.cpp",
                                            "cmake/viewer.cmake",
                                            "CMakeLists.txt",
                                            "CMakePresets.json",
                                            "models/published.json",
                                            "viewer/src/app.ts",
                                            "viewer/page/viewer.html",
                                            "viewer/build.mjs",
                                            "viewer/package-lock.json"};
};

TEST(FirstUse, RunsTheProgramWhereNothingHasChanged) {
  const Tree tree;
  EXPECT_EQ(tree.run(), 7);
}

TEST(FirstUse, BuildsWhereThereIsNoProgram) {
  const Tree tree;
  fs::remove(tree.place / "build/release/apps/cardan/cardan");
  EXPECT_EQ(tree.run(), asked_to_build);
}

TEST(FirstUse, BuildsWhereASourceHasChanged) {
  const Tree tree;
  for (const char* source : Tree::sources) {
    EXPECT_TRUE(fs::exists(std::string(source_dir) + "/" + source)) << source;
    tree.set_age(source, -10);
    EXPECT_EQ(tree.run(), asked_to_build) << source;
    tree.set_age(source, 100);
    EXPECT_EQ(tree.run(), 7) << source;
  }
}

}  // namespace
}  // namespace cardan::test
