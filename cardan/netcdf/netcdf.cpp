#include "cardan/netcdf/netcdf.h"

#include <nlohmann/json.hpp>

#include "cardan/report/report_document.h"
#include "cardan/results/faults.h"
#include "cardan/results/output_file.h"

#ifdef CARDAN_HAS_HDF5
#include <hdf5.h>
#include <hdf5_hl.h>
#endif

namespace cardan {

#ifndef CARDAN_HAS_HDF5

bool can_export_netcdf() {
  return false;
}

Sink::Fault export_netcdf(const RunReader&,
                          const std::vector<std::string>&,
                          const std::filesystem::path& path) {
  return write_fault(path, "this program was built without HDF5 (libhdf5-dev)");
}

#else

namespace {

// An HDF5 handle that closes itself; negative: something failed.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle(hid_t id, Close close) : id_(id), close_(close) {}

  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  ~Handle() {
    if (id_ >= 0) close_(id_);
  }

  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor)

  bool good() const { return id_ >= 0; }

 private:
  hid_t id_;
  Close close_;
};

bool put_text(hid_t object, const char* name, const std::string& text) {
  if (text.empty()) return true;
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, text.size());
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute.good() && H5Awrite(attribute, type, text.data()) >= 0;
}

// A name that netCDF allows: no slash, nothing at the ends that is a space.
std::string legal_name(std::string name) {
  for (char& c : name)
    if (c == '/') c = '|';
  while (!name.empty() && name.back() == ' ') name.pop_back();
  return name.empty() ? "unnamed" : name;
}

// Created in order, and without the time of day: the same run is the same file.
Handle tracked(hid_t kind) {
  const hid_t list = H5Pcreate(kind);
  H5Pset_obj_track_times(list, 0);
  if (kind == H5P_DATASET_CREATE)
    H5Pset_attr_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  else
    H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  return {list, H5Pclose};
}

hid_t new_variable(hid_t group, const std::string& name, const std::vector<double>& values) {
  const hsize_t size = values.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Handle list = tracked(H5P_DATASET_CREATE);
  if (size > 0) {
    const hsize_t chunk = std::min<hsize_t>(size, 16384);
    H5Pset_chunk(list, 1, &chunk);
    H5Pset_shuffle(list);
    H5Pset_deflate(list, 4);
  }
  const hid_t set =
      H5Dcreate2(group, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
  if (set >= 0 && size > 0 &&
      H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    H5Dclose(set);
    return -1;
  }
  return set;
}

bool put_segment(hid_t group,
                 const Segment& segment,
                 const std::vector<int>& chosen,
                 const Columns& columns,
                 int dimension) {
  const Handle time(new_variable(group, "time", columns.t), H5Dclose);
  if (!time.good() || H5DSset_scale(time, "time") < 0) return false;
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle id(
      H5Acreate2(time, "_Netcdf4Dimid", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  bool good = H5Awrite(id, H5T_NATIVE_INT, &dimension) >= 0 && put_text(time, "units", "s") &&
              put_text(time, "long_name", "time");
  for (std::size_t k = 0; good && k < chosen.size(); ++k) {
    const Channel& channel = segment.channels[static_cast<std::size_t>(chosen[k])];
    std::string name = legal_name(channel.name);
    if (name == "time") name = "channel time";
    const Handle variable(new_variable(group, name, columns.values[k]), H5Dclose);
    good = variable.good() && H5DSattach_scale(variable, time, 0) >= 0 &&
           put_text(variable, "units", channel.unit.empty() ? "1" : channel.unit) &&
           put_text(variable, "long_name", channel.name) &&
           put_text(variable, "element", channel.element) &&
           put_text(variable, "quantity", channel.quantity);
  }
  return good;
}

Sink::Fault fill(hid_t file,
                 const RunReader& run,
                 const std::vector<std::string>& channels,
                 const std::filesystem::path& path) {
  const auto failed = [&] {
    return write_fault(path, "HDF5 could not write it; is the disk full?");
  };
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  const std::string properties = "version=2,hdf5=" + std::to_string(major) + "." +
                                 std::to_string(minor) + "." + std::to_string(release);
  if (!put_text(file, "_NCProperties", properties) || !put_text(file, "title", run_title(run)) ||
      !put_text(file, "source", "cardan"))
    return failed();
  const auto& segments = run.segments();
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const auto chosen = select_channels(segments[s].channels, channels);
    if (!chosen) return chosen.why().front();
    const auto columns = run.read(static_cast<int>(s), chosen.value());
    if (!columns) return columns.why().front();
    if (segments.size() == 1) {
      if (!put_segment(file, segments[s], chosen.value(), columns.value(), 0)) return failed();
      continue;
    }
    const Handle list = tracked(H5P_GROUP_CREATE);
    const Handle group(
        H5Gcreate2(
            file, ("analysis" + std::to_string(s + 1)).c_str(), H5P_DEFAULT, list, H5P_DEFAULT),
        H5Gclose);
    if (!group.good() ||
        !put_segment(group, segments[s], chosen.value(), columns.value(), static_cast<int>(s)))
      return failed();
  }
  return H5Fflush(file, H5F_SCOPE_GLOBAL) < 0 ? failed() : Sink::Fault();
}

}  // namespace

bool can_export_netcdf() {
  return true;
}

Sink::Fault export_netcdf(const RunReader& run,
                          const std::vector<std::string>& channels,
                          const std::filesystem::path& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // faults are told by us
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    return write_fault(path, "this is not a plain file");
  const auto made = new_part(path);
  if (!made) return made.why().front();
  const std::filesystem::path& part = made.value();
  Sink::Fault fault;
  {
    const Handle list = tracked(H5P_FILE_CREATE);
    const Handle file(H5Fcreate(part.c_str(), H5F_ACC_TRUNC, list, H5P_DEFAULT), H5Fclose);
    fault = file.good() ? fill(file, run, channels, path)
                        : write_fault(path, "the file cannot be made");
  }
  if (!fault) std::filesystem::rename(part, path, error);
  if (error) fault = write_fault(path, error.message());
  if (fault) std::filesystem::remove(part, error);
  return fault;
}

#endif

}  // namespace cardan
