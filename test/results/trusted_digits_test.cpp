#include "cardan/results/trusted_digits.h"

#include "cardan/report/report_table.h"
#include "test/results/support.h"

namespace cardan::test {
namespace {

TEST(TrustedDigits, TheLastDigitIsNoFinerThanTheError) {
  EXPECT_EQ(trusted_text(3.14159265, 2e-4, 7, false), "3.142");
  EXPECT_EQ(trusted_text(3.14159265, 1e-12, 7, false), "3.141593");
  EXPECT_EQ(trusted_text(-0.5, 3e-4, 7, false), "-0.500");
  EXPECT_EQ(trusted_text(12345.6, 30, 7, false), "1.23e+04");
  EXPECT_EQ(trusted_text(99.96, 0.06, 7, false), "100.0");
  EXPECT_EQ(trusted_text(100, 0.9, 7, false), "100");
}

TEST(TrustedDigits, ZeroWithinItsError) {
  EXPECT_EQ(trusted_text(1e-9, 2e-8, 7, false), "±2e-08");
  EXPECT_EQ(trusted_text(1e-9, 2e-8, 7, true), "0");
  EXPECT_EQ(trusted_text(0.7, 0.9, 7, false), "1");
}

TEST(TrustedDigits, AreWhatTablesOfARunWithEstimatesHave) {
  const Folder folder;
  auto writer = value_of(RunWriter::create(folder / "run.db", {}));
  ASSERT_FALSE(writer->open(three_channels));
  ASSERT_FALSE(write_rows(*writer, 0, 101, 10));
  ASSERT_FALSE(writer->keep());
  {
    const auto while_open = value_of(RunReader::open(folder.path()));
    EXPECT_EQ(count_right_rows(while_open), 101);  // also what came after the last checkpoint
    EXPECT_FALSE(while_open.has_estimate(0));
  }
  for (int i = 0; i < 101; ++i)
    ASSERT_FALSE(writer->estimate(
        0, std::vector<double>{1e-3, 1e-3 * i, std::numeric_limits<double>::quiet_NaN()}));
  ASSERT_FALSE(writer->close());
  const auto run = value_of(RunReader::open(folder.path()));
  ASSERT_TRUE(run.has_estimate(0));
  EXPECT_EQ(value_of(run.estimates(0, std::vector<int>{1}))[0][42], 1e-3 * 42);
  TableOptions options;
  options.times = {0.042};
  const std::string text = value_of(channel_table(run, 0, {0, 2}, options));
  EXPECT_NE(text.find(" -0.872 "), std::string::npos) << text;    // sin(4.2) = -0.87157577
  EXPECT_NE(text.find("-0.0830894"), std::string::npos) << text;  // sin(6.2): no estimate
  options.trusted = false;
  EXPECT_NE(value_of(channel_table(run, 0, {0}, options)).find("-0.8715758"), std::string::npos);
  EXPECT_NE(value_of(channel_table(run, 0, {1}, {})).find("0.1\n"), std::string::npos);
}

TEST(TrustedDigits, EstimatesAreDroppedWhenARunGoesOn) {
  const Folder folder;
  auto writer = value_of(RunWriter::create(folder / "run.db", {}));
  ASSERT_FALSE(writer->open(three_channels));
  ASSERT_FALSE(write_rows(*writer, 0, 25, 10));
  for (int i = 0; i < 25; ++i) ASSERT_FALSE(writer->estimate(0, std::vector<double>{1, 1, 1}));
  ASSERT_FALSE(writer->close());
  writer = value_of(RunWriter::append(folder / "run.db"));
  ASSERT_FALSE(writer->open(three_channels));
  ASSERT_FALSE(write_rows(*writer, 20, 30, 10));
  ASSERT_FALSE(writer->close());
  const auto run = value_of(RunReader::open(folder.path()));
  EXPECT_EQ(count_right_rows(run), 30);
  EXPECT_FALSE(run.has_estimate(0));
}

}  // namespace
}  // namespace cardan::test
