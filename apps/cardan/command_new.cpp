// cardan new NAME: a folder with a model to start from.
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/results/faults.h"
#include "cardan/results/run_folder.h"
#include "command.h"
#include "starter_model.h"

namespace cardan::app {

namespace fs = std::filesystem;

namespace command_new {

struct Options {
  std::string name;
  bool force = false;
};

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

// The title is a TOML string: only letters that need no escape there.
bool is_plain(const std::string& name) {
  return !name.empty() && std::none_of(name.begin(), name.end(), [](unsigned char c) {
    return c < 32 || c == 127 || c == '"' || c == '\\';
  });
}

int work(const Options& options, const Console& console) {
  const fs::path folder = fs::path(options.name).lexically_normal();
  const std::string name = fs::absolute(folder / "model.toml").parent_path().filename().string();
  if (!is_plain(options.name) || name.empty())
    return console.fail(usage_fault("usage.bad-option",
                                    fmt::format("'{}' cannot name a model", options.name),
                                    "letters, digits, - and _"));
  std::error_code error;
  const fs::path file = folder / "model.toml";
  if (fs::exists(file, error) && !options.force) return console.fail(already_there(file));
  fs::create_directories(folder, error);
  if (error) return console.fail(write_fault(folder, error.message()));
  const std::string text =
      replaced(replaced(starter_model, "@NAME@", name), "@FOLDER@", folder.string());
  if (const auto fault = write_file(file, text)) return console.fail(*fault);
  console.print(fmt::format("{} is written. Next:\n  cardan check {}\n  cardan run {}\n",
                            file.string(),
                            folder.string(),
                            folder.string()));
  console.print_json("created", {{"file", file.string()}});
  return 0;
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  line.option("NAME", options->name, "The folder to make; model.toml in it is the model")
      .required();
  line.flag("--force", options->force, "Replace a model.toml that is there");
  line.json_flag(console);
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace command_new

extern const Command new_command;
const Command new_command{"new", "Write a commented model to start from", command_new::define};

}  // namespace cardan::app
