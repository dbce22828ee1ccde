// A model is checked against the descriptions of its element types, whoever made it: keys, kinds of
// values, bodies and other numbers that point into the model.
#include <fmt/format.h>

#include "cardan/model/key_faults.h"
#include "cardan/system/compiler.h"

namespace cardan {

void Compiler::check() {
  if (model_.own != nullptr) return own_check();
  const int requests = request_count();
  for (const auto* list : {&model_.joints,
                           &model_.drivers,
                           &model_.forces,
                           &model_.requests,
                           &model_.initial,
                           &model_.stops,
                           &model_.contacts})
    for (const Element& e : *list)
      if (const ElementType* type = type_of(e)) check(e, *type, requests);
}

void Compiler::check(const Element& e, const ElementType& type, int requests) {
  const std::string what = fmt::format("the {} type '{}'", kind_name(e.kind), type.type);
  for (const KeyFault& f : faults_of_settings(e, type.keys, what))
    report(std::string(f.id), e.where, e.words(), f.found, f.expected, f.hint);
  if (type.geometry.sides != static_cast<int>(e.sides.size()))
    report("model.missing-key",
           e.where,
           e.words(),
           fmt::format("{} sides", e.sides.size()),
           fmt::format("{} for {}", type.geometry.sides, what));
  for (const Side& side : e.sides)
    check_index(e, "body", side.body, static_cast<int>(model_.bodies.size()), ground);
  for (const auto& coupled : e.coupled)
    check_index(e, "joint", coupled.joint, static_cast<int>(model_.joints.size()), 0);
  for (const int input : e.inputs) check_index(e, "request", input, requests, 0);
}

// What formulas may read: requests, states, inputs, and behind them the further coordinates of points.
int Compiler::request_count() const {
  auto count =
      static_cast<int>(model_.requests.size() + model_.states.size() + model_.inputs.size());
  for (const Element& e : model_.requests) {
    const ElementType* type = find_type(e.kind, e.type, model_.space);
    if (type != nullptr && std::holds_alternative<PointRequest>(type->make))
      count += dimension_ - 1;
  }
  return count;
}

void Compiler::check_index(const Element& e, const char* what, int index, int count, int least) {
  if (index >= least && index < count) return;
  report("model.unknown-name",
         e.where,
         e.words(),
         fmt::format("{} number {}", what, index),
         fmt::format("the number of one of the model's {}", count));
}

}  // namespace cardan
