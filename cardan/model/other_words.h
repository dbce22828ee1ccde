#pragma once
// Words of other programs and of textbooks for what a model file calls otherwise.
#include <string>
#include <string_view>
#include <vector>

namespace cardan {

enum class WordPlace { key, section, joint, driver, force, analysis, body };

// What a word means where one of `known` must stand: "did you mean 'stiffness'?" Empty: nothing known.
struct OtherWord {
  std::string_view means;  // one of `known`
  std::string hint;
};

OtherWord other_word(WordPlace place,
                     std::string_view word,
                     const std::vector<std::string_view>& known);
OtherWord other_word(WordPlace place, std::string_view word, const std::vector<std::string>& known);

}  // namespace cardan
