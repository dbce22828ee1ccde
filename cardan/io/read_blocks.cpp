// Blocks of controllers and actuators, [[block]]: each is written out as the [[state]] and
// [[request]] tables that a user could have written, with the block's place in the file, and these
// are read. Equations: model/block_types.cpp.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "cardan/io/model_reader.h"
#include "cardan/model/block_types.h"

namespace cardan {

namespace {

// A number as a formula writes it: the shortest text that gives the same bits.
std::string written(double value, Dimension d) {
  const std::string unit = si_unit(d);
  return fmt::format("({}{}{})", value, unit.empty() ? "" : " ", unit);
}

TomlNode text_node(std::string text, const SourcePos& where) {
  TomlNode node;
  node.kind = TomlNode::Kind::text;
  node.where = where;
  node.text = std::move(text);
  return node;
}

TomlNode number_node(double value, const SourcePos& where) {
  TomlNode node;
  node.kind = TomlNode::Kind::real;
  node.where = where;
  node.number = value;
  return node;
}

Dimension times_second(Dimension d) {
  d.power[2] = static_cast<signed char>(d.power[2] + 1);
  return d;
}

}  // namespace

class BlockWriter {
 public:
  BlockWriter(ModelReader& reader, TableReader& keys, const BlockSpec& spec, std::string name)
      : reader_(reader), keys_(keys), spec_(spec), name_(std::move(name)) {}

  void write() {
    using Write = void (BlockWriter::*)();

    static constexpr std::pair<std::string_view, Write> table[] = {
        {"integrator", &BlockWriter::integrator},
        {"first-order", &BlockWriter::first_order},
        {"second-order", &BlockWriter::second_order},
        {"pid", &BlockWriter::pid},
        {"transfer-function", &BlockWriter::transfer_function},
        {"dc-motor", &BlockWriter::dc_motor},
        {"hydraulic-cylinder", &BlockWriter::hydraulic_cylinder}};
    for (const auto& [type, write] : table)
      if (type == spec_.type) (this->*write)();
  }

 private:
  // ---- what the user wrote
  const KeySpec& spec_of(std::string_view key) const {
    for (const auto& k : spec_.keys)
      if (k.name == key) return k;
    throw std::logic_error("a key that the block does not have");
  }

  Field field(std::string_view key) {
    const KeySpec& spec = spec_of(key);
    return spec.required() ? keys_.need(key, std::string(spec.doc)) : keys_.take(key);
  }

  // A number of the key's own dimension, in brackets.
  std::string number(std::string_view key, double otherwise = 1) {
    const KeySpec& spec = spec_of(key);
    return written(value(key, otherwise), spec.dimensions.front());
  }

  double value(std::string_view key, double otherwise = 1) {
    const KeySpec& spec = spec_of(key);
    const Field f = field(key);
    if (!f) return otherwise;
    return reader_.environment_.number(f, spec.dimensions.front(), spec.range).value_or(otherwise);
  }

  // A number of any dimension; empty where the key is not given.
  std::string free_number(std::string_view key) {
    const Field f = field(key);
    if (!f) return "";
    const auto e = reader_.environment_.formula(f, std::nullopt, {});
    if (!e || !std::isfinite(e->value({}))) return "1";
    return written(e->value({}), e->plain() ? dimension::none : e->dimension());
  }

  // "gain * " or nothing.
  std::string factor(std::string_view key) {
    const std::string number = free_number(key);
    return number.empty() ? "" : number + " * ";
  }

  // The unit of the output, and what it starts from.
  void read_output() {
    if (const Field f = keys_.take("unit")) {
      const auto dimension = reader_.read_unit(f);
      unit_ = dimension.value_or(dimension::none);
      unit_text_ = reader_.environment_.text(f).value_or("");
      if (const Field initial = keys_.take("initial"); initial && dimension)
        initial_ = reader_.environment_.number(initial, unit_).value_or(0);
      return;
    }
    const Field initial = spec_.type != "transfer-function" ? keys_.take("initial") : Field{};
    if (const auto d = reader_.read_quantity({}, initial, unit_text_, initial_)) unit_ = *d;
  }

  // ---- what it stands for
  std::string part(std::string_view suffix) const { return name_ + "." + std::string(suffix); }

  TomlNode& table(const std::string& name) {
    TomlNode& node = reader_.written_.emplace_back();
    node.where = keys_.where();
    put(node, "name", text_node(name, keys_.where()));
    return node;
  }

  static void put(TomlNode& table, std::string key, TomlNode value) {
    const SourcePos where = value.where;
    table.add({std::move(key), where, std::move(value)});
  }

  void state(const std::string& name, const std::string& unit, double initial, TomlNode rate) {
    TomlNode& node = table(name);
    put(node, "unit", text_node(unit, keys_.where()));
    put(node, "initial", number_node(initial, keys_.where()));
    put(node, "rate", std::move(rate));
    reader_.read_state(node);
  }

  void state(const std::string& name, Dimension d, double initial, const std::string& rate) {
    state(name, si_unit(d), initial, text_node(rate, keys_.where()));
  }

  void request(const std::string& name, TomlNode value, const std::string& unit = "") {
    TomlNode& node = table(name);
    put(node, "type", text_node("expression", keys_.where()));
    put(node, "value", std::move(value));
    if (!unit.empty()) put(node, "unit", text_node(unit, keys_.where()));
    reader_.read_element(Kind::request, node);
  }

  void request(const std::string& name, const std::string& value, const std::string& unit = "") {
    request(name, text_node(value, keys_.where()), unit);
  }

  // The user's formula as a request of its own, at its place in the file.
  std::string signal(std::string_view key) {
    const Field f = field(key);
    if (f)
      request(part(key), *f.node);
    else
      reader_.environment_.excuse(part(key));
    return part(key);
  }

  // ---- blocks
  void integrator() {
    read_output();
    if (const Field f = field("input")) state(name_, unit_text_, initial_, *f.node);
  }

  void first_order() {
    read_output();
    const std::string in = signal("input"), gain = factor("gain"), T = number("time_constant");
    state(name_,
          unit_text_,
          initial_,
          text_node(fmt::format("({}{} - {})/{}", gain, in, name_, T), keys_.where()));
  }

  void second_order() {
    read_output();
    const std::string in = signal("input"), gain = factor("gain"), w = number("frequency"),
                      damping = number("damping"), rate = part("rate");
    state(name_, unit_text_, initial_, text_node(rate, keys_.where()));
    state(rate,
          per_second(unit_),
          0,
          fmt::format("{0}^2*({1}{2} - {3}) - 2*{4}*{0}*{5}", w, gain, in, name_, damping, rate));
  }

  void pid() {
    read_output();
    const std::string e = signal("error"), kp = free_number("kp"), ki = free_number("ki"),
                      kd = free_number("kd"), lower = free_number("lower"),
                      upper = free_number("upper");
    const Field filter = keys_.peek("filter_time");
    const std::string T = number("filter_time"), integral = part("integral"), f = part("filter");
    const bool limited = !lower.empty() || !upper.empty();
    std::string sum;
    const auto add = [&](const std::string& term) {
      sum += (sum.empty() ? "" : " + ") + term;
    };
    if (!kp.empty()) add(kp + " * " + e);
    if (!ki.empty()) add(integral);
    if (!kd.empty())
      add(filter ? fmt::format("({} * {} - {})/{}", kd, e, f, T)
                 : fmt::format("{} * rate({})", kd, e));
    if (sum.empty()) {
      reader_.faults_.error(
          "model.missing-key", keys_.where(), "no 'kp', 'ki' or 'kd'", "at least one gain");
      return;
    }
    const std::string raw = limited ? part("raw") : name_;
    request(raw, sum, unit_text_);
    if (limited) {
      std::string kept = raw;
      if (!lower.empty()) kept = fmt::format("max({}, {})", kept, lower);
      if (!upper.empty()) kept = fmt::format("min({}, {})", kept, upper);
      request(name_, kept, unit_text_);
    }
    if (!ki.empty())
      state(integral, unit_, initial_, integral_rate(ki + " * " + e, raw, lower, upper));
    if (!kd.empty() && filter)
      state(f, times_second(unit_), 0, fmt::format("({} * {} - {})/{}", kd, e, f, T));
  }

  // The integral rests while the output is beyond a limit and would go further.
  static std::string integral_rate(const std::string& rate,
                                   const std::string& raw,
                                   const std::string& lower,
                                   const std::string& upper) {
    std::string beyond;
    if (!lower.empty()) beyond = fmt::format("({} < {} and {} < 0)", raw, lower, rate);
    if (!upper.empty())
      beyond +=
          (beyond.empty() ? "" : " or ") + fmt::format("({} > {} and {} > 0)", raw, upper, rate);
    return beyond.empty() ? rate : fmt::format("if({}, 0, {})", beyond, rate);
  }

  // Controllable canonical form: denominator(s) x = u, output = numerator(s) x.
  void transfer_function() {
    read_output();
    const Field above = field("numerator"), below = field("denominator");
    const std::string in = signal("input");
    const auto b = above ? reader_.free_numbers(above, 1, 50) : std::nullopt;
    const auto a = below ? reader_.free_numbers(below, 2, 50) : std::nullopt;
    if (!a || !b) return;
    if (a->front() == 0 || b->size() > a->size()) {
      reader_.faults_.error("model.bad-value",
                            (a->front() == 0 ? below : above).where(),
                            a->front() == 0 ? "a denominator that begins with 0"
                                            : "a numerator of higher degree than the denominator",
                            a->front() == 0 ? "the coefficient of the highest power of s"
                                            : "at most the degree of the denominator");
      return;
    }
    const std::size_t n = a->size() - 1;
    const auto x = [&](std::size_t power) {  // the derivative of x of this order
      return power < n ? part(fmt::format("x{}", power + 1))
                       : fmt::format("rate({})", part(fmt::format("x{}", n)));
    };
    std::string rest = in, out;
    for (std::size_t k = 0; k < n; ++k)
      rest += fmt::format(" - {} * {}", written((*a)[n - k], dimension::none), x(k));
    Dimension d = unit_;
    for (std::size_t k = 0; k < n; ++k, d = per_second(d))
      state(x(k),
            d,
            0,
            k + 1 < n ? x(k + 1)
                      : fmt::format("({})/{}", rest, written(a->front(), dimension::none)));
    for (std::size_t k = 0; k < b->size(); ++k)
      out += (out.empty() ? "" : " + ") +
             fmt::format("{} * {}", written((*b)[b->size() - 1 - k], dimension::none), x(k));
    request(name_, out, unit_text_);
  }

  void dc_motor() {
    const std::string voltage = signal("voltage"), speed = signal("speed"),
                      R = number("resistance"), L = number("inductance"), k = number("constant"),
                      i = part("current");
    state(i,
          "A",
          value("initial", 0),
          text_node(fmt::format("({} - {} * {} - {} * {})/{}", voltage, R, i, k, speed, L),
                    keys_.where()));
    request(part("torque"), fmt::format("{} * {}", k, i), "N*m");
  }

  void hydraulic_cylinder() {
    const std::string x = signal("position"), u = signal("opening");
    const double bore = value("bore"), rod = value("rod", 0), quarter = std::numbers::pi / 4;
    const double drop = value("valve_drop");
    const std::string Aa = written(quarter * bore * bore, dimension::area),
                      Ab = written(quarter * (bore * bore - rod * rod), dimension::area),
                      stroke = number("stroke"), V = number("dead_volume"),
                      B = number("bulk_modulus", 1.4e9), ps = number("supply"),
                      pt = number("tank", 0), Qn = number("valve_flow"),
                      dp = written(drop, dimension::pressure), leak = number("leakage", 0),
                      pa = part("pa"), pb = part("pb");
    if (!(rod < bore))
      reader_.faults_.error(
          "model.bad-value", keys_.where(), "a rod as wide as the piston", "rod < bore");
    std::vector<double> start{0, 0};
    if (const Field f = field("initial"))
      start = reader_.environment_.numbers(f, {dimension::pressure, dimension::pressure})
                  .value_or(start);
    // sqrt(d/drop) with its sign, linear below a hundredth of the drop
    const auto root = [&](const std::string& from, const std::string& to) {
      const std::string d = fmt::format("(({} - {})/{})", from, to, dp);
      return fmt::format("{0}/({0}^2 + 0.0001)^0.25", d);
    };
    request(part("qa"),
            fmt::format(
                "{0} * (max({1}, 0) * {2} + min({1}, 0) * {3})", Qn, u, root(ps, pa), root(pa, pt)),
            "m^3/s");
    request(
        part("qb"),
        fmt::format(
            "{0} * (-max({1}, 0) * {2} - min({1}, 0) * {3})", Qn, u, root(pb, pt), root(ps, pb)),
        "m^3/s");
    const std::string past = fmt::format("{} * ({} - {})", leak, pa, pb);
    state(
        pa,
        "Pa",
        start[0],
        text_node(
            fmt::format(
                "{0}/({1} + {2}*{3}) * ({4} - {2}*rate({3}) - {5})", B, V, Aa, x, part("qa"), past),
            keys_.where()));
    state(pb,
          "Pa",
          start[1],
          text_node(fmt::format("{0}/({1} + {2}*({6} - {3})) * ({4} + {2}*rate({3}) + {5})",
                                B,
                                V,
                                Ab,
                                x,
                                part("qb"),
                                past,
                                stroke),
                    keys_.where()));
    request(part("force"), fmt::format("{} * {} - {} * {}", pa, Aa, pb, Ab), "N");
  }

  ModelReader& reader_;
  TableReader& keys_;
  const BlockSpec& spec_;
  std::string name_, unit_text_;
  Dimension unit_;
  double initial_ = 0;
};

void ModelReader::read_block(const TomlNode& table) {
  TableReader keys(table, faults_);
  const Faults::Subject subject(faults_, "block", written_name(keys));
  const Field name_field = keys.need("name", "a name for the block");
  std::vector<std::string> known;
  for (const auto& spec : block_types()) known.emplace_back(spec.type);
  const Field type_field = keys.need("type", fmt::format("one of {}", fmt::join(known, ", ")));
  const auto name = name_field ? environment_.text(name_field) : std::nullopt;
  const auto type = type_field ? environment_.text(type_field) : std::nullopt;
  if (name && !is_identifier(*name)) {
    faults_.error("model.bad-name",
                  name_field.where(),
                  fmt::format("the block '{}'", *name),
                  "a name of letters, digits and _");
    return;
  }
  if (!name || !type) return;
  const BlockSpec* spec = find_block_type(*type);
  if (spec == nullptr) {
    const std::string near = nearest_name(*type, known);
    return faults_.error("model.unknown-type",
                         type_field.where(),
                         fmt::format("the unknown block type \"{}\"", *type),
                         fmt::format("one of {}", fmt::join(known, ", ")),
                         near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
  }
  blocks_.emplace_back(*name, name_field.where());
  BlockWriter(*this, keys, *spec, *name).write();
  auto keys_known = key_names(spec->keys);
  keys_known.insert(keys_known.end(), {"name", "type"});
  keys.finish(keys_known, fmt::format("the block type '{}'", spec->type));
}

}  // namespace cardan
