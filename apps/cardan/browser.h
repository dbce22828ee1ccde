#pragma once
// A headless Chromium driven through a pair of pipes (its DevTools protocol: JSON messages ended by
// a zero byte). Draws what only a browser draws: frames of the animation, PNG images of plots.
#include <filesystem>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include "cardan/base/result.h"

namespace cardan::app {

class Browser {
 public:
  static Result<std::unique_ptr<Browser>> start(int width, int height);
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  // Opens a file of this machine; true once `ready`, a JavaScript expression, is.
  Result<bool> open(const std::filesystem::path&, const std::string& ready);
  // The value of an expression; a promise is waited for.
  Result<nlohmann::json> evaluate(const std::string& script);
  Result<std::string> screenshot();  // PNG
  // The page on sheets of this size in inches; 0: as the page says.
  Result<std::string> pdf(double width, double height);

 private:
  Browser(pid_t process, int in, int out, std::filesystem::path profile)
      : process_(process), in_(in), out_(out), profile_(std::move(profile)) {}

  Result<bool> attach(int width, int height);
  Result<nlohmann::json> call(const std::string& method, const nlohmann::json& parameters);
  Result<nlohmann::json> answer(int id);
  Diagnostic fault(std::string found) const;

  pid_t process_;
  int in_, out_;  // what it reads, what it writes
  std::filesystem::path profile_;
  std::string session_, received_;
  int last_id_ = 0;
};

// Where a program of this name is, by the search path; empty: nowhere.
std::string in_search_path(const std::string& name);

std::string from_base64(const std::string&);

Result<std::string> png_of_svg(const std::string& svg, int width, int height);
Result<std::string> pdf_of_svg(const std::string& svg, int width, int height);

}  // namespace cardan::app
