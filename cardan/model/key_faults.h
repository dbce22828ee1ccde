#pragma once
// What can be wrong with a key and its value, in the words that the reader of model files and the check
// of models made by program share.
#include <string>
#include <string_view>
#include <vector>

#include "cardan/model/catalogue.h"

namespace cardan {

struct KeyFault {
  std::string_view id;
  std::string found, expected, hint;
  std::string meant = {};  // the key that an unknown one seems to stand for
};

KeyFault missing_key(std::string_view key, std::string_view expected);
// `what` has the known keys: "the force type 'spring'".
KeyFault unknown_key(std::string_view key,
                     const std::vector<std::string_view>& known,
                     std::string_view what);
KeyFault wrong_type(std::string_view key,
                    std::string_view described,
                    std::string_view expected,
                    std::string_view hint = "");
KeyFault wrong_length(std::string_view key, std::size_t given, std::string_view expected);
KeyFault wrong_choice(std::string_view key,
                      std::string_view word,
                      const std::vector<std::string_view>& choices);
KeyFault not_finite(std::string_view key, double value);
KeyFault out_of_range(std::string_view key, double value, Range);

bool in_range(double value, Range);

// What a value of this kind is expected to be.
std::string expected_number(Dimension);
inline constexpr std::string_view expected_boolean = "true or false",
                                  boolean_hint = "without quotes", expected_text = "a string",
                                  expected_formula = "a number or a formula";
std::string expected_numbers(std::size_t count);

// Faults of an element's settings against the keys of its type; of the parts of a list by their names.
std::vector<KeyFault> faults_of_settings(const Element&,
                                         const std::vector<KeySpec>&,
                                         std::string_view what);

}  // namespace cardan
