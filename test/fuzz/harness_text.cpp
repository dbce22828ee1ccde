#include <array>
#include <string>

#include "cardan/analysis/run.h"
#include "cardan/io/mesh_file.h"
#include "cardan/io/read_model.h"
#include "cardan/math/expression.h"
#include "serve/http_request.h"
#include "test/fuzz/harness.h"
#include "test/fuzz/scratch.h"

namespace cardan::fuzz {

namespace {

std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void model(Bytes bytes) {
  const auto read = read_model_text(text_of(bytes), "fuzz.toml");
  // Large ones take long to assemble, and nothing new happens in them.
  if (read && read.value().bodies.size() + read.value().joints.size() < 20)
    (void)check_model(read.value());
}

void formula(Bytes bytes) {
  Scope scope;
  scope.constant = [](std::string_view name) -> std::optional<Scope::Constant> {
    if (name == "k") return Scope::Constant{2.5, {}, true};
    return std::nullopt;
  };
  scope.variables = {{"t", dimension::time}, {"x", dimension::length}};
  scope.names = [] {
    return std::vector<std::string>{"k", "t", "x"};
  };
  const auto parsed = Expression::parse(text_of(bytes), scope, {});
  if (!parsed) return;
  const Expression& f = parsed.value();
  std::array<double, 2> d{}, bend{};
  for (const double t : {0.0, 0.7, -3.0, 1e300}) {
    const std::array<double, 2> at{t, 1 - t}, along{1, 2};
    (void)f.value(at);
    (void)f.gradient(at, d);
    (void)f.bend(at, along, d, bend);
    (void)f.jet(at, 0);
  }
}

void csv(Bytes bytes) {
  const Scratch file("curve.csv", bytes);
  ReadOptions options;
  options.folder = file.folder();
  (void)read_model_text(
      "[[curve]]\nname = \"c\"\ntype = \"table\"\nfile = \"curve.csv\"\n"
      "[[body]]\nname = \"b\"\nat = [0, 0]\nmass = 1\ninertia = 1\n",
      "fuzz.toml",
      options);
}

void mesh(Bytes bytes) {
  if (bytes.empty()) return;
  const std::string text = text_of(bytes.subspan(1));
  (void)(bytes[0] % 2 == 0 ? parse_stl(text) : parse_obj(text));
}

void http(Bytes bytes) {
  const std::string text = text_of(bytes);
  const auto end = app::end_of_head(text);
  if (!end) return;
  const auto request = app::parse_request(std::string_view(text).substr(0, *end - 2));
  if (!request) return;
  (void)request->header("host");
  (void)request->count("origin");
  (void)request->parameter("token");
  (void)request->has_parameter("from");
}

}  // namespace cardan::fuzz
