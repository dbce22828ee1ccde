// cardan-netcdf RUN FILE [CHANNEL...]: the part of `cardan export --netcdf` that needs HDF5
// (part.h).
#include "cardan/netcdf/netcdf.h"
#include "guard.h"

namespace cardan::app {

namespace {

int write(const std::string& run,
          const std::string& file,
          const std::vector<std::string>& channels,
          const Console& console) {
  const auto reader = RunReader::open(run);
  if (!reader) return console.fail(reader.why());
  const auto fault = export_netcdf(reader.value(), channels, file);
  return fault ? console.fail(*fault) : 0;
}

}  // namespace

}  // namespace cardan::app

int main(int argc, char** argv) {
  using namespace cardan::app;
  const Console console;
  if (argc < 3)
    return console.fail(usage_fault(
        "usage.bad-option", "cardan-netcdf is a part of Cardan", "use cardan export RUN --netcdf"));
  return guarded(console, [&] {
    return write(argv[1], argv[2], {argv + 3, argv + argc}, console);
  });
}
