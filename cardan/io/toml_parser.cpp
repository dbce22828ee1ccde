// TOML 1.0 (toml.io/en/v1.0.0) by recursive descent: a file is a list of statements, `key = value`,
// `[table]` or
// `[[list of tables]]`. After a fault the parser goes on at the next line that looks like a
// statement, so that one run finds all of them.
#include <algorithm>

#include <fmt/format.h>

#include "cardan/io/toml_cursor.h"
#include "cardan/io/utf8.h"

namespace cardan {

namespace {

using FilePtr = std::shared_ptr<const std::string>;

constexpr std::size_t max_faults = 100;

struct KeyPart {
  std::string name;
  SourcePos where;
};

using Key = std::vector<KeyPart>;

class Parser {
 public:
  Parser(std::string_view text, FilePtr file) : in_(text), file_(std::move(file)) {}

  Result<TomlNode> run() {
    root_.where = {file_, 1, 1};
    root_.made = TomlNode::Made::header;
    current_ = &root_;
    while (faults_.size() < max_faults && to_next_statement()) {
      const bool good = in_.peek() == '[' ? header() : key_value(*current_) && end_of_statement();
      if (!good) recover();
    }
    if (!faults_.empty()) return std::move(faults_);
    return std::move(root_);
  }

 private:
  // False at the end of the text.
  bool to_next_statement() {
    while (auto fault = in_.skip_space()) {
      report(fault);
      in_.skip_line();
    }
    return !in_.done();
  }

  bool header() {
    current_ = &scratch_;  // keys after a bad header belong to nothing
    in_.next();
    const bool list = in_.take('[');
    Key key;
    if (!take_key(key)) return false;
    const std::string close = list ? "]]" : "]";
    if (!in_.at(close))
      return report(
          {"a header without its closing bracket", fmt::format("{} after the name", close), ""});
    for (std::size_t k = 0; k < close.size(); ++k) in_.next();
    if (!end_of_statement()) return false;
    TomlNode* table = open_table(key, list);
    if (table != nullptr) current_ = table;
    return true;  // a conflict was reported, but the line itself is complete
  }

  // The table a header names, made when new; null after reporting a conflict.
  TomlNode* open_table(const Key& key, bool list) {
    TomlNode* table = &root_;
    for (std::size_t k = 0; k + 1 < key.size(); ++k) {
      TomlEntry* entry = table->find(key[k].name);
      if (entry == nullptr) entry = &table->add(new_table(key[k], TomlNode::Made::implicit));
      table = inside(entry->value);
      if (table == nullptr) return duplicate(key[k], *entry);
    }
    const KeyPart& last = key.back();
    TomlEntry* entry = table->find(last.name);
    if (list) {
      if (entry == nullptr) {
        entry = &table->add(new_table(last, TomlNode::Made::header));
        entry->value.kind = TomlNode::Kind::array;
      } else if (entry->value.kind != TomlNode::Kind::array ||
                 entry->value.made == TomlNode::Made::closed) {
        return duplicate(last, *entry);
      }
      entry->value.items.push_back(new_table(last, TomlNode::Made::header).value);
      return &entry->value.items.back();
    }
    if (entry == nullptr) return &table->add(new_table(last, TomlNode::Made::header)).value;
    if (entry->value.kind != TomlNode::Kind::table || entry->value.made != TomlNode::Made::implicit)
      return duplicate(last, *entry);
    entry->value.made = TomlNode::Made::header;
    entry->value.where = entry->where = last.where;
    return &entry->value;
  }

  // The table that a name in the middle of a header stands for.
  static TomlNode* inside(TomlNode& node) {
    if (node.made == TomlNode::Made::closed) return nullptr;
    if (node.kind == TomlNode::Kind::array) return &node.items.back();
    return node.kind == TomlNode::Kind::table ? &node : nullptr;
  }

  static TomlEntry new_table(const KeyPart& part, TomlNode::Made made) {
    TomlNode table;
    table.where = part.where;
    table.made = made;
    return {part.name, part.where, std::move(table)};
  }

  bool key_value(TomlNode& table) {
    Key key;
    if (!take_key(key)) return false;
    if ((static_cast<unsigned char>(in_.peek()) & 0x80) != 0)
      return report({"a letter that no key has without quotes",
                     "a key: letters a to z, digits, - and _",
                     "names in formulas have such letters only"});
    if (!in_.take('='))
      return report({fmt::format("the key '{}' without a value", shown(key.back().name)),
                     "= and a value",
                     in_.peek() == ':' ? "write key = value, with = instead of :" : ""});
    in_.skip_blanks();
    value_line_ = in_.rest_of_line();
    TomlNode value;
    if (!take_value(value)) return false;
    TomlNode* target = &table;
    for (std::size_t k = 0; k + 1 < key.size(); ++k) {
      TomlEntry* entry = target->find(key[k].name);
      if (entry == nullptr) entry = &target->add(new_table(key[k], TomlNode::Made::dotted));
      if (entry->value.kind != TomlNode::Kind::table ||
          entry->value.made != TomlNode::Made::dotted) {
        duplicate(key[k], *entry);
        return true;
      }
      target = &entry->value;
    }
    if (TomlEntry* entry = target->find(key.back().name); entry != nullptr)
      duplicate(key.back(), *entry);
    else
      target->add({key.back().name, key.back().where, std::move(value)});
    return true;
  }

  bool take_key(Key& key) {
    do {
      in_.skip_blanks();
      KeyPart part{"", here()};
      if (in_.peek() == '"' || in_.peek() == '\'') {
        if (auto fault = in_.take_text(part.name, false)) return report(fault);
      } else {
        while (is_bare_key_char(in_.peek())) {
          part.name.push_back(in_.peek());
          in_.next();
        }
        if (part.name.empty()) return report(no_key());
      }
      key.push_back(std::move(part));
      if (key.size() > limits::key_parts)
        return report({fmt::format("a dotted key of more than {} parts", limits::key_parts),
                       "a shorter one",
                       "",
                       "limit.key-parts"});
      in_.skip_blanks();
    } while (in_.take('.'));
    return true;
  }

  bool take_value(TomlNode& out) {
    out.where = here();
    switch (in_.peek()) {
      case '"':
      case '\'':
        out.kind = TomlNode::Kind::text;
        if (auto fault = in_.take_text(out.text, true)) return report(fault, out.where);
        return true;
      case '[':
        return take_array(out);
      case '{':
        return take_inline_table(out);
      case '(':
        return report({"a round bracket",
                       "a number, a \"string\", a [list] or a { table }",
                       "a list stands in square brackets: [0, 0]; a formula in quotes"},
                      out.where);
      default:
        if ((static_cast<unsigned char>(in_.peek()) & 0x80) != 0)
          return report({"a character outside the letters and digits of a value",
                         "a number, a \"string\", a [list] or a { table }",
                         "use straight quotes, \" or ', not typographic ones"});
        if (auto fault = interpret_word(in_.take_word(), out)) return report(fault, out.where);
        return true;
    }
  }

  bool take_array(TomlNode& out) {
    out.kind = TomlNode::Kind::array;
    const Deeper deeper(depth_);
    if (depth_ > limits::nesting) return too_deep();
    in_.next();
    for (;;) {
      if (auto fault = in_.skip_space()) return report(fault);
      if (in_.take(']')) return true;
      if (in_.done()) return report({"a list without its closing bracket", "]", ""}, out.where);
      if (!take_value(out.items.emplace_back())) return false;
      if (auto fault = in_.skip_space()) return report(fault);
      if (!in_.take(',') && in_.peek() != ']') return report(between_items("]"));
    }
  }

  bool take_inline_table(TomlNode& out) {
    const Deeper deeper(depth_);
    if (depth_ > limits::nesting) return too_deep();
    in_.next();
    bool one_line = true;
    if (!skip_in_table(one_line)) return false;
    if (in_.take('}')) return true;
    for (;;) {
      if (!key_value(out) || !skip_in_table(one_line)) return false;
      if (in_.take('}')) break;
      if (!in_.take(',')) return report(between_items("}"));
      if (!skip_in_table(one_line)) return false;
    }
    close(out);
    return true;
  }

  // TOML 1.0 wants an inline table in one line: told once, then read on as if it were allowed.
  bool skip_in_table(bool& one_line) {
    in_.skip_blanks();
    const bool line_end = in_.peek() == '\n' || in_.peek() == '\r' || in_.peek() == '#';
    if (line_end && one_line)
      report({"a table in braces that goes on in the next line",
              "the whole table in one line",
              "or give it a header of its own, such as [[body.shape]]"});
    one_line = one_line && !line_end;
    const auto fault = in_.skip_space();
    return !fault || report(fault);
  }

  // Nothing may be added to an inline table, nor to what its dotted keys made.
  static void close(TomlNode& table) {
    table.made = TomlNode::Made::closed;
    for (auto& entry : table.entries)
      if (entry.value.kind == TomlNode::Kind::table) close(entry.value);
  }

  bool end_of_statement() {
    in_.skip_blanks();
    if (auto fault = in_.skip_comment()) return report(fault);
    if (in_.done() || in_.take_line_end()) return true;
    const std::string rest(in_.rest_of_line().substr(0, 30));
    return report(
        {fmt::format("'{}' after the value", shown(rest)), "the end of the line", end_hint(rest)});
  }

  // `500 mm` without quotes, as it should be written; empty: something else.
  std::string quantity() const {
    const std::string_view line = value_line_.substr(0, value_line_.find_first_of("#,"));
    const std::size_t end = line.find_last_not_of(" \t\r");
    if (line.empty() || end == std::string_view::npos || end > 40) return {};
    const bool number = line[0] == '-' || line[0] == '+' || (line[0] >= '0' && line[0] <= '9');
    return number && line.find('"') == std::string_view::npos ? std::string(line.substr(0, end + 1))
                                                              : std::string();
  }

  std::string end_hint(std::string_view rest) const {
    if (rest.starts_with(",")) {
      const bool digit = rest.size() > 1 && rest[1] >= '0' && rest[1] <= '9';
      return digit ? "the decimal sign is a point: 1.2" : "no comma stands at the end of a line";
    }
    const std::string text = quantity();
    if (!text.empty())
      return fmt::format("a number with a unit stands in quotes: \"{}\"", shown(text));
    return "a number with a unit, a name or a formula stands in quotes: \"5 kg\"";
  }

  void recover() {
    do in_.skip_line();
    while (!in_.done() && !looks_like_statement(in_.rest_of_line()));
  }

  static bool looks_like_statement(std::string_view line) {
    const auto start = line.find_first_not_of(" \t");
    if (start == std::string_view::npos) return false;
    line = line.substr(start);
    if (line[0] == '[')
      return line.find(']') != std::string_view::npos &&
             line.find_first_of(",=\"") == std::string_view::npos &&
             !(line[1] >= '0' && line[1] <= '9');
    const auto end = line.find_first_not_of(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.\"' \t");
    return end != std::string_view::npos && end > 0 && line[end] == '=';
  }

  struct Deeper {
    explicit Deeper(int& depth) : depth_(depth) { ++depth_; }

    ~Deeper() { --depth_; }

    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    int& depth_;
  };

  TomlFault no_key() const {
    if (in_.peek() == '=') return {"a value without a key", "key = value", ""};
    return {in_.done() ? "the end of the file"
                       : fmt::format("'{}'", shown(std::string(in_.rest_of_line().substr(0, 1)))),
            "a key: letters, digits, - and _, or a quoted string",
            std::string_view("/%;!").find(in_.peek()) != std::string_view::npos
                ? "a comment begins with #"
                : ""};
  }

  static TomlFault between_items(std::string_view close) {
    return {"two values without a comma between them",
            fmt::format(", or {}", close),
            "write a comma between the two; a number with a unit, a name or a formula stands in "
            "quotes"};
  }

  static std::string shown(std::string text) {
    std::replace_if(
        text.begin(),
        text.end(),
        [](char c) {
          return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F;
        },
        '?');
    return text;
  }

  bool too_deep() {
    return report({fmt::format("brackets nested more than {} deep", limits::nesting),
                   "a flatter structure",
                   "",
                   "limit.nesting"});
  }

  TomlNode* duplicate(const KeyPart& part, const TomlEntry& first) {
    report(
        {fmt::format("'{}' a second time (first in line {})", shown(part.name), first.where.line),
         "each key once in a table",
         "a list of tables has double brackets, [[body]]",
         "syntax.duplicate-key"},
        part.where);
    return nullptr;
  }

  SourcePos here() const { return {file_, in_.line(), in_.column()}; }

  bool report(const TomlFault& fault) { return report(fault, here()); }

  bool report(const TomlFault& fault, const SourcePos& where) {
    Diagnostic d;
    d.id = fault.id;
    d.where = where;
    d.found = fault.found;
    d.expected = fault.expected;
    d.hint = fault.hint;
    faults_.push_back(std::move(d));
    return false;
  }

  TomlCursor in_;
  std::string_view value_line_;  // from the value being read to the end of its line
  FilePtr file_;
  TomlNode root_, scratch_;
  TomlNode* current_ = nullptr;
  int depth_ = 0;
  Diagnostics faults_;
};

}  // namespace

Result<TomlNode> parse_toml(std::string_view text, FilePtr file) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (const std::size_t bad = find_invalid_utf8(text); bad != std::string_view::npos) {
    const auto before = text.substr(0, bad);
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 = 0
    Diagnostic d;
    d.id = "syntax.encoding";
    d.where = {std::move(file),
               1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
               static_cast<int>(bad - line_start) + 1};
    d.found = fmt::format("the byte 0x{:02X}", static_cast<unsigned char>(text[bad]));
    d.expected = "text in UTF-8";
    d.hint = "save the file as UTF-8; Latin-1 and UTF-16 look like this";
    return d;
  }
  return Parser(text, std::move(file)).run();
}

}  // namespace cardan
