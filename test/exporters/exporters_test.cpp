#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cardan/io/export_vtk.h"
#include "cardan/netcdf/netcdf.h"
#include "cardan/results/run_writer.h"
#include "test/results/support.h"

namespace cardan {
namespace {

using Json = nlohmann::ordered_json;

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

RunReader store(const test::Folder& folder, int rows, int analyses = 1) {
  const Json body{{"name", "crank"},
                  {"centre", {0.5, 0, 0}},
                  {"start", {0, 0, 0}},
                  {"pose", {"crank.x", "crank.y", "crank.angle"}},
                  {"shapes", Json::array()}};
  const Json joint{
      {"name", "pin"},
      {"sides",
       {{{"body", "ground"}, {"point", {0, 0, 0}}}, {{"body", "crank"}, {"point", {1, 0, 0}}}}}};
  auto writer = test::value_of(RunWriter::create(
      folder / "run.db",
      {{"scene", {{"title", "Crank"}, {"bodies", {body}}, {"joints", {joint}}}}}));
  for (int k = 0; k < analyses; ++k) {
    EXPECT_FALSE(writer->open(test::three_channels));
    EXPECT_FALSE(test::write_rows(*writer, 0, rows, 10));
  }
  EXPECT_FALSE(writer->close());
  return test::value_of(RunReader::open(folder.path()));
}

TEST(Netcdf, IsAnHdf5FileWithTheLayoutOfNetcdf4) {
  if (!can_export_netcdf()) GTEST_SKIP() << "built without HDF5";
  const test::Folder folder;
  const auto fault = export_netcdf(store(folder, 100), {}, folder / "run.nc");
  ASSERT_FALSE(fault) << to_text(*fault);
  const std::string bytes = content(folder / "run.nc");
  EXPECT_EQ(bytes.substr(1, 3), "HDF");
  for (const char* word : {"_NCProperties",
                           "DIMENSION_SCALE",
                           "_Netcdf4Dimid",
                           "DIMENSION_LIST",
                           "crank.x",
                           "long_name"})
    EXPECT_NE(bytes.find(word), std::string::npos) << word;
  EXPECT_FALSE(std::filesystem::exists(folder / "run.nc.part"));
}

TEST(Netcdf, SeveralAnalysesAreGroups) {
  if (!can_export_netcdf()) GTEST_SKIP() << "built without HDF5";
  const test::Folder folder;
  ASSERT_FALSE(export_netcdf(store(folder, 20, 2), {"crank.*"}, folder / "run.nc"));
  const std::string bytes = content(folder / "run.nc");
  EXPECT_NE(bytes.find("analysis2"), std::string::npos);
  EXPECT_EQ(bytes.find("main bearing"), std::string::npos);
}

TEST(Netcdf, TheSameRunIsTheSameFile) {
  if (!can_export_netcdf()) GTEST_SKIP() << "built without HDF5";
  const test::Folder folder;
  const auto run = store(folder, 20, 2);
  ASSERT_FALSE(export_netcdf(run, {}, folder / "first.nc"));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // HDF5 counts seconds
  ASSERT_FALSE(export_netcdf(run, {}, folder / "second.nc"));
  EXPECT_EQ(content(folder / "first.nc"), content(folder / "second.nc"));
}

TEST(Netcdf, SaysWhenItCannotWriteOrFindAChannel) {
  if (!can_export_netcdf()) GTEST_SKIP() << "built without HDF5";
  const test::Folder folder;
  const auto run = store(folder, 5);
  EXPECT_EQ(export_netcdf(run, {}, folder / "no/such/folder.nc")->id, "io.write");
  EXPECT_EQ(export_netcdf(run, {"nothing"}, folder / "run.nc")->id, "usage.unknown-channel");
  EXPECT_FALSE(std::filesystem::exists(folder / "run.nc"));
}

TEST(Vtk, FramesCarryTheStoredPositions) {
  const test::Folder folder;
  const auto run = store(folder, 50);
  ASSERT_FALSE(export_vtk(run, 0, folder / "vtk", 11));
  EXPECT_TRUE(std::filesystem::exists(folder / "vtk/frame000010.vtp"));
  EXPECT_FALSE(std::filesystem::exists(folder / "vtk/frame000011.vtp"));
  const auto row = test::row_values(49);
  const std::string last = content(folder / "vtk/frame000010.vtp");
  EXPECT_NE(last.find(fmt::format("{} {} 0\n", row[0] + 1, row[1])), std::string::npos) << last;
  EXPECT_NE(
      content(folder / "vtk/run.pvd").find(fmt::format("timestep=\"{}\"", test::row_time(49))),
      std::string::npos);
  EXPECT_EQ(export_vtk(run, 0, folder / "vtk", 11)->id, "io.exists");
}

}  // namespace
}  // namespace cardan
