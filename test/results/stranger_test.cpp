// Stores that were changed behind the program's back, by chance or by a stranger: refused, with
// nothing believed that is in them.
#include <sqlite3.h>
#include <sys/stat.h>

#include "cardan/results/csv_cell.h"
#include "cardan/results/database.h"
#include "cardan/results/hash.h"
#include "cardan/results/json.h"
#include "cardan/results/output_file.h"
#include "support.h"

namespace cardan::test {

namespace {

std::string text_in(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_store(const std::filesystem::path& path, std::int64_t rows = 6000) {
  auto writer = value_of(RunWriter::create(
      path,
      {{"model", {{"path", "m.toml"}, {"text", "x"}, {"sha256", "y"}}}, {"host", {{"a", 1}}}}));
  ASSERT_FALSE(writer->open(three_channels));
  ASSERT_FALSE(write_rows(*writer, 0, rows, 1000));
  ASSERT_FALSE(writer->event({0.5, "event", "", "engaged"}));
  Diagnostic d;
  d.id = "numeric.drift";
  ASSERT_FALSE(writer->diagnostic(d));
  ASSERT_FALSE(writer->keep());
  for (std::int64_t i = 0; i < rows; ++i) ASSERT_FALSE(writer->estimate(0, row_values(i + rows)));
  ASSERT_FALSE(writer->set("status", "complete"));
  ASSERT_FALSE(writer->close());
}

void change(const std::filesystem::path& path, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  char* words = nullptr;
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &words), SQLITE_OK)
      << sql << ": " << (words != nullptr ? words : "");
  sqlite3_free(words);
  sqlite3_close(db);
}

// What a reader says that looks at everything.
std::string verdict(const std::filesystem::path& path) {
  const auto reader = RunReader::open(path);
  if (!reader) return reader.why().front().id;
  for (int s = 0; s < static_cast<int>(reader.value().segments().size()); ++s) {
    const auto all = [](auto&&...) {
      return true;
    };
    if (const auto fault = reader.value().each_row(s, all)) return fault->id;
    if (reader.value().has_estimate(s))
      if (const auto fault = reader.value().each_estimate(s, all)) return fault->id;
  }
  if (const auto log = reader.value().log(); !log) return log.why().front().id;
  if (const auto manifest = reader.value().manifest(); !manifest) return manifest.why().front().id;
  if (const auto summary = reader.value().summary(); !summary) return summary.why().front().id;
  if (const auto last = reader.value().checkpoint(); !last) return last.why().front().id;
  return "";
}

class Stranger : public testing::Test {
 protected:
  Stranger() {
    write_store(path_);
    EXPECT_EQ(verdict(path_), "");
    std::filesystem::copy_file(path_, folder_ / "good");
  }

  // Of the good store after this change.
  std::string after(const std::string& sql) {
    std::filesystem::copy_file(
        folder_ / "good", path_, std::filesystem::copy_options::overwrite_existing);
    change(path_, sql);
    return verdict(path_);
  }

  // The seal does not help against who can make a new one.
  std::string after_in_old_format(const std::string& sql) {
    return after("DROP TABLE seal; PRAGMA user_version = 1;" + sql);
  }

  Folder folder_;
  std::filesystem::path path_ = folder_ / "run.db";
};

TEST_F(Stranger, RowsThatAreMissingAreNoticed) {
  for (const char* sql : {"DELETE FROM block WHERE number = (SELECT max(number) FROM block)",
                          "DELETE FROM block",
                          "DELETE FROM block WHERE number = 0",
                          "DELETE FROM estimate WHERE number = (SELECT max(number) FROM estimate)",
                          "DELETE FROM estimate",
                          "DELETE FROM analysis",
                          "DELETE FROM channel WHERE position = 2",
                          "DELETE FROM manifest",
                          "DELETE FROM manifest WHERE key = 'status'",
                          "DELETE FROM event",
                          "DELETE FROM diagnostic",
                          "DELETE FROM checkpoint",
                          "DELETE FROM seal"})
    EXPECT_EQ(after(sql), "corrupt.store") << sql;
}

TEST_F(Stranger, RowsThatAreChangedAreNoticed) {
  for (const char* sql :
       {"UPDATE manifest SET value = '\"failed\"' WHERE key = 'status'",
        "UPDATE manifest SET value = replace(value, 'x', 'z') WHERE key = 'model'",
        "INSERT INTO manifest VALUES('title', '\"another\"')",
        "INSERT INTO event VALUES(1, 0, 0.5, 'impact', 'rod', 'the rod broke')",
        "UPDATE event SET t = 0.25",
        "UPDATE diagnostic SET json = '{}'",
        "UPDATE block SET data = zeroblob(length(data)) WHERE number = 1",
        "UPDATE block SET checksum = checksum + 1 WHERE number = 1",
        "UPDATE estimate SET data = zeroblob(length(data))",
        "UPDATE analysis SET rows_per_block = 1",
        "UPDATE channel SET unit = 'mm' WHERE position = 0",
        "UPDATE checkpoint SET rows = 7",
        "UPDATE seal SET blocks = blocks - 1"})
    EXPECT_EQ(after(sql), "corrupt.store") << sql;
}

// Stores of the formats before the third have sums byte by byte, and a resumed run has both kinds.
TEST_F(Stranger, ChecksumsOfEarlierFormatsAreBelievedAndHold) {
  std::string sql;
  {
    Database database(path_, Database::Access::read);
    Statement rows(database, "SELECT number, analysis, first, rows, checksum, data FROM block");
    while (rows.row()) {
      const std::int64_t now =
          checksum(rows.blob(5), checksum({rows.integer(1), rows.integer(2), rows.integer(3)}));
      EXPECT_NE(now, rows.integer(4));
      sql += "UPDATE block SET checksum = " + std::to_string(now) +
             " WHERE number = " + std::to_string(rows.integer(0)) + ";";
    }
  }
  ASSERT_FALSE(sql.empty());
  EXPECT_EQ(after_in_old_format(sql), "");
  EXPECT_EQ(
      after_in_old_format(sql + "UPDATE block SET data = zeroblob(length(data)) WHERE number = 1"),
      "corrupt.store");
}

// Every bit of every byte, behind the last whole row of words too, and changes of two words that a product alone
// would not see.
TEST(Checksum, ByWordsSeesEveryChange) {
  std::vector<std::byte> data(77);
  for (std::size_t k = 0; k < data.size(); ++k) data[k] = static_cast<std::byte>(37 * k + 11);
  const std::int64_t right = checksum_by_words(data);
  for (std::size_t k = 0; k < data.size(); ++k)
    for (int bit = 0; bit < 8; ++bit) {
      auto other = data;
      other[k] ^= static_cast<std::byte>(1 << bit);
      EXPECT_NE(checksum_by_words(other), right) << k << ", " << bit;
    }
  auto signs = data;
  for (const std::size_t k : {7, 39}) signs[k] ^= std::byte{0x80};
  EXPECT_NE(checksum_by_words(signs), right);
  data.resize(76);
  EXPECT_NE(checksum_by_words(data), right);
  EXPECT_NE(checksum_by_words({}, 1), checksum_by_words({}, 2));
}

TEST_F(Stranger, SizesThatCannotBeAreRefused) {
  for (const char* sql : {"UPDATE block SET rows = 1152921504606846976 WHERE number = 1",
                          "UPDATE block SET rows = -7 WHERE number = 1",
                          "UPDATE block SET rows = 2305843009213693953, data = zeroblob(32) WHERE "
                          "number = 1",  // times four numbers of eight bytes: 32 when it goes round
                          "UPDATE block SET first = 9223372036854775807 WHERE number = 1",
                          "UPDATE estimate SET rows = 768614336404564651, data = zeroblob(8)",
                          "UPDATE analysis SET rows_per_block = 0",
                          "UPDATE analysis SET rows_per_block = -1",
                          "UPDATE analysis SET width = 0",
                          "UPDATE analysis SET width = 9223372036854775807"})
    EXPECT_EQ(after_in_old_format(sql), "corrupt.store") << sql;
}

TEST_F(Stranger, OnlyTheTablesOfARunStoreAreRead) {
  const std::string endless = "WITH RECURSIVE c(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM c) ";
  for (const std::string& sql :
       {"ALTER TABLE event RENAME TO e; CREATE VIEW event AS " + endless +
            "SELECT x AS number, 0 AS analysis, 0.0 AS t, '' AS kind, '' AS element, '' AS text "
            "FROM c",
        std::string("CREATE TRIGGER wipe AFTER INSERT ON manifest BEGIN UPDATE block SET data = "
                    "NULL; END"),
        std::string("CREATE TABLE other(x)"),
        std::string("CREATE INDEX i ON block(data)"),
        std::string("DROP TABLE diagnostic"),
        std::string("ALTER TABLE block ADD COLUMN more")}) {
    EXPECT_EQ(after(sql), "corrupt.store") << sql;
    EXPECT_EQ(after_in_old_format(sql), "corrupt.store") << sql;
    const auto writer = RunWriter::append(path_);
    ASSERT_FALSE(writer) << sql;
    EXPECT_EQ(writer.why().front().id, "corrupt.store") << sql;
  }
}

TEST_F(Stranger, TextsOfTheWrongKindAreRefused) {
  for (const char* value : {"'[1]'",
                            "'{\"path\": 7}'",
                            "'{'",
                            "printf('%.*c', 100000, '[') || printf('%.*c', 100000, ']')"})
    EXPECT_EQ(after_in_old_format(std::string("UPDATE manifest SET value = ") + value +
                                  " WHERE key = 'model'"),
              "corrupt.store")
        << value;
  EXPECT_EQ(after_in_old_format("UPDATE manifest SET value = '7' WHERE key = 'status'"),
            "corrupt.store");
  EXPECT_EQ(after_in_old_format("UPDATE diagnostic SET json = printf('%.*c', 100000, '[')"),
            "corrupt.store");
}

// A store of format 1 has no seal. It is read, and gets a seal when it goes on.
TEST_F(Stranger, StoresOfTheOldFormatAreRead) {
  EXPECT_EQ(after_in_old_format(""), "");
  {
    auto writer = value_of(RunWriter::append(path_));
    ASSERT_FALSE(writer->open(three_channels));
    ASSERT_FALSE(write_rows(*writer, 6000, 7000, 1000));
    ASSERT_FALSE(writer->close());
  }
  EXPECT_EQ(verdict(path_), "");
  EXPECT_EQ(count_right_rows(value_of(RunReader::open(path_))), 7000);
  change(path_, "DELETE FROM block WHERE number = (SELECT max(number) FROM block)");
  EXPECT_EQ(verdict(path_), "corrupt.store");
}

// What is continued must be what was stored: damage is not made good by storing it again.
TEST_F(Stranger, ADamagedRunDoesNotGoOn) {
  const std::string good = text_in(path_);
  for (const std::int64_t row : {10, 3000, 5999}) {
    const double value = row_values(row)[0];  // later ones come again in other rows
    const auto at = good.find(std::string(reinterpret_cast<const char*>(&value), sizeof value));
    ASSERT_NE(at, std::string::npos);
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bad;
    const auto writer = RunWriter::append(path_);
    ASSERT_FALSE(writer) << row;
    EXPECT_EQ(writer.why().front().id, "corrupt.store");
    EXPECT_EQ(text_in(path_), bad);
  }
}

TEST(Strangers, PipesAreNoStores) {
  const Folder folder;
  ASSERT_EQ(mkfifo((folder / "run.db").c_str(), 0666), 0);
  EXPECT_EQ(verdict(folder / "run.db"), "io.not-a-run");
  EXPECT_FALSE(RunWriter::append(folder / "run.db"));
}

TEST(OutputFiles, FollowNoLinksAndLeaveNothing) {
  const Folder folder;
  std::ofstream(folder / "victim") << "precious";
  std::filesystem::create_symlink(folder / "victim", folder / "report.html");
  std::filesystem::create_symlink(folder / "victim", folder / "report.html.part");
  ASSERT_FALSE(write_file(folder / "report.html", "new"));
  EXPECT_EQ(text_in(folder / "victim"), "precious");
  EXPECT_EQ(text_in(folder / "report.html"), "new");
  EXPECT_FALSE(std::filesystem::is_symlink(folder / "report.html"));
  {
    auto file = value_of(OutputFile::open(folder / "report.html"));
    file.stream() << "half";
  }
  EXPECT_EQ(text_in(folder / "report.html"), "new");
  EXPECT_TRUE(write_file(folder.path(), "x"));
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path()))
    ++files;
  EXPECT_EQ(files, 3);
}

TEST(OutputFiles, ReplaceNoPipesAndDevices) {
  const Folder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0666), 0);
  EXPECT_TRUE(write_file(folder / "pipe", "x"));  // nobody reads
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
  EXPECT_FALSE(write_file("/dev/null", "x"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const auto full = write_file("/dev/full", "x");
  ASSERT_TRUE(full);
  EXPECT_EQ(full->id, "io.write");
}

TEST(CsvCells, BeginNoFormula) {
  EXPECT_EQ(csv_cell("crank.x [m]"), "crank.x [m]");
  EXPECT_EQ(csv_cell("=cmd|' /C calc'!A1"), "'=cmd|' /C calc'!A1");
  EXPECT_EQ(csv_cell("+a, b"), "\"'+a, b\"");
  EXPECT_EQ(csv_cell("-a\"b"), "\"'-a\"\"b\"");
  EXPECT_EQ(csv_cell("@x"), "'@x");
  EXPECT_EQ(csv_cell("=1", true), "=1");
  EXPECT_EQ(csv_cell("-1.5", true), "-1.5");
}

TEST(Json, DepthIsLimited) {
  EXPECT_TRUE(parse_json("[[{\"a\": \"[[[[\"}]]"));
  EXPECT_FALSE(parse_json(std::string(200, '[') + std::string(200, ']')));
  EXPECT_FALSE(parse_json("[1"));
  EXPECT_TRUE(parse_json("\"\\\"" + std::string(500, '[') + "\""));
}

}  // namespace

}  // namespace cardan::test
