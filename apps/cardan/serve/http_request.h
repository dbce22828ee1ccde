#pragma once
// The head of an HTTP/1.1 request (RFC 9112), read strictly: lines end with CR LF, names are tokens,
// nothing is folded, nothing is repaired. What a browser sends passes; what could mean two things to
// two readers does not.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cardan::app {

struct HttpLimits {
  static constexpr std::size_t head = 16U << 10U;  // bytes up to the empty line
  static constexpr std::size_t headers = 100;
};

struct HttpRequest {
  std::string method, path, query;                           // "/api/run/0", "from=3&token=ab"
  std::vector<std::pair<std::string, std::string>> headers;  // names in small letters

  std::size_t count(std::string_view name) const;
  std::string header(std::string_view name) const;     // the first; empty: none
  std::string parameter(std::string_view name) const;  // of the query, as it is written
  bool has_parameter(std::string_view name) const;
};

// Where the empty line after the head ends; nothing: it is not there yet.
std::optional<std::size_t> end_of_head(std::string_view received);

// The head without its empty line. Nothing: it is not a request.
std::optional<HttpRequest> parse_request(std::string_view head);

}  // namespace cardan::app
