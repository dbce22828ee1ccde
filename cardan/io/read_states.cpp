// First-order states and inputs: names, units and values first, so that every formula may use them;
// the rates of states when all requests are known.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cardan/io/model_reader.h"

namespace cardan {

namespace {

// As formulas can write it, part by part.
bool is_signal_name(std::string_view name) {
  for (std::size_t from = 0; from <= name.size();) {
    const std::size_t dot = std::min(name.find('.', from), name.size());
    if (!is_identifier(name.substr(from, dot - from))) return false;
    from = dot + 1;
  }
  return name != "t" && name != "pi" && name != "e" && name != "length" && name != "rate" &&
         name != "angle";
}

}  // namespace

std::string ModelReader::read_signal_name(TableReader& keys,
                                          const char* kind,
                                          NameTable& table,
                                          int index) {
  const Field f = keys.peek("name");
  std::string name = read_name(keys, kind, table, index, "");
  if (!f || name.empty()) return name;
  if (!is_signal_name(name))
    faults_.error(
        "model.bad-name",
        f.where(),
        fmt::format("the {} '{}'", kind, name),
        "a name of letters, digits, _ and ., other than t, pi, e, length, rate and angle");
  const bool taken = (&table != &states_ && states_.find(name) >= 0) ||
                     (&table != &inputs_ && inputs_.find(name) >= 0) ||
                     (&table != &requests_ && coordinates_.find(name) >= 0) ||
                     environment_.has_parameter(name) || environment_.has_curve(name);
  if (taken)
    faults_.error(
        "model.duplicate-name",
        f.where(),
        fmt::format("a {} with the name of a parameter, curve, state or input, '{}'", kind, name),
        "another name");
  return name;
}

std::optional<Dimension> ModelReader::read_unit(const Field& f) {
  const auto unit = environment_.text(f);
  if (!unit) return std::nullopt;
  if (unit->empty()) return dimension::none;
  const auto one = environment_.parse("1 " + *unit, Scope{}, f.where());
  if (one && one.value().value({}) == 1) return one.value().dimension();
  faults_.error("model.bad-value",
                f.where(),
                fmt::format("unit = \"{}\"", *unit),
                "an SI unit, which results are in, such as \"V\" or \"N*m\"");
  return std::nullopt;
}

std::optional<Dimension> ModelReader::read_quantity(const Field& unit,
                                                    const Field& number,
                                                    std::string& unit_text,
                                                    double& value) {
  if (unit) {
    const auto dimension = read_unit(unit);
    if (!dimension) return std::nullopt;
    unit_text = environment_.text(unit).value_or("");
    if (number) value = environment_.number(number, *dimension).value_or(0);
    return dimension;
  }
  if (!number) return dimension::none;
  const auto parsed = environment_.formula(number, std::nullopt, {});
  if (!parsed) return std::nullopt;
  value = parsed->value({});
  const Dimension dimension = parsed->plain() ? dimension::none : parsed->dimension();
  unit_text = si_unit(dimension);
  return dimension;
}

void ModelReader::read_state(const TomlNode& table) {
  TableReader keys(table, faults_);
  const int index = static_cast<int>(model_.states.size());
  Faults::Subject subject(faults_, "state", written_name(keys));
  ModelState state;
  state.where = table.where;
  state.name = read_signal_name(keys, "state", states_, index);
  subject.rename(state.name);
  state_dimensions_.push_back(
      read_quantity(keys.take("unit"), keys.take("initial"), state.unit, state.initial));
  if (const Field f = keys.take("error_control"))
    state.error_control = environment_.boolean(f).value_or(true);
  pending_rates_.push_back(
      {keys.need("rate", "a formula of t, states, inputs and requests"), environment_.indices});
  keys.finish(key_names(find_section("state")->keys), "[[state]]");
  model_.states.push_back(std::move(state));
}

void ModelReader::read_state_rate(std::size_t index) {
  const Field field = pending_rates_[index].formula;
  const auto dimension = state_dimensions_[index];
  if (!field || !dimension) return;
  ModelState& state = model_.states[index];
  const Faults::Subject subject(faults_, "state", state.name);
  const auto outer = std::exchange(environment_.indices, pending_rates_[index].indices);
  Element reads;
  const auto variables =
      formula_variables(*find_type(Kind::request, "expression", model_.space), {field}, reads);
  std::optional<Dimension> per_time;
  if (!without_units()) per_time = per_second(*dimension);
  if (const auto rate = environment_.formula(field, per_time, variables)) state.rate = *rate;
  if (field.node->kind == TomlNode::Kind::text) state.text = field.node->text;
  state.inputs = std::move(reads.inputs);
  environment_.indices = outer;
}

// The channels of an element begin with its name and a point, like the parts of a block.
void ModelReader::check_signal_names() {
  const auto check = [&](const char* kind, const std::string& name, const SourcePos& where) {
    for (const NameTable* table : {&bodies_, &joints_, &drivers_, &forces_, &contacts_})
      if (table->find(name) >= 0)
        return faults_.error(
            "model.duplicate-name",
            where,
            fmt::format("a {} whose results have names beginning with '{}.', as those of a body, "
                        "joint, driver, force or contact of this name",
                        kind,
                        name),
            "another name");
  };
  for (const auto& [name, where] : blocks_) check("block", name, where);
  const auto of_block = [&](const std::string& prefix) {
    return std::any_of(
        blocks_.begin(), blocks_.end(), [&](const auto& block) { return block.first == prefix; });
  };
  const auto check_all = [&](const char* kind, const auto& list) {
    for (const auto& signal : list)
      if (const std::size_t dot = signal.name.find('.');
          dot != std::string::npos && !of_block(signal.name.substr(0, dot)))
        check(kind, signal.name.substr(0, dot), signal.where);
  };
  check_all("state", model_.states);
  check_all("input", model_.inputs);
}

void ModelReader::read_input(const TomlNode& table) {
  TableReader keys(table, faults_);
  const int index = static_cast<int>(model_.inputs.size());
  Faults::Subject subject(faults_, "input", written_name(keys));
  ModelInput input;
  input.where = table.where;
  input.name = read_signal_name(keys, "input", inputs_, index);
  subject.rename(input.name);
  const Field unit = keys.take("unit"), given = keys.take_one_of({"value", "motion"});
  const bool moves = given && given.key == "motion";
  if (!given)
    faults_.error("model.missing-key", table.where, "no 'value' and no 'motion'", "one of the two");
  input_dimensions_.push_back(
      read_quantity(unit, moves ? Field{} : given, input.unit, input.value));
  if (moves && input_dimensions_.back())
    input.motion = read_motion(given, *input_dimensions_.back(), "t", dimension::time);
  keys.finish(key_names(find_section("input")->keys), "[[input]]");
  model_.inputs.push_back(std::move(input));
}

}  // namespace cardan
