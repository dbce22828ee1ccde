#pragma once
// The names formulas of a model may use, parameters, curves and the counters of repeated parts, and
// the reading of values with them. Parameters and curves are evaluated when they are first asked
// for, so their order in the file is free.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cardan/element/element_type.h"
#include "cardan/io/faults.h"
#include "cardan/io/formula_memo.h"
#include "cardan/io/toml_tree.h"
#include "cardan/math/expression.h"
#include "cardan/math/planar_curve.h"
#include "cardan/math/space_curve.h"
#include "cardan/model/model_variants.h"

namespace cardan {

struct Field {  // a key and what stands there
  std::string_view key;
  const TomlNode* node = nullptr;

  explicit operator bool() const { return node != nullptr; }

  const SourcePos& where() const { return node->where; }
};

// Makes a curve from its table; set by the reader of curves.
struct Curve {
  FunctionPtr function;
  PlanarCurvePtr planar;
  SpaceCurvePtr spatial;

  bool at_fault() const { return !function && !planar && !spatial; }
};

class Environment {
 public:
  Environment(Faults& faults, FormulaMemo& memo);

  // Definitions.
  void add_parameter(const std::string& name, const TomlNode& value);
  void override_parameter(const std::string& name, const std::string& formula);
  void override_parameter(const std::string& name, double value);  // SI, of its own dimension
  void add_curve(const std::string& name, const TomlNode& table);
  void add_function(const std::string& name, FunctionPtr);

  void set_curve_reader(std::function<Curve(const std::string& name, const TomlNode&)> reader) {
    read_curve_ = std::move(reader);
  }

  bool has_parameter(const std::string& name) const { return parameters_.contains(name); }

  bool known(std::string_view name) const;  // parameter, curve or counter

  bool has_curve(const std::string& name) const { return curves_.contains(name); }

  void excuse(const std::string& name) { excused_.insert(name); }  // its own fault has been told

  // Of a parameter or a counter; nothing: no such name.
  std::optional<Scope::Constant> parameter(const std::string& name);
  std::vector<std::pair<std::string, FunctionPtr>> function_curves();

  void evaluate_all();  // so that faults of unused ones are found too
  std::vector<std::pair<std::string, double>> parameters() const;
  std::vector<ParameterInfo> parameter_infos() const;
  const Curve* curve(std::string_view name);
  std::vector<std::string> profile_names() const;  // of curves that are no functions

  // Counters of the repeated parts being read, innermost last.
  struct Index {
    std::string name;
    double value = 0;
  };

  std::vector<Index> indices;

  int point_size = 2;  // numbers of a point

  std::string point_form() const {  // for messages
    return point_size == 2 ? "[x, y]" : "[x, y, z]";
  }

  // Values. Without a value the fault has been reported.
  std::optional<double> number(const Field&, Dimension, Range = Range::any);
  std::optional<long> integer(const Field&, Range = Range::any, long most = 1'000'000'000);
  std::optional<bool> boolean(const Field&);
  std::optional<std::string> text(const Field&);  // braces replaced
  std::optional<std::vector<std::string>> names(const Field&);
  std::optional<std::vector<double>> numbers(const Field&,
                                             const std::vector<Dimension>&,
                                             Range = Range::any);
  std::optional<Triple> point(const Field&, Dimension = dimension::length);
  std::optional<std::vector<Triple>> points(const Field&,
                                            std::size_t least,
                                            std::size_t most,
                                            Dimension = dimension::length);
  std::optional<Triple> direction(const Field&);  // in plain numbers or in one unit
  std::optional<std::vector<Triple>> two_directions(const Field&);
  std::optional<Expression> formula(const Field&,
                                    std::optional<Dimension>,
                                    const std::vector<Scope::Variable>& variables);
  std::string expanded(const std::string& text, const SourcePos& where);

  // Text outside of settings: each is parsed once, whatever the parameters are.
  Result<Expression> parse(const std::string& text, const Scope& scope, const SourcePos& where) {
    return memo_.parse(text, scope, where);
  }

  std::vector<std::string> names_of(const std::string& text) { return memo_.names(text); }

  // Settings that follow from parameters are noted here while the list is set, each place of the
  // file once.
  void note_uses(std::vector<ParameterUse>* uses) { uses_ = uses; }

  // The parameters that settings read meanwhile follow from decide how many elements there are.
  class Counting {
   public:
    explicit Counting(Environment& of) : of_(of) { ++of_.counting_; }

    ~Counting() { --of_.counting_; }

    Counting(const Counting&) = delete;
    Counting& operator=(const Counting&) = delete;

   private:
    Environment& of_;
  };

  void wrong_type(const Field&, std::string_view expected, std::string_view hint = "");

  // Values that are probably slips (questions.cpp).
  void ask(const Field&, std::string found, std::string hint);
  void ask_about_angle(const Field&, double value);
  void ask_about_angle(const Field&, const Expression&);
  void ask_about_turning(const Field& motion, const FunctionPtr&);
  void ask_about_hertz(const Field&);

  Faults& faults() { return faults_; }

 private:
  enum class State { untouched, busy, done };

  struct Parameter {
    const TomlNode* node = nullptr;
    std::string formula;  // overriding
    const TomlNode* overridden = nullptr;
    SourcePos where;
    State state = State::untouched;
    Scope::Constant value;
    std::optional<double> number;   // overriding
    std::vector<std::string> uses;  // other parameters, directly or not
    bool structural = false;
    std::optional<Dimension> stands_for;  // the settings where it stands alone
    bool stands_for_many = false;
  };

  struct CurveEntry {
    const TomlNode* node = nullptr;
    State state = State::untouched;
    Curve curve;
  };

  std::optional<Scope::Constant> constant(std::string_view name);
  Scope::Constant evaluate(Parameter&);
  Scope::Constant as_before(const Parameter&, Scope::Constant);
  void ask_about_unit(const Parameter&, double value, double before);
  Result<Expression> parse_setting(const std::string& text,
                                   const Scope&,
                                   const SourcePos& where,
                                   const Field& setting,
                                   std::optional<Dimension>);
  void note(const Field& setting,
            const std::vector<std::string>& constants,
            std::optional<Dimension>);
  std::vector<std::string> through(const std::vector<std::string>& constants) const;
  bool is_excused(std::string_view name) const;
  std::vector<std::string> all_names() const;
  void cycle(std::string_view kind, const std::string& name, const SourcePos&);
  bool in_range(const Field&, double value, Range);
  std::optional<double> repeated_number(const Field&, Dimension);
  Dimension unit_of_direction(const Field&);
  std::optional<double> brace(std::string_view inside, const SourcePos&);

  Faults& faults_;
  FormulaMemo& memo_;
  Scope scope_;  // without variables
  std::unordered_map<std::string, Parameter> parameters_;
  std::vector<std::string> order_;  // of the parameters in the file
  std::unordered_map<std::string, CurveEntry> curves_;
  std::function<Curve(const std::string&, const TomlNode&)> read_curve_;
  std::unordered_map<const TomlNode*, std::optional<Expression>> repeated_;
  std::unordered_set<std::string> excused_;
  std::vector<std::string> path_;  // definitions being evaluated, outermost first
  std::vector<ParameterUse>* uses_ = nullptr;
  std::unordered_set<const TomlNode*> noted_;
  int counting_ = 0;
};

bool is_identifier(std::string_view name);

}  // namespace cardan
