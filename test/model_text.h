#pragma once
// Model files in few words, for tests:
//   ModelText().gravity(0, -9.81).bar("rod", {0, 0}, {1, 0}, 2).pin("pivot", "ground", "rod", {0, 0}).dynamic("until = 1")
// `more` is what else stands in the table, in TOML, separated by new lines. Lengths in m, masses in kg.
#include <array>
#include <string>

#include <fmt/format.h>

#include "test/mechanisms.h"

namespace cardan::test {

class ModelText {
 public:
  using Point = std::array<double, 2>;

  ModelText& gravity(double x, double y) { return line(fmt::format("gravity = [{}, {}]", x, y)); }

  ModelText& bar(
      const std::string& name, Point from, Point to, double mass, const std::string& more = "") {
    return table("body",
                 name,
                 fmt::format("from = {}\nto = {}\nmass = {}\n", text(from), text(to), mass) + more);
  }

  ModelText& block(const std::string& name,
                   Point at,
                   double mass,
                   double inertia,
                   const std::string& more = "") {
    return table("body",
                 name,
                 fmt::format("at = {}\nmass = {}\ninertia = {}\n", text(at), mass, inertia) + more);
  }

  ModelText& joint(const std::string& type,
                   const std::string& name,
                   const std::string& one,
                   const std::string& other,
                   const std::string& more) {
    return table("joint",
                 name,
                 fmt::format("type = '{}'\nbetween = ['{}', '{}']\n", type, one, other) + more);
  }

  ModelText& pin(const std::string& name,
                 const std::string& one,
                 const std::string& other,
                 Point at) {
    return joint("revolute", name, one, other, "at = " + text(at));
  }

  ModelText& slide(const std::string& name,
                   const std::string& one,
                   const std::string& other,
                   Point at,
                   Point axis) {
    return joint("translational", name, one, other, "at = " + text(at) + "\naxis = " + text(axis));
  }

  ModelText& force(const std::string& name,
                   const std::string& body,
                   const std::string& x,
                   const std::string& y) {
    return table("force",
                 name,
                 fmt::format("type = 'force'\nbody = '{}'\nvalue = [\"{}\", \"{}\"]", body, x, y));
  }

  ModelText& dynamic(const std::string& more) {
    return line("[[analysis]]\ntype = 'dynamic'\n" + more);
  }

  ModelText& table(const std::string& kind, const std::string& name, const std::string& more) {
    return line(fmt::format("[[{}]]\nname = '{}'\n{}", kind, name, more));
  }

  ModelText& line(const std::string& more) {
    text_ += more + "\n";
    return *this;
  }

  const std::string& toml() const { return text_; }

  Model model() const { return model_of(text_); }

 private:
  static std::string text(Point p) { return fmt::format("[{}, {}]", p[0], p[1]); }

  std::string text_;
};

}  // namespace cardan::test
