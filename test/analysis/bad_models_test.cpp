// Models that read well but cannot be compiled, assembled or started: each file names the fault it
// expects.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cardan/analysis/run.h"
#include "test/mechanisms.h"
#include "test/places.h"

namespace cardan {
namespace {

namespace fs = std::filesystem;

TEST(MechanicalFaults, AreFoundAndNamed) {
  int files = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(test::source_dir) / "test/bad_models/mechanical")) {
    if (entry.path().extension() != ".toml") continue;
    std::ifstream file(entry.path());
    std::string hash, word, id;
    file >> hash >> word >> id;
    ASSERT_EQ(word, "expect:") << entry.path();
    auto model = read_model(entry.path());
    ASSERT_TRUE(model) << entry.path() << to_text(model.why().front());
    const Checked checked = check_model(model.value());
    std::string all;
    bool found = false;
    for (const auto& d : checked.diagnostics) {
      all += to_text(d) + "\n";
      found = found || (d.id == id && d.severity == Severity::error);
    }
    EXPECT_TRUE(found) << entry.path().filename() << " expects " << id << ", found:\n" << all;
    ++files;
  }
  EXPECT_GE(files, 16);
}

}  // namespace
}  // namespace cardan
