#pragma once
// Where an element sits: its two bodies, a point and directions on each. Inside of the model reader.
#include <functional>

#include "cardan/io/body_frames.h"
#include "cardan/io/environment.h"
#include "cardan/io/table_reader.h"
#include "cardan/model/catalogue.h"

namespace cardan {

// Who is meant by a name; unknown ones are reported.
struct NameLookup {
  std::function<int(const std::string&, const SourcePos&)> body;  // unknown: ground
  std::function<const Marker*(const std::string&, const SourcePos&)> marker;
  const bool& cut_short;  // copies were left out after faults: what they would define is missing
};

class SideReader {
 public:
  SideReader(const Model& model, Environment& environment, Faults& faults, NameLookup names)
      : model_(model),
        frames_(model),
        environment_(environment),
        faults_(faults),
        names_(std::move(names)) {}

  // False: the fault has been reported, and sides are as they were.
  bool read(TableReader&, const Geometry&, std::vector<Side>&);

 private:
  // What has been read so far.
  struct Ends {
    std::array<int, 2> body{ground, ground};
    bool one_sided = false;  // only the second body is named; the first is the ground
    bool by_markers = false;
    bool good = true;
    std::array<std::optional<Triple>, 2> point, axis, across;
  };

  bool read_ends(TableReader&, Ends&);
  void read_points(TableReader&, const Geometry&, Ends&);
  void read_at(const Field&, const Geometry&, Ends&);
  void complete_points(const TableReader&, const Geometry&, Ends&);
  void read_axes(TableReader&, const Geometry&, Ends&);

  // In space (side_reader_spatial.cpp).
  void read_spatial_axes(TableReader&, const Geometry&, Ends&);
  void read_across(TableReader&, Ends&);
  void complete_across(Ends&);
  void cross_axes(const TableReader&, Ends&);

  const Model& model_;
  BodyFrames frames_;
  Environment& environment_;
  Faults& faults_;
  NameLookup names_;
};

}  // namespace cardan
