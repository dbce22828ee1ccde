// The road from files to sections: loading with includes, the keys of the file itself, and the
// order of reading.
#include "cardan/io/read_model.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cardan/element/embed.h"
#include "cardan/io/model_reader.h"
#include "cardan/io/output_blocks.h"
#include "cardan/io/parametric_model.h"
#include "cardan/io/sweep_blocks.h"
#include "cardan/model/other_words.h"

namespace cardan {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_listed = 16;  // parameters in a message

// What only the main file may say.
constexpr std::array<std::string_view, 8> main_keys{
    "title", "space", "gravity", "ground", "analysis", "assembly", "output", "sweep"};

// "bar_length" for bar-length: in formulas the rest would be a difference or a product.
std::string name_hint(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == ' ' || c == '.'; }, '_');
  return is_identifier(name) ? fmt::format("write {}", name) : "";
}

std::string place_below(const fs::path& folder, const fs::path& path) {
  return path.lexically_normal().lexically_relative(folder.lexically_normal()).generic_string();
}

}  // namespace

Result<Model> read_model(const fs::path& path, const ReadOptions& options) {
  auto model = ParametricModel::read(path, options);
  if (!model) return model.why();
  return std::move(model).value().take();
}

Result<Model> read_model_text(std::string text, std::string name, const ReadOptions& options) {
  auto model = ParametricModel::read_text(std::move(text), std::move(name), options);
  if (!model) return model.why();
  return std::move(model).value().take();
}

Result<ParametricModel> ParametricModel::read(const fs::path& path, const ReadOptions& options) {
  auto file = read_text_file(path);
  if (!file) return file.why();
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  return make(std::move(file).value(), folder, options);
}

Result<ParametricModel> ParametricModel::read_text(std::string text,
                                                   std::string name,
                                                   const ReadOptions& options) {
  if (text.size() > limits::file_size) {
    Diagnostic d;
    d.id = "limit.file-size";
    d.where.file = std::make_shared<const std::string>(name);
    d.found = fmt::format("a text of more than {} MB", limits::file_size >> 20);
    d.expected = "a smaller one";
    return d;
  }
  return make({{}, std::move(name), std::move(text)}, options.folder, options);
}

Result<ParametricModel> ParametricModel::make(TextFile file,
                                              const fs::path& folder,
                                              const ReadOptions& options) {
  ParametricModel made;
  made.reading_ = std::make_shared<Reading>();
  made.reading_->options = options;
  ModelReader reader(*made.reading_);
  auto model = reader.run(std::move(file), folder);
  if (!model) return model.why();
  made.model_ = std::move(model).value();
  made.parameters_ = reader.parameters();
  made.reading_->formulas.close();
  made.reading_->closed = true;
  return made;
}

Result<Model> ParametricModel::with(std::span<const ParameterValue> values) const {
  return ModelReader(*reading_).run_again(values);
}

std::vector<std::pair<std::string, std::string>> ParametricModel::files() const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [name, text] : reading_->included)
    out.emplace_back(place_below(reading_->root, name), text);
  for (const auto& [key, file] : reading_->tables)
    out.emplace_back(place_below(reading_->root, file.path), file.text);
  return out;
}

Result<Model> ModelReader::run(TextFile file, const fs::path& folder) {
  reading_.path = file.name;
  reading_.text = file.text;
  root_ = folder;
  if (!load(std::move(file), folder, true)) return faults_.take();
  for (const auto& source : sources_) check_keys(source);
  environment_.note_uses(&model_.parameter_uses);
  auto model = read_sections({});
  parameters_ = environment_.parameter_infos();
  return model;
}

Result<Model> ModelReader::run_again(std::span<const ParameterValue> values) {
  return read_sections(values);
}

Result<Model> ModelReader::read_sections(std::span<const ParameterValue> values) {
  model_.path = reading_.path;
  model_.text = reading_.text;
  model_.included = reading_.included;
  const Source& main = sources_.back();
  read_parameters(values);
  read_curves();
  environment_.evaluate_all();
  read_header(main);
  for_each("body", [this](const TomlNode& n) { read_body(n); });
  for_each("coordinate", [this](const TomlNode& n) { read_coordinate(n); });
  if (model_.bodies.empty() && own_coordinates_.empty() && !faults_.any())
    faults_.error(
        "model.empty", {main.root.where.file}, "a model without bodies", "at least one [[body]]");
  for_each("marker", [this](const TomlNode& n) { read_marker(n); });
  for_each("state", [this](const TomlNode& n) { read_state(n); });
  for_each("input", [this](const TomlNode& n) { read_input(n); });
  for_each("block", [this](const TomlNode& n) { read_block(n); });
  for_each("joint", [this](const TomlNode& n) { read_element(Kind::joint, n); });
  for_each("request", [this](const TomlNode& n) { read_element(Kind::request, n); });
  for (std::size_t k = 0; k < model_.requests.size(); ++k) read_request_formula(k);
  for (std::size_t k = 0; k < model_.states.size(); ++k) read_state_rate(k);
  read_relation_joints();
  read_equations();
  for_each("driver", [this](const TomlNode& n) { read_element(Kind::driver, n); });
  for_each("force", [this](const TomlNode& n) { read_element(Kind::force, n); });
  for_each("stop", [this](const TomlNode& n) { read_element(Kind::stop, n); });
  for_each("contact", [this](const TomlNode& n) { read_element(Kind::contact, n); });
  for_each("initial", [this](const TomlNode& n) { read_initial(n); });
  read_assembly(main);
  read_list(main.root, "analysis", [this](const TomlNode& n) { read_analysis(n); });
  read_output(main);
  if (!reading_.closed)  // its values are those of no parameter
    read_list(main.root, "sweep", [this](const TomlNode& n) { read_sweep_block(n, environment_); });
  check_signal_names();
  if (faults_.any()) return faults_.take();
  read_gravity_note();
  model_.parameters = environment_.parameters();
  model_.notes = faults_.take();
  if (options_.spatial && model_.own != nullptr) {
    Diagnostic d;
    d.id = "model.bad-value";
    d.where = model_.own->where;
    d.found = "equations of one's own, to be put into space";
    d.expected = "a planar mechanism";
    return d;
  }
  if (options_.spatial && model_.space == Space::planar) {
    Embedded embedded = embed_in_space(model_);
    if (!embedded.faults.empty()) return embedded.faults;
    return std::move(embedded.model);
  }
  return std::move(model_);
}

bool ModelReader::load(TextFile file, const fs::path& folder, bool main) {
  auto name = std::make_shared<const std::string>(file.name);
  auto tree = parse_toml(file.text, name);
  if (!tree) {
    faults_.add(tree.why());
    return false;
  }
  Source source{folder, file.path, std::move(tree).value(), main};
  open_files_.push_back(file.path.lexically_normal());
  if (!main) reading_.included.emplace_back(file.name, std::move(file.text));
  include(source);
  open_files_.pop_back();
  sources_.push_back(std::move(source));
  return true;
}

fs::path ModelReader::folder_of(const TomlNode& node) const {
  for (const auto& source : sources_)
    if (source.root.where.file == node.where.file) return source.folder;
  return root_;
}

void ModelReader::include(Source& source) {
  const TomlEntry* entry = source.root.find("include");
  if (entry == nullptr) return;
  if (entry->value.kind != TomlNode::Kind::array)
    return environment_.wrong_type({"include", &entry->value}, "a list of files, [\"part.toml\"]");
  for (const auto& item : entry->value.items) {
    const auto name = environment_.text({"include", &item});
    if (!name) continue;
    const auto path = place_of(source.folder, *name, item.where);
    if (!path) {
      faults_.add(path.why());
      continue;
    }
    const fs::path normal = path.value().lexically_normal();
    if (std::find(open_files_.begin(), open_files_.end(), normal) != open_files_.end()) {
      faults_.error("model.include-cycle",
                    item.where,
                    fmt::format("\"{}\", which is being read already", *name),
                    "files that do not include each other");
      continue;
    }
    if (++included_ > limits::included_files)
      return faults_.error("limit.files",
                           item.where,
                           fmt::format("more than {} files", limits::included_files),
                           "fewer files");
    auto file = open(path.value(), item.where);
    if (file)
      load(std::move(file).value(), path.value().parent_path(), false);
    else
      faults_.add(file.why());
  }
}

void ModelReader::check_keys(const Source& source) {
  const auto known = key_names(find_section("model")->keys);
  TableReader keys(source.root, faults_);
  for (const auto key : known) keys.take(key);
  for (const TomlEntry& entry : source.root.entries) {
    const OtherWord other = other_word(WordPlace::section, entry.key, known);
    if (other.means.empty() || std::find(known.begin(), known.end(), entry.key) != known.end())
      continue;
    faults_.error("model.unknown-key",
                  entry.where,
                  fmt::format("the unknown section '{}'", entry.key),
                  "a section of a model file",
                  other.hint);
    keys.take(entry.key);
  }
  keys.finish(known, "a model file");
  if (!source.main)
    for (const auto key : main_keys)
      if (const TomlEntry* entry = source.root.find(key))
        faults_.error("model.unknown-key",
                      entry->where,
                      fmt::format("'{}' in an included file", key),
                      "it only in the main file",
                      "move it there");
  if (const TomlEntry* repeat = source.root.find("repeat"))
    for (const auto& item : repeat->value.items) check_repeat(item);
}

void ModelReader::read_header(const Source& main) {
  TableReader keys(main.root, faults_);
  if (const Field f = keys.take("title")) model_.title = environment_.text(f).value_or("");
  if (const Field f = keys.take("space")) {
    const auto space = environment_.text(f);
    if (space && *space == "spatial") {
      model_.space = Space::spatial;
      environment_.point_size = 3;
    } else if (space && *space != "planar") {
      faults_.error("model.bad-value",
                    f.where(),
                    fmt::format("space = \"{}\"", *space),
                    "\"planar\" or \"spatial\"");
    }
  }
  if (const Field f = keys.take("gravity")) {
    if (f.node->kind != TomlNode::Kind::array)
      environment_.wrong_type(f,
                              expected_numbers(static_cast<std::size_t>(environment_.point_size)),
                              environment_.point_size == 2
                                  ? "gravity is a vector: gravity = [0, \"-9.81 m/s^2\"]"
                                  : "gravity is a vector: gravity = [0, 0, \"-9.81 m/s^2\"]");
    else
      model_.gravity = environment_.point(f, dimension::acceleration).value_or(Triple{});
  }
  if (const Field f = keys.take("ground")) {
    const Faults::Subject subject(faults_, "ground", "");
    if (f.node->kind != TomlNode::Kind::table)
      return environment_.wrong_type(f, "a table, [ground]");
    TableReader table(*f.node, faults_);
    model_.ground_shapes = read_shapes(table);
    table.finish({"shape"}, "[ground]");
  }
}

const std::string* ModelReader::given_text(const fs::path& path) const {
  if (options_.files.empty()) return nullptr;
  const std::string place = place_below(root_, path);
  const auto found = std::find_if(options_.files.begin(),
                                  options_.files.end(),
                                  [&](const auto& file) { return file.first == place; });
  return found == options_.files.end() ? nullptr : &found->second;
}

Result<fs::path> ModelReader::place_of(const fs::path& folder,
                                       const std::string& name,
                                       const SourcePos& where) const {
  if (given_text(folder / name) != nullptr) return folder / name;
  return path_inside(root_, folder, name, where);
}

Result<TextFile> ModelReader::open(const fs::path& path, const SourcePos& where) const {
  if (const std::string* text = given_text(path)) return TextFile{path, path.string(), *text};
  return read_text_file(path, where);
}

const TextFile* ModelReader::named_file(const Field& f, const std::string& name) {
  const fs::path folder = folder_of(*f.node);
  const std::string key = (folder / name).string();
  if (const auto found = reading_.tables.find(key); found != reading_.tables.end())
    return &found->second;
  const auto path = place_of(folder, name, f.where());
  if (!path) return faults_.add(path.why()), nullptr;
  auto file = open(path.value(), f.where());
  if (!file) return faults_.add(file.why()), nullptr;
  if (reading_.closed) return &opened_.emplace_back(std::move(file).value());
  return &reading_.tables.emplace(key, std::move(file).value()).first->second;
}

void ModelReader::read_parameters(std::span<const ParameterValue> values) {
  for (const auto& source : sources_) {
    const TomlEntry* entry = source.root.find("parameters");
    if (entry == nullptr) continue;
    if (entry->value.kind != TomlNode::Kind::table) {
      environment_.wrong_type({"parameters", &entry->value}, "a table, [parameters]");
      continue;
    }
    for (const auto& p : entry->value.entries) {
      const Faults::Subject subject(faults_, "parameter", p.key);
      const bool header =
          (p.key == "gravity" && p.value.kind == TomlNode::Kind::array) ||
          ((p.key == "title" || p.key == "space") && p.value.kind == TomlNode::Kind::text);
      if (header)
        faults_.error("model.bad-name",
                      p.where,
                      fmt::format("a parameter called '{}'", p.key),
                      fmt::format("{} before the first section of the file", p.key),
                      "move this line to the top: what follows a [section] belongs to it");
      else if (!is_identifier(p.key) || p.key == "t" || p.key == "pi")
        faults_.error("model.bad-name",
                      p.where,
                      fmt::format("a parameter called '{}'", p.key),
                      "a name of letters, digits and _, other than t and pi",
                      p.key == "t"    ? "t is the time"
                      : p.key == "pi" ? "pi is known already"
                                      : name_hint(p.key));
      else if (environment_.has_parameter(p.key))
        faults_.error("model.duplicate-name",
                      p.where,
                      fmt::format("a second parameter '{}'", p.key),
                      "each name once");
      else
        environment_.add_parameter(p.key, p.value);
    }
  }
  std::vector<std::string> names;
  for (const auto& [name, value] : environment_.parameters()) names.push_back(name);
  for (const auto& [name, formula] : options_.set) {
    if (environment_.has_parameter(name)) {
      environment_.override_parameter(name, formula);
      continue;
    }
    const std::string near = nearest_name(name, names);
    faults_.error("usage.unknown-parameter",
                  {std::make_shared<const std::string>("--set")},
                  fmt::format("the unknown parameter '{}'", name),
                  "a name from [parameters]",
                  !near.empty()   ? fmt::format("did you mean '{}'?", near)
                  : names.empty() ? "the model has no parameters"
                  : names.size() <= most_listed
                      ? fmt::format("there are {}", fmt::join(names, ", "))
                      : "`cardan parameters MODEL` lists them");
  }
  for (const auto& [name, value] : values) {
    if (!environment_.has_parameter(name))
      faults_.error("usage.unknown-parameter",
                    {},
                    fmt::format("the unknown parameter '{}'", name),
                    "a name from [parameters]");
    else if (!std::isfinite(value))
      faults_.error("model.not-finite", {}, fmt::format("{} = {}", name, value), "a finite value");
    else
      environment_.override_parameter(name, value);
  }
}

void ModelReader::read_assembly(const Source& main) {
  const TomlEntry* entry = main.root.find("assembly");
  if (entry == nullptr) return;
  const Faults::Subject subject(faults_, "assembly", "");
  if (entry->value.kind != TomlNode::Kind::table)
    return environment_.wrong_type({"assembly", &entry->value}, "a table, [assembly]");
  TableReader keys(entry->value, faults_);
  if (const Field f = keys.take("branch")) read_branch(f);
  if (const Field f = keys.take("time")) {
    starts_at_ = true;
    model_.start_time = environment_.number(f, dimension::time).value_or(0);
  }
  keys.finish(key_names(find_section("assembly")->keys), "[assembly]");
}

void ModelReader::read_branch(const Field& f) {
  BranchChoice choice;
  choice.where = f.where();
  if (f.node->kind != TomlNode::Kind::text) {
    const auto number = environment_.integer(f, Range::positive, 1'000'000);
    if (!number) return;
    choice.number = static_cast<int>(*number);
    model_.branch = std::move(choice);
    return;
  }
  choice.text = environment_.expanded(f.node->text, f.where());
  Element reads;
  const auto variables =
      formula_variables(*find_type(Kind::request, "expression", model_.space), {f}, reads);
  const auto condition = environment_.formula(f, std::nullopt, variables);
  if (!condition) return;
  if (reads.inputs.empty())
    return faults_.error("model.bad-value",
                         f.where(),
                         fmt::format("branch = \"{}\", which names no request", choice.text),
                         "a condition over requests, such as \"coupler_y > 0\"",
                         "add a [[request]] for what tells the branches apart");
  choice.condition = *condition;
  choice.inputs = std::move(reads.inputs);
  model_.branch = std::move(choice);
}

void ModelReader::read_output(const Source& main) {
  const TomlEntry* entry = main.root.find("output");
  if (entry == nullptr) return;
  const Faults::Subject subject(faults_, "output", "");
  if (entry->value.kind != TomlNode::Kind::table)
    return environment_.wrong_type({"output", &entry->value}, "a table, [output]");
  TableReader keys(entry->value, faults_);
  if (const Field f = keys.take("channels"))
    model_.output_channels = environment_.names(f).value_or(std::vector<std::string>{});
  if (const Field f = keys.take("multipliers"))
    model_.output_multipliers = environment_.boolean(f).value_or(false);
  if (const Field f = keys.take("residuals"))
    model_.output_residuals = environment_.boolean(f).value_or(false);
  if (const Field f = keys.take("step")) {
    const double step = environment_.number(f, dimension::time, Range::positive).value_or(0);
    for (auto& analysis : model_.analyses)
      if (const OptionField* option = analysis_type(analysis).field("output_step");
          option != nullptr && std::get<double>(option->get(analysis)) == 0)
        option->set(analysis, step, f.where());
  }
  const AskedOutput asked = read_asked_output(keys, faults_);
  if (asked.animation) check_animation(*asked.animation, entry->value);
  store_for(asked);
  keys.finish(key_names(find_section("output")->keys), "[output]");
}

// What is asked to be seen is stored, also where only some channels are.
void ModelReader::store_for(const AskedOutput& asked) {
  std::vector<std::string>& stored = model_.output_channels;
  std::vector<std::string> more = asked.patterns();
  const bool planar = model_.space == Space::planar && !options_.spatial;
  const auto pose = planar ? std::vector{".x", ".y", ".angle"}
                           : std::vector{".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"};
  if (asked.animation && !stored.empty())
    for (const Body& body : model_.bodies)
      for (const char* part : pose) more.push_back(body.name + part);
  if (more.empty()) return;
  if (stored.empty()) stored.emplace_back("*");
  stored.insert(stored.end(), more.begin(), more.end());
}

void ModelReader::check_animation(const AskedAnimation& asked, const TomlNode& output) {
  const SourcePos& where = output.find("animation")->where;
  if (model_.bodies.empty())
    return faults_.error("model.bad-value",
                         where,
                         "an animation of a model without bodies",
                         "bodies to draw",
                         "ask for plots of the coordinates");
  if (asked.follow.empty() || model_.find_body(asked.follow) >= 0) return;
  std::vector<std::string> names;
  for (const Body& body : model_.bodies) names.push_back(body.name);
  faults_.error("model.unknown-name",
                where,
                fmt::format("follow = \"{}\"", asked.follow),
                "a body of the model",
                nearest_name(asked.follow, names));
}

void ModelReader::read_gravity_note() {
  const TomlNode& root = sources_.back().root;
  const bool weighs = std::any_of(
      model_.bodies.begin(), model_.bodies.end(), [](const Body& b) { return b.mass > 0; });
  if (weighs && root.find("gravity") == nullptr)
    faults_.note(
        "model.no-gravity",
        {root.where.file},
        "bodies with mass, but no gravity",
        "",
        model_.space == Space::planar
            ? "write gravity = [0, \"-9.81 m/s^2\"], or gravity = [0, 0] when there is none"
            : "write gravity = [0, 0, \"-9.81 m/s^2\"], or gravity = [0, 0, 0] when there "
              "is none");
}

}  // namespace cardan
