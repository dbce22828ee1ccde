#pragma once
// What the program says. Text: results on the standard output, diagnostics and progress on the
// standard error. JSON (--json): everything on the standard output, one object per line with its
// "type".
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "cardan/base/diagnostic.h"

namespace cardan::app {

class Console {
 public:
  void use_json() { json_ = true; }

  bool json() const { return json_; }

  void use_quiet() { quiet_ = true; }

  void use_verbose() { verbose_ = true; }

  bool quiet() const { return quiet_; }  // -q: errors and results only

  void print(std::string_view text) const;  // only as text
  void print_json(std::string_view type,
                  const nlohmann::ordered_json& object) const;  // only as JSON
  void report(const Diagnostic&) const;
  void report(const Diagnostics&) const;
  int fail(const Diagnostic&) const;  // reports and gives the exit code
  int fail(const Diagnostics&) const;

 private:
  bool shows(const Diagnostic&) const;

  bool json_ = false, quiet_ = false, verbose_ = false;
};

Diagnostic usage_fault(const char* id, std::string found, std::string hint);

}  // namespace cardan::app
