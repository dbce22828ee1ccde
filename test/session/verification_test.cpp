// docs/verification.md: what is known of the errors, made by running it.
//   CARDAN_UPDATE_DOCS=1   writes the page anew (half a minute)
// What stands below "Known limits" is written by hand and kept.
// The daily run makes the published cases and compares; with CARDAN_FULL the tables of methods too. An
// error is told by the power of ten above it, and may be off by one power.
#include <cmath>
#include <fstream>
#include <regex>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cardan/formulation/formulation.h"
#include "cardan/ode/registry.h"
#include "cardan/session/published.h"
#include "test/places.h"

namespace cardan {
namespace {

const std::string page_path = std::string(test::source_dir) + "/docs/verification.md";

std::string decade(double error) {
  if (!std::isfinite(error)) return "-";
  const int power = error <= 1e-13 ? -13 : static_cast<int>(std::ceil(std::log10(error) - 1e-9));
  return power >= 0 ? "1 or more" : fmt::format("1e-{:02}", -power);
}

std::string introduction() {
  return "# Verification\n\n"
         "How far the numbers of Cardan can be trusted, measured. This page is made by running the "
         "program "
         "(`test/session/verification_test.cpp`), and a test sees to it that it stays true. On "
         "your machine the cases below are run by\n\n"
         "    cardan selftest\n\n"
         "which takes some seconds and tells reference, result, error and time of each; the exit "
         "code is 0 when all are good. Runs give the "
         "[same bits](user-guide/same-bits.md) on every machine named there.\n\n"
         "Errors are told by the power of ten above them, in SI units and radians; 1e-13 stands "
         "for everything below.\n\n";
}

std::string cases_section() {
  std::string text =
      "## Published cases\n\n"
      "Problems and figures from outside, or converged in other coordinates by other methods "
      "(`models/published.json`).\n\n"
      "| case | problem from | figures by | figures | largest error | allowed "
      "|\n|---|---|---|---|---|---|\n";
  for (const PublishedCase& c : published_cases()) {
    const CaseResult result = run_case(c, {}, {});
    EXPECT_TRUE(result.good(c)) << c.name
                                << (result.faults.empty() ? "" : to_text(result.faults.front()));
    double allowed = 0;
    for (const PublishedFigure& f : c.figures) allowed = std::max(allowed, f.bound);
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n",
                        c.title,
                        c.source,
                        c.reference,
                        c.figures.size(),
                        decade(result.worst()),
                        decade(allowed));
  }
  return text + "\n";
}

using Options = std::vector<std::pair<std::string, std::string>>;

std::vector<const PublishedCase*> method_cases() {
  std::vector<const PublishedCase*> out;
  for (const PublishedCase& c : published_cases())
    if (c.for_methods) out.push_back(&c);
  return out;
}

std::string table_head(const char* what) {
  std::string text = fmt::format("| {} |", what), line = "|---|";
  for (const PublishedCase* c : method_cases()) {
    text += " " + c->name + " |";
    line += "---|";
  }
  return text + "\n" + line + "\n";
}

std::string row_of(const std::string& name,
                   const Options& options,
                   bool fixed,
                   std::set<std::string>& reasons) {
  std::string text = "| `" + name + "` |";
  for (const PublishedCase* c : method_cases()) {
    Options given = options;
    if (fixed) {
      double end = 0;
      for (const PublishedFigure& f : c->figures) end = std::max(end, f.t.value_or(0));
      given.emplace_back("step", fmt::format("{}", end / 2000));
    }
    const CaseResult result = run_case(*c, given, {});
    text += " " + (result.doubtful ? "doubtful" : decade(result.worst())) + " |";
    for (const Diagnostic& d : result.faults)
      if (d.severity == Severity::error) reasons.insert(d.id);
  }
  return text + "\n";
}

std::string formulation_for(const Traits& traits) {
  for (const FormulationEntry& f : formulations())
    if (traits.second_order && f.second_order && !f.built_in_integrator) return std::string(f.name);
  return "partitioned";
}

// Errors of 1 and more are told, too: with 2000 steps a method of first order gets no further.
std::string methods_section() {
  std::set<std::string> reasons;
  std::string text =
      "## Errors of the methods\n\n"
      "On four of these cases: largest error of their figures. Error-controlled methods have `rtol "
      "= atol = 1e-9`, methods of fixed step 2000 steps over the run. "
      "`-`: the method does not take this mechanism, or refuses to go on; doubtful: the run ended "
      "with a warning not to trust it.\n\n"
      "Formulations, each with its usual integrator:\n\n" +
      table_head("formulation");
  const Options tight{{"rtol", "1e-9"}, {"atol", "1e-9"}};
  for (const FormulationEntry& f : formulations()) {
    Options options = tight;
    options.emplace_back("formulation", std::string(f.name));
    text += row_of(std::string(f.name), options, f.name == "rattle", reasons);
  }
  text +=
      "\nIntegrators, each with the formulation `partitioned`, those of second order with the "
      "first that takes them:\n\n" +
      table_head("integrator");
  for (const MethodEntry* m : list_methods()) {
    const Traits traits = m->traits({});
    Options options = tight;
    options.emplace_back("formulation", formulation_for(traits));
    options.emplace_back("integrator", std::string(m->name));
    text += row_of(std::string(m->name), options, !traits.adaptive, reasons);
  }
  text += "\nWhere there is none, the run said why:";
  for (const std::string& id : reasons) text += " `" + id + "`";
  return text + ".\n\n";
}

std::string page() {
  std::ifstream file(page_path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The same text, errors within one power of ten.
void expect_alike(const std::string& made, const std::string& kept) {
  static const std::regex number("1e-([0-9][0-9])");
  const auto masked = [](const std::string& s) {
    return std::regex_replace(s, number, "E");
  };
  ASSERT_EQ(masked(made), masked(kept)) << "CARDAN_UPDATE_DOCS=1 writes it anew";
  std::sregex_iterator a(made.begin(), made.end(), number), b(kept.begin(), kept.end(), number);
  for (; a != std::sregex_iterator(); ++a, ++b)
    EXPECT_LE(std::abs(std::stoi((*a)[1]) - std::stoi((*b)[1])), 1)
        << (*a).str() << " and " << (*b).str() << " near "
        << made.substr(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, a->position() - 100)),
                       120);
}

std::string part(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from);
  return text.substr(begin, text.find(to, begin) - begin);
}

TEST(Verification, ThePageIsWhatTheProgramDoes) {
  const std::string methods_title = "## Errors of the methods", limits_title = "## Known limits";
  const std::string first = introduction() + cases_section();
  const std::string kept = page();
  ASSERT_NE(kept.find(limits_title), std::string::npos);
  if (std::getenv("CARDAN_UPDATE_DOCS") != nullptr) {
    const std::string methods = methods_section();
    std::ofstream(page_path) << first << methods << kept.substr(kept.find(limits_title));
    return;
  }
  expect_alike(first, part(kept, "# Verification", methods_title));
  const std::string methods = part(kept, methods_title, limits_title);
  for (const FormulationEntry& f : formulations())
    EXPECT_NE(methods.find("| `" + std::string(f.name) + "` |"), std::string::npos) << f.name;
  for (const MethodEntry* m : list_methods())
    EXPECT_NE(methods.find("| `" + std::string(m->name) + "` |"), std::string::npos) << m->name;
  if (std::getenv("CARDAN_FULL") != nullptr) expect_alike(methods_section(), methods);
}

}  // namespace
}  // namespace cardan
