#pragma once
// Inside of the model reader: one object that reads a forest of TOML trees into a Model, section by
// section.
#include <functional>
#include <list>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cardan/io/environment.h"
#include "cardan/io/files.h"
#include "cardan/io/orientation_reader.h"
#include "cardan/io/read_model.h"
#include "cardan/io/side_reader.h"
#include "cardan/io/table_reader.h"
#include "cardan/math/curve.h"
#include "cardan/model/analysis_type.h"
#include "cardan/model/own_equations.h"

namespace cardan {

struct AskedAnimation;
struct AskedOutput;

namespace limits {
inline constexpr long elements = 1'000'000;  // of one kind; copies of repeated parts too
inline constexpr std::size_t included_files = 100;
}  // namespace limits

// Names of one kind, each once.
class NameTable {
 public:
  // Index, or negative when unknown.
  int find(const std::string& name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? -1 : found->second;
  }

  bool add(const std::string& name, int index) { return index_.emplace(name, index).second; }

  std::string nearest(const std::string& name) const;

  void note_twice(const std::string& name) { twice_ = name; }

  const std::string& twice() const { return twice_; }  // a name that was given to two; empty: none

 private:
  std::unordered_map<std::string, int> index_;
  std::string twice_;
};

struct ModelFileTree {  // one file
  std::filesystem::path folder, path;
  TomlNode root;
  bool main = false;
};

// What is kept of a model file to evaluate it again: trees, tables and formulas.
struct Reading {
  ReadOptions options;
  std::filesystem::path root;                                 // folder of the model
  std::string path, text;                                     // of the main file
  std::list<ModelFileTree> sources;                           // included ones first
  std::vector<std::pair<std::string, std::string>> included;  // name and text of their files
  std::map<std::string, TextFile> tables;                     // other files, by folder and name
  FormulaMemo formulas;
  bool closed = false;  // it is complete
};

class ModelReader {
 public:
  explicit ModelReader(Reading& reading)
      : reading_(reading),
        options_(reading.options),
        environment_(faults_, reading.formulas),
        sources_(reading.sources),
        root_(reading.root) {}

  // The first time: parses the files, and keeps in the reading what is needed later.
  Result<Model> run(TextFile file, const std::filesystem::path& folder);

  // Later: with other values of parameters.
  Result<Model> run_again(std::span<const ParameterValue>);

  const std::vector<ParameterInfo>& parameters() const { return parameters_; }

 private:
  using Source = ModelFileTree;

  Result<Model> read_sections(std::span<const ParameterValue>);

  // Files and sections (read_model.cpp).
  bool load(TextFile file, const std::filesystem::path& folder, bool main);
  void include(Source&);
  void check_keys(const Source&);
  void read_header(const Source&);
  void read_parameters(std::span<const ParameterValue>);
  // A file named in one of `folder`: where it is, and its text, unless both were given.
  Result<std::filesystem::path> place_of(const std::filesystem::path& folder,
                                         const std::string& name,
                                         const SourcePos&) const;
  Result<TextFile> open(const std::filesystem::path&, const SourcePos&) const;
  const std::string* given_text(const std::filesystem::path&) const;
  // A table or mesh named in the model; null: reported.
  const TextFile* named_file(const Field&, const std::string& name);
  void read_assembly(const Source&);
  void read_branch(const Field&);
  void read_output(const Source&);
  void store_for(const AskedOutput&);
  void check_animation(const AskedAnimation&, const TomlNode& output);
  void read_gravity_note();

  // Lists of tables, repeated ones included (repetition.cpp).
  using ReadTable = std::function<void(const TomlNode&)>;
  void for_each(std::string_view key, const ReadTable& read);
  void read_list(const TomlNode& table, std::string_view key, const ReadTable& read);
  void read_repeats(const TomlNode& table, std::string_view key, const ReadTable& read, int depth);
  void read_repeat(const TomlNode& repeat, std::string_view key, const ReadTable& read, int depth);
  void check_repeat(const TomlNode& repeat);
  bool spend_one(const SourcePos& where);  // false: too many elements

  // Names.
  static std::string written_name(const TableReader&);
  std::string read_name(
      TableReader&, const char* kind, NameTable&, int index, std::string otherwise);
  int body_index(const std::string& name, const SourcePos& where);  // unknown: reported, ground
  const Marker* find_marker(const std::string& name, const SourcePos& where);
  void unknown_name(const char* kind,
                    const std::string& name,
                    const SourcePos& where,
                    const NameTable&);

  // Bodies and markers (read_bodies.cpp, read_shapes.cpp).
  void read_body(const TomlNode&);
  void read_frame(TableReader&, Body&, double& length, double& width);
  void read_mass(TableReader&, Body&, double length, double width, bool sound);
  void read_fixed(TableReader&, const Body&, int index);
  std::vector<Shape> read_shapes(TableReader&);
  std::optional<Shape> read_shape(const TomlNode&);
  void read_marker(const TomlNode&);

  // The same in space (read_spatial_bodies.cpp, read_spatial_shapes.cpp, read_mesh.cpp).
  void read_spatial_body(TableReader&, Body&, int index);
  void read_spatial_frame(TableReader&, Body&, double& length, double& width);
  void read_spatial_velocity(TableReader&, Body&);
  void read_spatial_mass(TableReader&, Body&, double length, double width, bool sound);
  Mat<3, 3> read_tensor(const Field&);
  void read_spatial_fixed(TableReader&, const Body&, int index);
  void read_spatial_marker(TableReader&, Marker&);
  std::optional<Shape> read_spatial_shape(const TomlNode&);
  static std::vector<double> lengths_of_one(std::size_t count);
  bool read_line(TableReader&, Shape&);
  void read_mesh(TableReader&, const Field&, Shape&);

  // Elements (read_elements.cpp, read_settings.cpp, read_initial.cpp).
  void read_element(Kind, const TomlNode&);
  void read_request(TableReader&, Element&);
  void read_coupler(const TableReader&, Element&);
  // A formula of requests and t, into the setting `key`; none: reported.
  std::optional<Expression> read_relation(const Field&, std::string_view key, Element&);
  void read_relation_joints();
  const ElementType* element_type(Kind, TableReader&, const Element* joint);
  const Element* named_joint(TableReader&);
  const std::vector<JointCoordinate>& coordinates_of(const Element& joint) const;
  void read_settings(TableReader&, const ElementType&, Element&);
  void read_setting(const Field&, const KeySpec&, const ElementType&, Element&);
  void read_formulas(TableReader&, const ElementType&, Element&);
  std::vector<Scope::Variable> formula_variables(const ElementType&,
                                                 const std::vector<Field>&,
                                                 Element&);

  struct Input {
    int request;
    std::optional<Dimension> dimension;  // none: the request is at fault itself
  };

  std::optional<Input> find_input(const std::string& name);
  void ask_about_bar_shape(const Field&, const Body&, double length);
  void refuse_result(const std::string& name, const Field&);
  void refuse_ambiguous(const std::string& name, const std::vector<Scope::Variable>&, const Field&);
  Dimension unit_of_request(const Element&, const Expression&, const Field&);
  void read_request_formula(std::size_t index);
  bool read_result_formula(std::size_t index, const Field&, Element& request);
  bool reads_results(const std::string& request) const;
  void note_formula(const Field&, std::string setting, Element&);
  FunctionPtr read_motion(const Field&,
                          Dimension,
                          std::string_view variable,
                          Dimension of_variable);
  void read_curve_setting(const Field&, std::string_view key, Element&);
  void read_initial(const TomlNode&);
  bool read_joint_initial(TableReader&, const TomlNode&, Element&);
  void read_point_initial(TableReader&, Element&);
  void read_formula_initial(TableReader&, Element);
  void read_turn_initial(TableReader&, const Element&);  // read_spatial_initial.cpp
  void add_initial_orientation(Element, const Quad&);
  void add_initial_turning(Element, const Triple& omega, bool in_body);
  void add_initial(Element element, Measure, const Field& value, const Field& rate);
  std::vector<Element>& list_of(Kind);

  // States and inputs (read_states.cpp). Their names are read before requests, rates after them.
  void read_state(const TomlNode&);
  void read_state_rate(std::size_t index);
  void read_input(const TomlNode&);
  std::string read_signal_name(TableReader&, const char* kind, NameTable&, int index);
  // Unit and number of a state or input; without a dimension the fault has been reported.
  std::optional<Dimension> read_quantity(const Field& unit,
                                         const Field& number,
                                         std::string& unit_text,
                                         double& value);
  std::optional<Dimension> read_unit(const Field&);
  void check_signal_names();

  // Equations of one's own (read_equations.cpp): coordinates before requests, which they are the
  // first of; formulas behind them.
  void read_coordinate(const TomlNode&);
  void read_equations();
  void read_energies(TableReader&, OwnEquations&);
  void read_mass_matrix(const Field&, OwnEquations&);
  void read_coordinate_forces(const Field&, OwnEquations&);
  void read_constraint(const TomlNode&, OwnEquations&);
  std::optional<CoordinateFormula> read_coordinate_formula(const Field&, std::optional<Dimension>);
  // No coordinate has a unit: then rates and the time have none either, and any formula fits.
  bool without_units() const;
  Dimension rate_of(Dimension) const;
  bool refuse_rates(const CoordinateFormula&, const Field&, const char* what);
  void refuse_bodies();

  // Blocks (read_blocks.cpp), written out as states and requests.
  friend class BlockWriter;
  void read_block(const TomlNode&);

  // Curves (read_curves.cpp, read_csv.cpp).
  void read_curves();
  Curve read_curve(const std::string& name, const TomlNode&);
  FunctionPtr read_function(TableReader&, const CurveSpec&);
  FunctionPtr read_rise(TableReader&, const CurveSpec&);
  FunctionPtr read_spline(TableReader&, const CurveSpec&);
  FunctionPtr read_smoothing(const Field& smoothing,
                             const Field& place,
                             const std::vector<double>& x,
                             const std::vector<double>& y,
                             Outside);
  PlanarCurvePtr read_planar_curve(TableReader&, const CurveSpec&);
  SpaceCurvePtr read_space_curve(TableReader&, const CurveSpec&);  // read_space_curves.cpp
  // Points of so many coordinates.
  std::vector<Triple> read_curve_points(TableReader&,
                                        std::string_view key,
                                        std::size_t columns = 2);
  // columns: words of the first line or numbers; empty: as many as there are factors.
  std::vector<Triple> read_csv(const Field& file,
                               const std::vector<double>& factors,
                               const Field& columns);
  std::vector<double> column_factors(const Field& units, std::size_t columns);
  std::filesystem::path folder_of(const TomlNode&) const;  // of the file it stands in
  std::optional<double> free_number(const Field&);         // of any dimension
  std::optional<std::vector<double>> free_numbers(const Field&,
                                                  std::size_t least,
                                                  std::size_t most);
  double curve_number(TableReader&, const char* key, std::optional<double> otherwise);

  // Analyses (read_analyses.cpp).
  void read_analysis(const TomlNode&);
  void read_integrator(const TomlNode& table, const AnalysisType&, Analysis&);
  std::optional<OptionValue> read_option(const Field&, const OptionField&);

  Reading& reading_;
  const ReadOptions& options_;
  Faults faults_;
  Environment environment_;
  Model model_;
  OrientationReader orientations_{environment_, faults_};
  SideReader sides_{
      model_,
      environment_,
      faults_,
      {[this](const auto& name, const auto& where) { return body_index(name, where); },
       [this](const auto& name, const auto& where) { return find_marker(name, where); },
       cut_short_}};
  std::list<Source>& sources_;  // included ones first
  std::filesystem::path& root_;
  std::vector<ParameterInfo> parameters_;
  std::list<TextFile> opened_;                     // tables that a closed reading does not have
  std::vector<std::filesystem::path> open_files_;  // being included, for cycles
  NameTable bodies_, markers_, joints_, drivers_, forces_, requests_, initial_names_,
      contacts_ /* and stops */, states_, inputs_, coordinates_, constraints_, no_names_;

  struct Pending {  // formula of a request, with the counters it was written under
    Field formula;
    std::vector<Environment::Index> indices;
  };

  std::vector<Pending> pending_;                                    // by request
  std::vector<std::pair<std::size_t, Pending>> pending_relations_;  // by joint
  std::vector<char> request_states_;                                // 0 new, 1 busy, 2 done
  std::vector<char> request_results_;                               // reads results of the run
  std::vector<std::optional<Dimension>> request_dimensions_, state_dimensions_, input_dimensions_;
  std::vector<OwnEquations::Coordinate> own_coordinates_;
  std::vector<Dimension> coordinate_dimensions_;
  std::vector<Pending> pending_rates_;                     // by state
  std::list<TomlNode> written_;                            // tables that blocks stand for
  std::vector<std::pair<std::string, SourcePos>> blocks_;  // names
  std::size_t included_ = 0;
  long spent_ = 0, copies_ = 1;  // elements read of one kind; copies by the repeats being read
  bool starts_at_ = false;       // [assembly] time is given
  bool cut_short_ = false;  // copies were left out after faults: what they would define is missing
};

}  // namespace cardan
