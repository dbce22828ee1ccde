// An ode file: title, equations, [parameters], [start], [exact], [show], event, from, until,
// integrator, variant, order, step, max_step, min_step, rtol, atol, norm_control, output_step. The command line says the same words and comes
// last.
#include "command_ode_text.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "cardan/io/files.h"
#include "cardan/io/toml_tree.h"

namespace cardan::app {

namespace {

std::string trimmed(std::string_view s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front()))) s.remove_prefix(1);
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) s.remove_suffix(1);
  return std::string(s);
}

// "x = 1" -> x, 1; without '=' the name stays empty.
NamedText named(const std::string& text) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos) return {"", trimmed(text), {}};
  return {trimmed(text.substr(0, at)), trimmed(text.substr(at + 1)), {}};
}

void put(std::vector<NamedText>& list, NamedText item) {  // the last word counts
  const auto same = [&](const NamedText& x) {
    return !item.name.empty() && x.name == item.name;
  };
  const auto found = std::find_if(list.begin(), list.end(), same);
  if (found == list.end()) {
    list.push_back(std::move(item));
  } else {
    *found = std::move(item);
  }
}

void split_equations(const std::string& text, const SourcePos& where, std::vector<NamedText>& out) {
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t end = std::min(text.find_first_of(";\n", from), text.size());
    const std::string part = trimmed(text.substr(from, end - from));
    if (!part.empty()) out.push_back({"", part, where});
    from = end + 1;
  }
}

Diagnostic file_fault(const char* id,
                      const SourcePos& where,
                      std::string found,
                      std::string expected) {
  Diagnostic d;
  d.id = id;
  d.where = where;
  d.found = std::move(found);
  d.expected = std::move(expected);
  return d;
}

std::optional<std::string> text_of(const TomlNode& node) {
  if (node.kind == TomlNode::Kind::text) return node.text;
  if (node.is_number()) return fmt::format("{}", node.number);
  return {};
}

class FileReader {
 public:
  OdeTexts texts;
  Diagnostics faults;

  void read(const TomlNode& root) {
    for (const TomlEntry& e : root.entries) {
      if (e.key == "equations" || e.key == "event") {
        lines(e);
      } else if (e.key == "parameters") {
        table(e, texts.parameters);
      } else if (e.key == "atol" && e.value.kind == TomlNode::Kind::table) {
        table(e, texts.atol_each);
      } else if (e.key == "norm_control") {
        if (e.value.kind == TomlNode::Kind::boolean)
          texts.norm_control = e.value.truth;
        else
          faults.push_back(
              file_fault("model.wrong-type", e.where, describe(e.value), "true or false"));
      } else if (e.key == "start") {
        table(e, texts.start);
      } else if (e.key == "exact") {
        table(e, texts.exact);
      } else if (e.key == "show") {
        table(e, texts.shown);
      } else if (NamedText* to = quantity(e.key)) {
        read_text(e, *to);
      } else {
        unknown(e);
      }
    }
  }

  void finish(OdeOptions& o) {
    texts.title = title_.text;
    texts.integrator = integrator_.text;
    if (o.variant.empty() && o.integrator.empty()) o.variant = variant_.text;
    if (o.order == 0 && !order_.text.empty()) o.order = std::atoi(order_.text.c_str());
  }

 private:
  void lines(const TomlEntry& e) {
    std::vector<NamedText>& to = e.key == "event" ? texts.events : texts.equations;
    const bool many = e.value.kind == TomlNode::Kind::array;
    const std::span<const TomlNode> nodes =
        many ? std::span<const TomlNode>(e.value.items) : std::span<const TomlNode>(&e.value, 1);
    for (const TomlNode& node : nodes) {
      if (node.kind != TomlNode::Kind::text) {
        faults.push_back(file_fault("model.wrong-type", node.where, describe(node), "text"));
      } else {
        split_equations(node.text, node.where, to);
      }
    }
  }

  void table(const TomlEntry& e, std::vector<NamedText>& to) {
    if (e.value.kind != TomlNode::Kind::table) {
      faults.push_back(
          file_fault("model.wrong-type", e.where, describe(e.value), "a table of names"));
      return;
    }
    for (const TomlEntry& item : e.value.entries) {
      NamedText text{item.key, "", item.where};
      read_text(item, text);
      to.push_back(std::move(text));
    }
  }

  void read_text(const TomlEntry& e, NamedText& to) {
    const std::optional<std::string> text = text_of(e.value);
    if (!text)
      faults.push_back(
          file_fault("model.wrong-type", e.where, describe(e.value), "a number or a formula"));
    to.text = text.value_or("0");
    to.where = e.where;
  }

  NamedText* quantity(const std::string& key) {
    if (key == "title") return &title_;
    if (key == "integrator") return &integrator_;
    if (key == "order") return &order_;
    if (key == "from") return &texts.from;
    if (key == "until") return &texts.until;
    if (key == "step") return &texts.step;
    if (key == "rtol") return &texts.rtol;
    if (key == "atol") return &texts.atol;
    if (key == "output_step") return &texts.output_step;
    if (key == "max_step") return &texts.max_step;
    if (key == "min_step") return &texts.min_step;
    if (key == "variant") return &variant_;
    return nullptr;
  }

  void unknown(const TomlEntry& e) {
    static const std::vector<std::string> known{"title",
                                                "equations",
                                                "parameters",
                                                "start",
                                                "exact",
                                                "event",
                                                "show",
                                                "from",
                                                "until",
                                                "integrator",
                                                "order",
                                                "step",
                                                "rtol",
                                                "atol",
                                                "output_step",
                                                "max_step",
                                                "min_step",
                                                "norm_control",
                                                "variant"};
    Diagnostic d = file_fault(
        "model.unknown-key", e.where, fmt::format("'{}'", e.key), "a key of an ode file");
    const std::string near = nearest_name(e.key, known);
    if (!near.empty()) d.hint = fmt::format("did you mean '{}'?", near);
    faults.push_back(std::move(d));
  }

  NamedText title_, integrator_, order_, variant_;
};

bool names_a_file(const std::vector<std::string>& system) {
  return system.size() == 1 &&
         (system[0].ends_with(".toml") ||
          (system[0].find('=') == std::string::npos && std::filesystem::exists(system[0])));
}

}  // namespace

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts{""};
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

Result<OdeTexts> gather_texts(OdeOptions& o) {
  OdeTexts texts;
  if (names_a_file(o.system)) {
    const Result<TextFile> file = read_text_file(o.system[0]);
    if (!file) return file.why();
    const Result<TomlNode> tree =
        parse_toml(file.value().text, std::make_shared<const std::string>(file.value().name));
    if (!tree) return tree.why();
    FileReader reader;
    reader.read(tree.value());
    reader.finish(o);
    if (has_error(reader.faults)) return reader.faults;
    texts = std::move(reader.texts);
  } else {
    for (const std::string& s : o.system) split_equations(s, {}, texts.equations);
  }
  for (const std::string& list : o.set) {
    for (const std::string& s : split_list(list)) put(texts.parameters, named(s));
  }
  for (const std::string& list : o.start) {
    for (const std::string& s : split_list(list)) put(texts.start, named(s));
  }
  for (const std::string& s : o.exact) put(texts.exact, named(s));
  for (const std::string& s : o.show) put(texts.shown, named(s));
  for (const std::string& s : o.event) texts.events.push_back({"", s, {}});
  const auto over = [](NamedText& to, const std::string& said) {
    if (!said.empty()) to = {"", said, {}};
  };
  over(texts.from, o.from);
  over(texts.until, o.until);
  over(texts.step, o.step);
  over(texts.rtol, o.rtol);
  if (o.atol.find('=') == std::string::npos) {
    over(texts.atol, o.atol);
    if (!o.atol.empty()) texts.atol_each.clear();
  } else {
    for (const std::string& s : split_list(o.atol)) put(texts.atol_each, named(s));
  }
  over(texts.max_step, o.max_step);
  over(texts.min_step, o.min_step);
  texts.norm_control = texts.norm_control || o.norm_control;
  over(texts.output_step, o.output_step);
  if (!o.integrator.empty()) texts.integrator = o.integrator;
  return texts;
}

}  // namespace cardan::app
