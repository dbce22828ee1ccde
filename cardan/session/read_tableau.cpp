#include "cardan/session/read_tableau.h"

#include <cmath>

#include <fmt/format.h>

#include "cardan/io/files.h"
#include "cardan/io/toml_tree.h"
#include "cardan/math/expression.h"
#include "cardan/ode/runge_kutta/order_conditions.h"

namespace cardan {

namespace {

constexpr double sum_round_off = 1e-12;  // a row of a whose sum is c

class TableauReader {
 public:
  explicit TableauReader(std::string file)
      : file_(std::make_shared<std::string>(std::move(file))) {}

  Result<NamedTableau> read(const std::string& text) {
    Result<TomlNode> tree = parse_toml(text, file_);
    if (!tree) return tree.why();
    const TomlNode& top = tree.value();
    for (const TomlEntry& entry : top.entries) {
      const bool known = entry.key == "name" || entry.key == "c" || entry.key == "a" ||
                         entry.key == "b" || entry.key == "b_embedded" || entry.key == "order";
      if (!known)
        fault(entry.where,
              "model.unknown-key",
              fmt::format("'{}'", entry.key),
              "name, c, a, b, b_embedded or order");
    }
    NamedTableau out{"own tableau", {}};
    if (const TomlEntry* name = top.find("name")) {
      if (name->value.kind == TomlNode::Kind::text && !name->value.text.empty())
        out.name = name->value.text;
      else
        fault(name->where, "model.bad-value", describe(name->value), "a text");
    }
    fill(top, out.tableau);
    if (faults_.empty()) judge(top, out.tableau);
    if (!faults_.empty()) return faults_;
    return out;
  }

 private:
  void fault(const SourcePos& where, const char* id, std::string found, std::string expected) {
    Diagnostic d;
    d.id = id;
    d.where = where;
    d.found = std::move(found);
    d.expected = std::move(expected);
    faults_.push_back(std::move(d));
  }

  double number(const TomlNode& node) {
    if (node.is_number()) return node.number;
    if (node.kind == TomlNode::Kind::text) {
      const Result<Expression> formula = Expression::parse(node.text, {}, {});
      if (formula && formula.value().constant()) {
        const double x = formula.value().value({});
        if (std::isfinite(x)) return x;
      }
    }
    fault(node.where, "model.bad-value", describe(node), "a number or a formula such as \"1/6\"");
    return 0;
  }

  // As many numbers as expected; false: not there.
  bool row(const TomlNode& top, const char* key, int count, Tableau::Row& to, bool needed) {
    const TomlEntry* entry = top.find(key);
    if (entry == nullptr) {
      if (needed)
        fault({file_, 1, 1}, "model.missing-key", fmt::format("no '{}'", key), "a list of numbers");
      return false;
    }
    return numbers(entry->value, count, to);
  }

  bool numbers(const TomlNode& list, int count, Tableau::Row& to) {
    if (list.kind != TomlNode::Kind::array || static_cast<int>(list.items.size()) != count) {
      fault(list.where, "model.bad-value", describe(list), fmt::format("a list of {}", count));
      return false;
    }
    for (std::size_t k = 0; k < list.items.size(); ++k) to[k] = number(list.items[k]);
    return true;
  }

  void fill(const TomlNode& top, Tableau& m) {
    const TomlEntry* nodes = top.find("c");
    if (nodes == nullptr || nodes->value.kind != TomlNode::Kind::array ||
        nodes->value.items.empty() || nodes->value.items.size() > Tableau::most) {
      fault(nodes == nullptr ? SourcePos{file_, 1, 1} : nodes->where,
            nodes == nullptr ? "model.missing-key" : "model.bad-value",
            nodes == nullptr ? "no 'c'" : describe(nodes->value),
            fmt::format("a list of 1 to {} numbers, one a stage", Tableau::most));
      return;
    }
    m.stages = static_cast<int>(nodes->value.items.size());
    numbers(nodes->value, m.stages, m.c);
    row(top, "b", m.stages, m.b, true);
    Tableau::Row embedded{};
    if (row(top, "b_embedded", m.stages, embedded, false)) {
      for (std::size_t k = 0; k < m.e.size(); ++k) m.e[k] = m.b[k] - embedded[k];
      m.error_order = 1;  // until its conditions are seen
    }
    const TomlEntry* a = top.find("a");
    if (a == nullptr || a->value.kind != TomlNode::Kind::array ||
        static_cast<int>(a->value.items.size()) != m.stages) {
      fault(a == nullptr ? SourcePos{file_, 1, 1} : a->where,
            a == nullptr ? "model.missing-key" : "model.bad-value",
            a == nullptr ? "no 'a'" : describe(a->value),
            fmt::format("a list of {} rows, one a stage", m.stages));
      return;
    }
    for (std::size_t i = 0; i < a->value.items.size(); ++i) {
      const TomlNode& line = a->value.items[i];
      if (line.kind == TomlNode::Kind::array && line.items.size() > i) {
        fault(line.where,
              "model.bad-value",
              fmt::format("row {} has {} numbers", i + 1, line.items.size()),
              fmt::format("{}: only explicit methods can be run", i));
        continue;
      }
      if (!numbers(line, static_cast<int>(i), m.a[i])) continue;
      double sum = 0;
      for (const double x : m.a[i]) sum += x;
      if (std::abs(sum - m.c[i]) > sum_round_off)
        fault(line.where,
              "model.bad-value",
              fmt::format("row {} has the sum {:.15g}", i + 1, sum),
              fmt::format("c = {:.15g}", m.c[i]));
    }
  }

  void judge(const TomlNode& top, Tableau& m) {
    m.order = order_of_weights(m, m.b);
    const auto last = static_cast<std::size_t>(m.stages) - 1;
    m.fsal = m.stages > 1 && m.c[last] == 1 && m.b[last] == 0 && m.a[last] == m.b;
    const TomlEntry* b = top.find("b");
    if (m.order == 0) {
      fault(
          b->where, "model.bad-value", "weights whose sum is not 1", "sum b = 1: order 1 at least");
      return;
    }
    if (const TomlEntry* stated = top.find("order")) {
      if (stated->value.kind != TomlNode::Kind::integer)
        fault(stated->where, "model.bad-value", describe(stated->value), "a whole number");
      else if (static_cast<int>(stated->value.number) != m.order)
        fault(stated->where,
              "model.bad-value",
              fmt::format("order {:.0f}", stated->value.number),
              fmt::format("{}: that many orders of conditions are met", m.order));
    }
    if (m.error_order == 0) return;
    Tableau::Row embedded{};
    for (std::size_t k = 0; k < embedded.size(); ++k) embedded[k] = m.b[k] - m.e[k];
    m.error_order = order_of_weights(m, embedded);
    const TomlEntry* where = top.find("b_embedded");
    if (m.error_order == 0)
      fault(where->where, "model.bad-value", "weights whose sum is not 1", "sum b_embedded = 1");
    else if (embedded == m.b)
      fault(where->where, "model.bad-value", "the weights b again", "others, which give an error");
  }

  std::shared_ptr<const std::string> file_;
  Diagnostics faults_;
};

}  // namespace

Result<NamedTableau> read_tableau_text(const std::string& text, const std::string& file) {
  return TableauReader(file).read(text);
}

Result<NamedTableau> read_tableau(const std::filesystem::path& path) {
  const auto text = read_text_file(path);
  if (!text) {
    Diagnostics why = text.why();
    why.front().expected = "the path of a file with a Butcher array";
    return why;
  }
  return read_tableau_text(text.value().text, path.string());
}

}  // namespace cardan
