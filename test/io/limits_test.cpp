// Texts nobody writes: too large, too deep, not text at all. Each gets its message within a second,
// none a crash.
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "cardan/io/read_model.h"
#include "test/places.h"

namespace cardan {
namespace {

namespace fs = std::filesystem;

#ifdef __SANITIZE_ADDRESS__
constexpr double allowed = 10;  // seconds
#else
constexpr double allowed = 1;
#endif

struct Outcome {
  Diagnostics faults;
  double seconds = 0;  // of the processor
};

template <class Read> Outcome timed(Read&& read) {
  const std::clock_t start = std::clock();
  const Result<Model> model = read();
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return {model ? Diagnostics{} : model.why(), seconds};
}

Outcome read_text(std::string text) {
  return timed([&] { return read_model_text(std::move(text), "text"); });
}

void expect_fault(const Outcome& outcome, const std::string& id, int line, int code) {
  ASSERT_FALSE(outcome.faults.empty());
  EXPECT_EQ(outcome.faults[0].id, id) << to_text(outcome.faults[0]);
  EXPECT_EQ(outcome.faults[0].where.line, line);
  EXPECT_EQ(exit_code(outcome.faults), code);
  EXPECT_LT(outcome.seconds, allowed);
}

std::string repeated(const std::string& part, int count) {
  std::string text;
  for (int k = 0; k < count; ++k) text += part;
  return text;
}

const std::string body = "[[body]]\nname = \"a\"\nmass = 1\ninertia = 1\n";

fs::path scratch_folder(const char* name) {
  const fs::path folder = fs::path(test::binary_dir) / "test_io" / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

TEST(limits, file_of_100_megabytes) {
  const fs::path path = scratch_folder("large") / "model.toml";
  write(path, body);
  fs::resize_file(path, 100u << 20);
  const Outcome outcome = timed([&] { return read_model(path); });
  fs::remove(path);
  expect_fault(outcome, "limit.file-size", 0, 8);
}

TEST(limits, text_beyond_the_size_of_a_file) {
  expect_fault(read_text(std::string(17u << 20, '#')), "limit.file-size", 0, 8);
}

TEST(limits, dotted_keys) {
  const std::string dots = repeated("a.", 100'000) + "a";
  expect_fault(read_text("title = \"x\"\n" + dots + " = 1\n"), "limit.key-parts", 2, 8);
  expect_fault(read_text("[" + dots + "]\nb = 1\n"), "limit.key-parts", 1, 8);
  expect_fault(read_text("[[" + dots + "]]\nb = 1\n"), "limit.key-parts", 1, 8);
  expect_fault(read_text("x = { " + dots + " = 1 }\n"), "limit.key-parts", 1, 8);
}

TEST(limits, nesting) {
  expect_fault(read_text("x = " + repeated("[", 10'000)), "limit.nesting", 1, 8);
  expect_fault(read_text("x = " + repeated("[", 10'000) + repeated("]", 10'000) + "\n"),
               "limit.nesting",
               1,
               8);
  expect_fault(read_text("\nx = " + repeated("{ a = ", 10'000)), "limit.nesting", 2, 8);
  expect_fault(read_text("x = " + repeated("[{ a = ", 10'000)), "limit.nesting", 1, 8);
}

TEST(limits, invalid_utf8) {
  const char* bad[] = {
      "\xFF", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE4", "\xE2\x82", "\x80"};
  for (const char* bytes : bad) {
    const Outcome outcome = read_text("title = \"x\"\n# M" + std::string(bytes) + "\n");
    expect_fault(outcome, "syntax.encoding", 2, 3);
    EXPECT_EQ(outcome.faults[0].where.column, 4);
  }
  EXPECT_TRUE(read_text("title = \"Zahnräder \xF0\x9F\x98\x80\"\n" + body).faults.empty());
  EXPECT_TRUE(read_text("\xEF\xBB\xBF" + body).faults.empty()) << "a byte order mark is allowed";
}

TEST(limits, one_note_after_a_hundred_faults) {
  std::string text = body;
  for (int k = 0; k < 500; ++k) text += "key" + std::to_string(k) + " = 1\n";
  const Outcome outcome = read_text(text);
  EXPECT_EQ(outcome.faults.size(), 101u);
  EXPECT_EQ(outcome.faults.back().id, "limit.faults");
  EXPECT_EQ(outcome.faults.back().severity, Severity::note);
  std::string broken;
  for (int k = 0; k < 500; ++k) broken += "a" + std::to_string(k) + " = \n";
  EXPECT_EQ(read_text(broken).faults.size(), 101u);
}

TEST(limits, long_chain_of_parameters) {
  std::string text = body + "[parameters]\n";
  for (int k = 0; k < 20'000; ++k)
    text += "p" + std::to_string(k) + " = \"p" + std::to_string(k + 1) + "\"\n";
  expect_fault(read_text(text + "p20000 = 1\n"), "limit.nesting", 206, 8);
  std::string requests = body;
  for (int k = 0; k < 1000; ++k)
    requests += "[[request]]\ntype = \"expression\"\nname = \"r" + std::to_string(k) +
                "\"\nvalue = \"r" + std::to_string(k + 1) + "\"\n";
  const Outcome outcome =
      read_text(requests + "[[request]]\ntype = \"x\"\nname = \"r1000\"\nbody = \"a\"\n");
  expect_fault(outcome, "limit.nesting", 808, 8);
}

TEST(limits, many_parameters) {
  std::string text = body + "[parameters]\n";
  for (int k = 0; k < 50'000; ++k)
    text += "p" + std::to_string(k) + " = " + std::to_string(k) + "\n";
  const Outcome outcome = read_text(text);
  EXPECT_TRUE(outcome.faults.empty());
  EXPECT_LT(outcome.seconds, allowed);
}

TEST(limits, repeats_in_repeats) {
  const auto levels = [](int last) {
    return "[[repeat]]\ncount = 1000\n[[repeat.repeat]]\ncount = 1000\nindex = "
           "\"j\"\n[[repeat.repeat.repeat]]\ncount = " +
           std::to_string(last) + "\nindex = \"k\"\n";
  };
  const std::string inner = "[[repeat.repeat.repeat.body]]\nname = \"b {i} {j} {k}\"\nmass = 1\n";
  expect_fault(read_text(body + levels(2) + inner), "limit.elements", 11, 8);
  expect_fault(read_text(body + levels(1) + inner),
               "model.missing-key",
               13,
               4);  // no inertia: given up soon
  std::string deep;
  for (int k = 1; k <= 10; ++k)
    deep += "[[repeat" + repeated(".repeat", k - 1) + "]]\ncount = 2\nindex = \"k" +
            std::to_string(k) + "\"\n";
  expect_fault(read_text(body + deep), "limit.nesting", 17, 8);
}

TEST(limits, many_included_files) {
  const fs::path folder = scratch_folder("includes");
  for (int k = 0; k < 120; ++k)
    write(folder / (std::to_string(k) + ".toml"),
          "include = [\"" + std::to_string(k + 1) + ".toml\"]\n");
  write(folder / "120.toml", body);
  const Outcome outcome = timed([&] { return read_model(folder / "0.toml"); });
  ASSERT_FALSE(outcome.faults.empty());
  EXPECT_EQ(outcome.faults[0].id, "limit.files");
}

TEST(files, link_out_of_the_folder) {
  const fs::path folder = scratch_folder("links");
  fs::create_directories(folder / "model");
  write(folder / "secret.toml", body);
  write(folder / "model/part.toml", body);
  fs::create_symlink(folder / "secret.toml", folder / "model/out.toml");
  fs::create_symlink("part.toml", folder / "model/in.toml");
  write(folder / "model/bad.toml", "title = \"x\"\ninclude = [\"out.toml\"]\n");
  write(folder / "model/good.toml", "include = [\"in.toml\"]\n");
  expect_fault(
      timed([&] { return read_model(folder / "model/bad.toml"); }), "model.path-outside", 2, 4);
  EXPECT_TRUE(read_model(folder / "model/good.toml"));
}

TEST(files, missing_file_and_folder) {
  const fs::path folder = scratch_folder("none");
  expect_fault(timed([&] { return read_model(folder / "none.toml"); }), "io.open", 0, 7);
  expect_fault(timed([&] { return read_model(folder); }), "io.open", 0, 7);
  expect_fault(read_text("include = [\"part.toml\"]\n" + body), "model.path-outside", 1, 4);
}

// Example models with random damage: always an answer, never a crash.
TEST(limits, damaged_models) {
  const std::string alphabet = "\"'[]{}=.,#\n\r \\\t0123456789eE+-_*/()^abimst\x7f\xC3\xA4";
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(random() % n);
  };
  std::vector<std::string> models;
  for (const auto& entry : fs::directory_iterator(fs::path(test::source_dir) / "models")) {
    if (!fs::exists(entry.path() / "model.toml")) continue;
    std::ifstream in(entry.path() / "model.toml");
    std::stringstream text;
    text << in.rdbuf();
    models.push_back(text.str());
  }
  ASSERT_GE(models.size(), 10u);
  int refused = 0;
  for (int k = 0; k < 3000; ++k) {
    std::string text = models[below(models.size())];
    for (std::size_t n = 1 + below(4); n > 0; --n) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = alphabet[below(alphabet.size())];
          break;
        case 1:
          text.insert(at, 1, alphabet[below(alphabet.size())]);
          break;
        case 2:
          text.erase(at, 1 + below(20));
          break;
        default:
          text.insert(at, text.substr(below(text.size()), below(60)));
      }
    }
    const auto model = read_model_text(text, "damaged");
    if (model) continue;
    ++refused;
    ASSERT_FALSE(model.why().empty());
    ASSERT_NE(exit_code(model.why()), 0);
  }
  EXPECT_GT(refused, 1500);
}

}  // namespace
}  // namespace cardan
