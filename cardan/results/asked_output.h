#pragma once
// What a model asks to see of its run, [output] tables, plots and animation: made from the rows when the
// run has ended, and shown first in the report.
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace cardan {

struct AskedTable {
  std::string name;                   // of its file
  std::vector<std::string> channels;  // patterns
  std::vector<double> times;          // rows nearest to these; empty: see rows
  int rows = 0;                       // so many, evenly spread; 0 without times: extremes
  int digits = 7;
  std::string format = "csv";  // or text, markdown: of the file

  std::string file() const;
};

struct AskedPlot {
  std::string name;                   // of its file
  std::string title;                  // empty: that of the run
  std::vector<std::string> channels;  // patterns
  std::string x;                      // a channel; empty: time
  bool log = false, equal = false;    // the y axis; one unit as long in x as in y

  std::string file() const { return name + ".svg"; }
};

struct AskedAnimation {
  double seconds = 0;         // that it lasts; 0: as the motion does, or eight seconds
  std::string follow;         // a body that stays in the middle
  std::string view = "free";  // or front, side, top
  bool traces = false, arrows = false, names = false;
};

struct AskedOutput {
  std::vector<AskedTable> tables;
  std::vector<AskedPlot> plots;
  std::optional<AskedAnimation> animation;

  bool any() const { return !tables.empty() || !plots.empty() || animation; }

  std::vector<std::string> patterns() const;  // of all channels it needs, without poses of bodies
  std::vector<std::string> files() const;     // in the folder of the run
};

inline constexpr const char* asked_folder = "output";  // in that of the run
inline constexpr const char* animation_name = "animation.svg";
inline constexpr const char* asked_key = "output";  // of the manifest

nlohmann::ordered_json to_json(const AskedOutput&);
AskedOutput asked_output_from_json(const nlohmann::ordered_json&);  // what is not there is as above

}  // namespace cardan
