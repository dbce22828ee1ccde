#include "serve/run_server.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>
#include <httplib.h>
#include <nlohmann/json.hpp>
#include <sys/random.h>

#include "cardan/results/json.h"
#include "cardan/results/report.h"

namespace cardan::app {

namespace {

using httplib::Request;
using httplib::Response;

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

void refuse(Response& answer, int status, const char* why) {
  answer.status = status;
  answer.set_content(std::string(why) + "\n", "text/plain");
}

void put_word(std::string& out, std::uint32_t n) {
  for (unsigned k = 0; k < 4; ++k) out += static_cast<char>(n >> (8 * k) & 255U);
}

int whole_number(const Request& request, const char* name, int otherwise) {
  const std::string text = request.has_param(name) ? request.get_param_value(name) : "";
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

// The HTTP library compresses texts for browsers that allow it, which takes seconds for the viewer
// and gains nothing on one machine; what a provider gives it sends as it is.
void send_as_it_is(const std::string& text, const char* type, Response& answer) {
  answer.set_content_provider(
      text.size(), type, [&text](std::size_t at, std::size_t length, httplib::DataSink& sink) {
        return sink.write(text.data() + at, length);
      });
}

// Document and columns of one analysis: length of the JSON text, the text, the packed columns.
void send_run(const RunReader& run, const std::string& id, int segment, Response& answer) {
  PackOptions pack;
  pack.packed_limit = packed_limit;
  const auto columns = pack_columns(run, segment, pack);
  if (!columns) return refuse(answer, 500, "the run cannot be read");
  auto document = report_document({&run, segment, id}, columns.value());
  if (!document) return refuse(answer, 500, "the run cannot be read");
  const std::string text = to_line(document.value());
  std::string body;
  put_word(body, static_cast<std::uint32_t>(text.size()));
  body += text;
  body.append(reinterpret_cast<const char*>(columns.value().data.data()),
              columns.value().data.size());
  answer.set_content(body, "application/octet-stream");
}

// Rows from a number on, as they are: t and the channels, eight bytes each.
void send_rows(const RunReader& run, int segment, int from, Response& answer) {
  std::string body;
  std::int64_t row = 0;
  const auto fault = run.each_row(segment, [&](double t, std::span<const double> values) {
    if (row++ < from) return true;
    body.append(reinterpret_cast<const char*>(&t), sizeof t);
    body.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return body.size() < rows_limit;
  });
  if (fault) return refuse(answer, 500, "the run cannot be read");
  answer.set_header("X-Cardan-Status", run_status(run));
  answer.set_content(body, "application/octet-stream");
}

}  // namespace

struct RunServer::Parts {
  httplib::Server server;
};

RunServer::RunServer(std::filesystem::path root)
    : runs_(std::move(root)), token_(new_secret()), parts_(std::make_unique<Parts>()) {
  httplib::Server& server = parts_->server;
  server.set_payload_max_length(1024);
  // In seconds: who asks for nothing holds no thread.
  server.set_read_timeout(1);
  server.set_keep_alive_timeout(1);
  server.set_default_headers({{"Cache-Control", "no-store"},
                              {"X-Content-Type-Options", "nosniff"},
                              {"X-Frame-Options", "DENY"},
                              {"Referrer-Policy", "no-referrer"},
                              {"Cross-Origin-Resource-Policy", "same-origin"}});
  server.set_pre_routing_handler([this](const Request& request, Response& answer) {
    const auto refused = [&](int status, const char* why) {
      refuse(answer, status, why);
      return httplib::Server::HandlerResponse::Handled;
    };
    if (request.method != "GET" && request.method != "HEAD") return refused(405, "only GET");
    const std::string here = fmt::format("127.0.0.1:{}", port_),
                      also = fmt::format("localhost:{}", port_);
    const std::string host = request.get_header_value("Host");
    if (request.get_header_value_count("Host") != 1 || (host != here && host != also))
      return refused(403, "wrong host");
    const std::string origin = request.get_header_value("Origin");
    if (request.has_header("Origin") && origin != "http://" + here && origin != "http://" + also)
      return refused(403, "wrong origin");
    const std::string given = request.has_header("X-Cardan-Token")
                                  ? request.get_header_value("X-Cardan-Token")
                                  : request.get_param_value("token");
    if (!same_secret(given, token_))
      return refused(403,
                     "the link's token is missing or wrong; use the link that cardan view printed");
    return httplib::Server::HandlerResponse::Unhandled;
  });

  server.Get("/", [html = server_page()](const Request&, Response& answer) {
    send_as_it_is(html, "text/html; charset=utf-8", answer);
  });
  server.Get("/api/runs", [this](const Request&, Response& answer) {
    runs_.refresh();
    answer.set_content(to_line(runs_.describe()), "application/json");
  });
  const auto with_run = [this](const Request& request, Response& answer, auto&& act) {
    const auto path = runs_.find(request.matches[1].str());
    if (!path) return refuse(answer, 404, "no such run");
    const auto run = RunReader::open(*path);
    if (!run) return refuse(answer, 500, "the run cannot be read");
    const int count = static_cast<int>(run.value().segments().size());
    const int segment = whole_number(request, "segment", main_segment(run.value()));
    if (segment >= count && count > 0) return refuse(answer, 404, "no such analysis");
    act(run.value(), count == 0 ? -1 : segment);
  };
  server.Get("/api/run/([0-9a-f]{16})", [with_run](const Request& request, Response& answer) {
    with_run(request, answer, [&](const RunReader& run, int segment) {
      send_run(run, request.matches[1].str(), segment, answer);
    });
  });
  server.Get("/api/run/([0-9a-f]{16})/rows", [with_run](const Request& request, Response& answer) {
    with_run(request, answer, [&](const RunReader& run, int segment) {
      if (segment < 0) return answer.set_content("", "application/octet-stream");
      send_rows(run, segment, whole_number(request, "from", 0), answer);
    });
  });
}

RunServer::~RunServer() = default;

bool RunServer::bind(int port) {
  if (port == 0) {
    port_ = parts_->server.bind_to_any_port("127.0.0.1");
    return port_ > 0;
  }
  port_ = port;
  return parts_->server.bind_to_port("127.0.0.1", port);
}

void RunServer::serve() {
  parts_->server.listen_after_bind();
}

void RunServer::stop() {
  parts_->server.stop();
}

std::string RunServer::address() const {
  return fmt::format("http://127.0.0.1:{}/?token={}", port_, token_);
}

}  // namespace cardan::app
