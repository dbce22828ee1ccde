#pragma once
// Changes settings in an [[analysis]] block of a model's text and nothing else: comments, order,
// spaces and line ends stay as they are.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cardan/base/result.h"

namespace cardan {

// A key and its new value as it stands in the file ("\"projected\"", "1e-08"); nothing: the key has
// no place with the others and becomes a comment.
using AnalysisEdit = std::pair<std::string, std::optional<std::string>>;

// where: of the block, as the reader keeps it with the analysis' options. The result is read again
// and compared with the old text before it is given out: all other keys have the same values. A
// block that is not written as [[analysis]] with one key a line is refused (model.not-editable).
Result<std::string> edit_analysis(const std::string& text,
                                  const SourcePos& where,
                                  const std::vector<AnalysisEdit>&);

}  // namespace cardan
