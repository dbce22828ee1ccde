#pragma once
// A model file that stays known after it has been read: its settings are evaluated again with other
// values of parameters, without opening files, parsing TOML, or parsing the formulas that do not
// name a changed parameter.
//
//   auto model = ParametricModel::read("model.toml");
//   const auto longer = model.value().with({{{"crank", 0.12}}});
#include <filesystem>
#include <memory>

#include "cardan/io/files.h"
#include "cardan/io/read_model.h"
#include "cardan/model/model_variants.h"

namespace cardan {

struct Reading;

class ParametricModel final : public ModelVariants {
 public:
  static Result<ParametricModel> read(const std::filesystem::path& path, const ReadOptions& = {});
  static Result<ParametricModel> read_text(std::string text,
                                           std::string name,
                                           const ReadOptions& = {});

  const Model& model() const { return model_; }  // as it was read

  Model take() && { return std::move(model_); }

  const std::vector<ParameterInfo>& parameters() const override { return parameters_; }

  // Included files, tables and meshes as they were read, by their place below the model's folder
  // (ReadOptions::files).
  std::vector<std::pair<std::string, std::string>> files() const;

  Result<Model> with(std::span<const ParameterValue>) const override;

 private:
  static Result<ParametricModel> make(TextFile,
                                      const std::filesystem::path& folder,
                                      const ReadOptions&);

  std::shared_ptr<Reading> reading_;
  Model model_;
  std::vector<ParameterInfo> parameters_;
};

}  // namespace cardan
