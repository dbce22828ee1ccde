#include "serve/run_server.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/random.h>

#include "cardan/report/report.h"
#include "cardan/results/json.h"
#include "cardan/session/sweep_page.h"
#include "serve/http_server.h"

namespace cardan::app {

namespace {

constexpr std::size_t rows_limit = 4U << 20U;  // bytes in one answer
constexpr std::size_t packed_limit = 64U
                                     << 20U;  // of a run's samples: beyond that they are thinned

std::string new_secret() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    throw std::runtime_error("the system gives no random numbers");
  std::string text;
  for (const unsigned char b : bytes) text += fmt::format("{:02x}", b);
  return text;
}

// Takes as long for a nearly right secret as for a wrong one.
bool same_secret(const std::string& a, const std::string& b) {
  unsigned different = a.size() == b.size() ? 0U : 1U;
  for (std::size_t i = 0; i < b.size(); ++i)
    different |= static_cast<unsigned>((i < a.size() ? a[i] : '\0') ^ b[i]);
  return different == 0;
}

HttpAnswer refusal(int status, const char* why) {
  return {status, "text/plain", std::string(why) + "\n"};
}

void put_word(std::string& out, std::uint32_t n) {
  for (unsigned k = 0; k < 4; ++k) out += static_cast<char>(n >> (8 * k) & 255U);
}

int whole_number(const HttpRequest& request, const char* name, int otherwise) {
  const std::string text = request.parameter(name);
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos)
    return otherwise;
  return std::stoi(text);
}

// The viewer, told to ask for its data.
std::string server_page() {
  const std::string_view page = viewer_page();
  const std::size_t at = page.find(viewer_data_mark);
  if (at == std::string_view::npos) return {};
  std::string html(page.substr(0, at));
  html += "<script type=\"application/json\" class=\"cardan-server\">{}</script>";
  html += page.substr(at + viewer_data_mark.size());
  return html;
}

// Document and columns of one analysis: length of the JSON text, the text, the packed columns.
HttpAnswer run_answer(const RunReader& run, const std::string& id, int segment) {
  PackOptions pack;
  pack.packed_limit = packed_limit;
  const auto columns = pack_columns(run, segment, pack);
  if (!columns) return refusal(500, "the run cannot be read");
  auto document = report_document({&run, segment, id}, columns.value());
  if (!document) return refusal(500, "the run cannot be read");
  const std::string text = to_line(document.value());
  HttpAnswer out{200, "application/octet-stream", ""};
  put_word(out.body, static_cast<std::uint32_t>(text.size()));
  out.body += text;
  out.body.append(reinterpret_cast<const char*>(columns.value().data.data()),
                  columns.value().data.size());
  return out;
}

// Rows from a number on, as they are: t and the channels, eight bytes each.
HttpAnswer rows_answer(const RunReader& run, int segment, int from) {
  HttpAnswer out{200, "application/octet-stream", ""};
  if (segment < 0) return out;
  std::int64_t row = 0;
  const auto fault = run.each_row(segment, [&](double t, std::span<const double> values) {
    if (row++ < from) return true;
    out.body.append(reinterpret_cast<const char*>(&t), sizeof t);
    out.body.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return out.body.size() < rows_limit;
  });
  if (fault) return refusal(500, "the run cannot be read");
  out.headers.emplace_back("X-Cardan-Status", run_status(run));
  return out;
}

// "/api/run/<id>" or "/api/run/<id>/rows"; an id is 16 digits.
struct RunPath {
  std::string id;
  bool rows = false;
};

std::optional<RunPath> run_path(std::string_view path) {
  constexpr std::string_view prefix = "/api/run/", suffix = "/rows";
  constexpr std::size_t id_size = 16;
  if (!path.starts_with(prefix)) return std::nullopt;
  path.remove_prefix(prefix.size());
  const std::string_view id = path.substr(0, id_size),
                         rest = path.substr(std::min(path.size(), id_size));
  if (id.size() != id_size || id.find_first_not_of("0123456789abcdef") != std::string_view::npos ||
      !(rest.empty() || rest == suffix))
    return std::nullopt;
  return RunPath{std::string(id), !rest.empty()};
}

}  // namespace

struct RunServer::Parts {
  std::optional<SweepPoints> points;  // of a sweep; none: runs
  std::mutex running;                 // one point at a time
  std::atomic<bool> stopping = false;
  std::optional<HttpServer> server;

  // The page of the sweep, or the report of one of its points, or of two.
  HttpAnswer sweep_answer(const HttpRequest& request) {
    const std::lock_guard alone(running);
    if (request.path == "/") return page_answer(points->page());
    if (request.path != "/point") return refusal(404, "there is nothing here");
    std::vector<long> numbers;
    for (const char* name : {"number", "other"})
      if (const int number = whole_number(request, name, -1); number >= 0)
        numbers.push_back(number);
    if (numbers.empty()) return refusal(404, "no such point");
    Control control;
    control.cancelled = [this] {
      return stopping.load();
    };
    return page_answer(points->report(numbers, control));
  }

  static HttpAnswer page_answer(const Result<std::string>& page) {
    if (!page) return refusal(404, page.why().front().found.c_str());
    return {200, "text/html; charset=utf-8", page.value()};
  }
};

RunServer::RunServer(const std::filesystem::path& root)
    : runs_(root), token_(new_secret()), parts_(std::make_unique<Parts>()) {
  std::error_code error;
  if (std::filesystem::is_regular_file(sweep_file(root), error) &&
      sweep_file(root).filename() == sweep_store_name)
    parts_->points.emplace(root.string());
  parts_->server.emplace(
      [this](const HttpRequest& request) { return refusal_of(request); },
      [this, page = server_page()](const HttpRequest& request) { return answer_to(request, page); },
      std::vector<std::pair<std::string, std::string>>{
          {"Cache-Control", "no-store"},
          {"X-Content-Type-Options", "nosniff"},
          // The page of a sweep shows its own reports inside.
          {"X-Frame-Options", parts_->points ? "SAMEORIGIN" : "DENY"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Resource-Policy", "same-origin"}});
}

bool RunServer::of_a_sweep() const {
  return parts_->points.has_value();
}

RunServer::~RunServer() = default;

std::optional<HttpAnswer> RunServer::refusal_of(const HttpRequest& request) const {
  if (request.method != "GET" && request.method != "HEAD") return refusal(405, "only GET");
  const std::string here = fmt::format("127.0.0.1:{}", port_),
                    also = fmt::format("localhost:{}", port_);
  const std::string host = request.header("host");
  if (request.count("host") != 1 || (host != here && host != also))
    return refusal(403, "wrong host");
  const std::string origin = request.header("origin");
  if (request.count("origin") > 0 && origin != "http://" + here && origin != "http://" + also)
    return refusal(403, "wrong origin");
  const std::string given = request.count("x-cardan-token") > 0 ? request.header("x-cardan-token")
                                                                : request.parameter("token");
  if (!same_secret(given, token_))
    return refusal(403,
                   "the link's token is missing or wrong; use the link that cardan view printed");
  return std::nullopt;
}

HttpAnswer RunServer::answer_to(const HttpRequest& request, const std::string& page) {
  if (parts_->points) return parts_->sweep_answer(request);
  if (request.path == "/") return {200, "text/html; charset=utf-8", page};
  if (request.path == "/api/runs") {
    runs_.refresh();
    return {200, "application/json", to_line(runs_.describe())};
  }
  const auto asked = run_path(request.path);
  if (!asked) return refusal(404, "there is nothing here");
  const auto path = runs_.find(asked->id);
  if (!path) return refusal(404, "no such run");
  const auto run = RunReader::open(*path);
  if (!run) return refusal(500, "the run cannot be read");
  const int count = static_cast<int>(run.value().segments().size());
  int segment = whole_number(request, "segment", main_segment(run.value()));
  if (segment >= count && count > 0) return refusal(404, "no such analysis");
  if (count == 0) segment = -1;
  return asked->rows ? rows_answer(run.value(), segment, whole_number(request, "from", 0))
                     : run_answer(run.value(), asked->id, segment);
}

bool RunServer::bind(int port) {
  if (!parts_->server->bind(port)) return false;
  port_ = parts_->server->port();
  return true;
}

void RunServer::serve() {
  parts_->server->serve();
}

void RunServer::stop() {
  parts_->stopping = true;
  parts_->server->stop();
}

std::string RunServer::address() const {
  return fmt::format("http://127.0.0.1:{}/?token={}", port_, token_);
}

}  // namespace cardan::app
