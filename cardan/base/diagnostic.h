#pragma once
// What the program has to say about a model or a run: one structure for the terminal, JSON, C++ and
// Python.
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cardan {

struct SourcePos {  // where the user wrote it; line 0: nowhere (made by the program or the command
                    // line)
  std::shared_ptr<const std::string> file;
  int line = 0, column = 0;
};

enum class Severity { note, warning, error };

struct Gap {  // one equation that is not satisfied, in words
  std::string equation;
  double value = 0;
  std::string unit = {};  // of the value, where it has one
};

struct Diagnostic {
  std::string id;  // "model.unknown-key": stable, listed in catalogue.h; the part before the dot
                   // sets the exit code
  Severity severity = Severity::error;
  SourcePos where;
  std::string element;                // "joint 'crank pin'", empty when none
  std::string found, expected, hint;  // what stands there, what should, what to try
  double t = std::numeric_limits<double>::quiet_NaN();  // analyses: time and step
  double h = std::numeric_limits<double>::quiet_NaN();
  std::vector<Gap> worst;  // the equations concerned, largest first
};

using Diagnostics = std::vector<Diagnostic>;

bool has_error(const Diagnostics&);

// The exit code of the program that ends with this diagnostic (0 for notes and warnings).
int exit_code(const Diagnostic&);
int exit_code(const Diagnostics&);  // of the first error

// "model.toml:12:3: error [model.unknown-key] joint 'pin': found ...; expected ... (hint)".
std::string to_text(const Diagnostic&);

// The candidate nearest to a misspelt name, or empty when nothing is near.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace cardan
