#include "serve/http_request.h"

#include <algorithm>

namespace cardan::app {

namespace {

bool letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// RFC 9110, 5.6.2
bool is_token(std::string_view text) {
  constexpr std::string_view others = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return letter_or_digit(c) || others.find(c) != std::string_view::npos;
  });
}

bool visible(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127; });
}

bool field_content(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != 127);
  });
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) {
    return c == ' ' || c == '\t';
  };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string small_letters(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// The next line; a line feed alone does not end one.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find("\r\n");
  const std::string_view line = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 2);
  return line;
}

bool read_first_line(std::string_view line, HttpRequest& out) {
  const std::size_t first = line.find(' '), second = line.rfind(' ');
  if (first == std::string_view::npos || first == second) return false;
  const std::string_view target = line.substr(first + 1, second - first - 1);
  const std::string_view version = line.substr(second + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return false;
  if (!is_token(line.substr(0, first)) || !visible(target) || !target.starts_with('/'))
    return false;
  out.method = line.substr(0, first);
  const std::size_t mark = target.find('?');
  out.path = target.substr(0, mark);
  if (mark != std::string_view::npos) out.query = target.substr(mark + 1);
  return true;
}

std::optional<std::string_view> value_in(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view part = query.substr(0, end);
    if (part.substr(0, part.find('=')) == name)
      return part.size() > name.size() ? part.substr(name.size() + 1) : std::string_view();
    if (end == std::string_view::npos) break;
    query.remove_prefix(end + 1);
  }
  return std::nullopt;
}

}  // namespace

std::size_t HttpRequest::count(std::string_view name) const {
  return static_cast<std::size_t>(std::count_if(
      headers.begin(), headers.end(), [&](const auto& h) { return h.first == name; }));
}

std::string HttpRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (key == name) return value;
  return "";
}

std::string HttpRequest::parameter(std::string_view name) const {
  return std::string(value_in(query, name).value_or(""));
}

bool HttpRequest::has_parameter(std::string_view name) const {
  return value_in(query, name).has_value();
}

std::optional<std::size_t> end_of_head(std::string_view received) {
  const std::size_t at = received.find("\r\n\r\n");
  return at == std::string_view::npos ? std::nullopt : std::optional(at + 4);
}

std::optional<HttpRequest> parse_request(std::string_view head) {
  HttpRequest out;
  if (!read_first_line(take_line(head), out)) return std::nullopt;
  while (!head.empty()) {
    const std::string_view line = take_line(head);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return std::nullopt;
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (!field_content(value) || out.headers.size() == HttpLimits::headers) return std::nullopt;
    out.headers.emplace_back(small_letters(line.substr(0, colon)), value);
  }
  return out;
}

}  // namespace cardan::app
