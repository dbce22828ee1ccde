// Exports a run as a workbook for spreadsheets: one sheet an analysis, "t [s]" and the channels as columns.
// A workbook is a ZIP archive of XML files, stored without compression.
// References: ECMA-376 part 1 (SpreadsheetML), PKWARE APPNOTE 6.3 (ZIP).
#include <array>
#include <cmath>
#include <cstdint>
#include <ostream>

#include <fmt/format.h>

#include "cardan/io/export.h"
#include "cardan/results/faults.h"

namespace cardan {

namespace {

constexpr std::size_t most_sheet_rows = 1'048'576, most_sheet_columns = 16'384;  // of a sheet

std::uint32_t checksum(std::string_view data) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> out{};
    for (std::uint32_t n = 0; n < 256; ++n) {
      std::uint32_t c = n;
      for (int k = 0; k < 8; ++k) c = (c & 1U) != 0 ? 0xEDB88320U ^ (c >> 1U) : c >> 1U;
      out[n] = c;
    }
    return out;
  }();
  std::uint32_t c = 0xFFFFFFFFU;
  for (const char byte : data)
    c = table[(c ^ static_cast<unsigned char>(byte)) & 0xFFU] ^ (c >> 8U);
  return c ^ 0xFFFFFFFFU;
}

// Files one after the other, then their list.
class ZipWriter {
 public:
  explicit ZipWriter(std::ostream& out) : out_(out) {}

  void add(const std::string& name, const std::string& data) {
    const std::uint32_t sum = checksum(data), size = static_cast<std::uint32_t>(data.size());
    std::string common;
    number(common, 20, 2);      // version needed
    number(common, 0x0800, 2);  // names are UTF-8
    number(common, 0, 2);       // stored
    number(common, 0, 2);
    number(common, 0x21, 2);  // 1980-01-01, so that equal runs give equal files
    number(common, sum, 4);
    number(common, size, 4);
    number(common, size, 4);
    number(common, static_cast<std::uint32_t>(name.size()), 2);
    number(common, 0, 2);
    std::string local = "PK\3\4" + common + name;
    list_ += "PK\1\2";
    number(list_, 20, 2);
    list_ += common;
    number(list_, 0, 2);
    number(list_, 0, 2);
    number(list_, 0, 2);
    number(list_, 0, 4);
    number(list_, static_cast<std::uint32_t>(written_), 4);
    list_ += name;
    ++count_;
    out_ << local << data;
    written_ += local.size() + data.size();
  }

  void finish() {
    std::string end = "PK\5\6";
    number(end, 0, 4);
    number(end, count_, 2);
    number(end, count_, 2);
    number(end, static_cast<std::uint32_t>(list_.size()), 4);
    number(end, static_cast<std::uint32_t>(written_), 4);
    number(end, 0, 2);
    out_ << list_ << end;
  }

  std::uint64_t written() const { return written_; }

 private:
  static void number(std::string& out, std::uint32_t value, int bytes) {
    for (int k = 0; k < bytes; ++k)
      out += static_cast<char>(value >> (8U * static_cast<unsigned>(k)) & 0xFFU);
  }

  std::ostream& out_;
  std::string list_;
  std::uint32_t count_ = 0;
  std::uint64_t written_ = 0;
};

std::string xml_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

constexpr std::string_view head = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
constexpr std::string_view package = "http://schemas.openxmlformats.org/package/2006/";
constexpr std::string_view document =
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
constexpr std::string_view sheets = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

void put_text_cell(std::string& out, const std::string& text) {
  out += "<c t=\"inlineStr\"><is><t>" + xml_text(text) + "</t></is></c>";
}

void put_number_cell(std::string& out, double x) {
  out += std::isfinite(x) ? fmt::format("<c><v>{}</v></c>", x) : std::string("<c/>");
}

}  // namespace

Sink::Fault export_xlsx(const RunReader& run, const ExportOptions& options, std::ostream& out) {
  ZipWriter zip(out);
  const std::size_t count = run.segments().size();
  std::string types = fmt::format(
      "{}<Types xmlns=\"{}content-types\"><Default Extension=\"rels\" "
      "ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default "
      "Extension=\"xml\" ContentType=\"application/xml\"/><Override PartName=\"/xl/workbook.xml\" "
      "ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"/"
      ">",
      head,
      package);
  std::string book =
      fmt::format("{}<workbook xmlns=\"{}\" xmlns:r=\"{}\"><sheets>", head, sheets, document);
  std::string links = fmt::format("{}<Relationships xmlns=\"{}relationships\">", head, package);
  for (std::size_t s = 1; s <= count; ++s) {
    types += fmt::format(
        "<Override PartName=\"/xl/worksheets/sheet{}.xml\" "
        "ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml\"/"
        ">",
        s);
    book += fmt::format("<sheet name=\"analysis {0}\" sheetId=\"{0}\" r:id=\"rId{0}\"/>", s);
    links += fmt::format(
        "<Relationship Id=\"rId{0}\" Type=\"{1}/worksheet\" Target=\"worksheets/sheet{0}.xml\"/>",
        s,
        document);
  }
  zip.add("[Content_Types].xml", types + "</Types>");
  zip.add("_rels/.rels",
          fmt::format("{}<Relationships xmlns=\"{}relationships\"><Relationship Id=\"rId1\" "
                      "Type=\"{}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>",
                      head,
                      package,
                      document));
  zip.add("xl/workbook.xml", book + "</sheets></workbook>");
  zip.add("xl/_rels/workbook.xml.rels", links + "</Relationships>");
  for (std::size_t s = 0; s < count; ++s) {
    const auto& channels = run.segments()[s].channels;
    const auto chosen = select_channels(channels, options.channels);
    if (!chosen) return chosen.why().front();
    if (static_cast<std::size_t>(run.segments()[s].rows) >= most_sheet_rows ||
        chosen.value().size() >= most_sheet_columns) {
      Diagnostic d = write_fault("samples", "more rows or channels than a sheet can hold");
      d.hint =
          "choose channels with -c, or run with a larger output_step; --csv and --netcdf have no "
          "such limit";
      return d;
    }
    std::string sheet = fmt::format("{}<worksheet xmlns=\"{}\"><sheetData><row>", head, sheets);
    put_text_cell(sheet, "t [s]");
    for (const int k : chosen.value()) {
      const Channel& c = channels[static_cast<std::size_t>(k)];
      put_text_cell(sheet, c.unit.empty() ? c.name : fmt::format("{} [{}]", c.name, c.unit));
    }
    sheet += "</row>\n";
    const auto fault =
        run.each_row(static_cast<int>(s), [&](double t, std::span<const double> row) {
          sheet += "<row>";
          put_number_cell(sheet, t);
          for (const int k : chosen.value())
            put_number_cell(sheet, row[static_cast<std::size_t>(k)]);
          sheet += "</row>\n";
          return true;
        });
    if (fault) return fault;
    sheet += "</sheetData></worksheet>";
    constexpr std::uint64_t most_bytes = 0xFFFFFFFFU;  // of a ZIP archive without its extension
    if (zip.written() + sheet.size() > most_bytes)
      return write_fault("samples", "more than 4 GB, which a workbook cannot hold");
    zip.add(fmt::format("xl/worksheets/sheet{}.xml", s + 1), sheet);
  }
  zip.finish();
  if (!out.flush()) return write_fault("samples", "the output was not taken whole");
  return {};
}

}  // namespace cardan
