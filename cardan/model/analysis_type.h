#pragma once
// What each analysis can be told: the keys of the model file, each bound to a field of the option
// structure. Reader, schema, manual, command line and manifest follow from this one description.
// How an analysis is run stands in analysis/analysis_table.h under the same name.
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cardan/model/catalogue.h"
#include "cardan/model/options.h"

namespace cardan {

using OptionValue =
    std::variant<double, long, bool, std::string, std::vector<std::string>, std::vector<double>>;

struct OptionField {
  KeySpec key;    // kind: number, integer, boolean, text, choice, names or numbers
  long most = 0;  // of an integer
  std::function<OptionValue(const Analysis&)> get;
  // The value is of the kind of get()'s; where: its place in the file, or nothing.
  std::function<void(Analysis&, const OptionValue&, const SourcePos&)> set;
};

struct AnalysisType {
  std::string_view name, doc;
  std::string_view command;  // of the command line
  std::vector<OptionField> fields;
  Analysis (*make)();  // with its defaults
  // Keys of the table that may stand for the integrator's name, besides `name` itself.
  std::vector<OptionField> integrator_fields{};

  const OptionField* field(std::string_view key) const;  // null: it has none of that name
};

const std::vector<AnalysisType>& analysis_types();
const AnalysisType* find_analysis(std::string_view name);
const AnalysisType& analysis_type(const Analysis&);

SourcePos& where_of(Analysis&);
const SourcePos& where_of(const Analysis&);

// An analysis of this type from the model's own: those it has of the type, or one that takes what it
// can from the first dynamic analysis.
std::vector<Analysis> analyses_of_type(const std::vector<Analysis>&, const AnalysisType&);

std::vector<SectionSpec> analysis_sections();  // "analysis.TYPE"

}  // namespace cardan
