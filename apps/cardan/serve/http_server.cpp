#include "serve/http_server.h"

#include <algorithm>
#include <cerrno>
#include <exception>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace cardan::app {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t most_clients = 256;             // that have not been admitted
constexpr std::size_t most_jobs = 64;                 // admitted and waiting
constexpr std::size_t most_thrown_away = 12U << 20U;  // of what a refused client still sends
constexpr std::size_t most_at_once = 256U << 10U;     // then the others have their turn
constexpr int workers = 4;
constexpr auto time_for_head = 2s;
constexpr auto time_to_leave = 1s;    // after a refusal
constexpr auto time_to_answer = 30s;  // to take an answer

const char* reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 414:
      return "URI Too Long";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Internal Server Error";
  }
}

// All of it, or as much as the client takes in time.
void send_all(int socket, std::string_view text, Clock::time_point until) {
  while (!text.empty()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    pollfd wait{socket, POLLOUT, 0};
    if (left.count() <= 0 || poll(&wait, 1, static_cast<int>(left.count())) <= 0) return;
    const ssize_t n = send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

// Closed at once, a connection on which something is still unread loses its answer.
void close_after(int socket, Clock::time_point until) {
  shutdown(socket, SHUT_WR);
  char unread[4096];
  for (std::size_t total = 0; total < most_thrown_away;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    pollfd wait{socket, POLLIN, 0};
    if (left.count() <= 0 || poll(&wait, 1, static_cast<int>(left.count())) <= 0) break;
    const ssize_t n = recv(socket, unread, sizeof unread, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (n <= 0) break;
    total += static_cast<std::size_t>(n);
  }
  close(socket);
}

}  // namespace

HttpServer::HttpServer(Admit admit,
                       Handle handle,
                       std::vector<std::pair<std::string, std::string>> headers)
    : admit_(std::move(admit)), handle_(std::move(handle)), headers_(std::move(headers)) {
  if (pipe2(wake_, O_CLOEXEC | O_NONBLOCK) != 0) wake_[0] = wake_[1] = -1;
}

HttpServer::~HttpServer() {
  for (const int file : {listener_, wake_[0], wake_[1]})
    if (file >= 0) close(file);
}

bool HttpServer::bind(int port) {
  if (wake_[0] < 0) return false;
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener_ < 0) return false;
  const int yes = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      listen(listener_, SOMAXCONN) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return false;
  port_ = ntohs(address.sin_port);
  return true;
}

void HttpServer::stop() {
  stopping_ = true;
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = write(wake_[1], &byte, 1);
}

void HttpServer::serve() {
  std::vector<std::thread> threads;
  for (int k = 0; k < workers; ++k) threads.emplace_back([this] { work(); });
  std::vector<pollfd> waiting;
  while (!stopping_) {
    waiting.assign({{wake_[0], POLLIN, 0}, {listener_, POLLIN, 0}});
    for (const Client& c : clients_) waiting.push_back({c.socket, POLLIN, 0});
    if (poll(waiting.data(), waiting.size(), patience()) < 0 && errno != EINTR) break;
    // In the order of `waiting`: none has come or gone since.
    for (std::size_t k = 0; k < clients_.size(); ++k)
      if (waiting[k + 2].revents != 0) read_from(clients_[k]);
    drop_late_clients();
    if (waiting[1].revents != 0) accept_clients();
  }
  for (const Client& c : clients_) close(c.socket);
  clients_.clear();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  ready_.notify_all();
  for (std::thread& t : threads) t.join();
  for (const Job& job : jobs_) close(job.socket);
  jobs_.clear();
}

int HttpServer::patience() const {
  auto soonest = Clock::now() + 60s;
  for (const Client& c : clients_) soonest = std::min(soonest, c.until);
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(soonest - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0)) + 1;
}

// A new client is read at once, for what it has to say came with it.
void HttpServer::accept_clients() {
  for (std::size_t k = 0; k < most_clients; ++k) {
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) {
      if ((errno == EMFILE || errno == ENFILE) && !clients_.empty()) {
        close(clients_.front().socket);
        clients_.pop_front();
        continue;
      }
      return;
    }
    if (clients_.size() == most_clients) {
      close(clients_.front().socket);
      clients_.pop_front();
    }
    clients_.push_back({socket, Clock::now() + time_for_head, "", false, 0});
    read_from(clients_.back());
  }
}

void HttpServer::drop_late_clients() {
  const auto now = Clock::now();
  std::erase_if(clients_, [&](const Client& c) {
    if (c.socket >= 0 && now < c.until) return false;
    if (c.socket >= 0) close(c.socket);
    return true;
  });
}

void HttpServer::read_from(Client& c) {
  char bytes[16384];
  for (std::size_t total = 0; c.socket >= 0 && total < most_at_once;) {
    const ssize_t n = recv(c.socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
      close(c.socket);
      c.socket = -1;
      return;
    }
    total += static_cast<std::size_t>(n);
    if (c.leaving) {
      c.thrown_away += static_cast<std::size_t>(n);
      if (c.thrown_away > most_thrown_away) {
        c.until = Clock::now();
        return;
      }
      continue;
    }
    c.received.append(bytes, static_cast<std::size_t>(n));
    act_on(c);
  }
}

void HttpServer::act_on(Client& c) {
  const auto end = end_of_head(c.received);
  if (!end && c.received.size() <= HttpLimits::head) return;
  if (!end || *end > HttpLimits::head) {
    const bool address = c.received.find("\r\n") > HttpLimits::head;
    return answer(c, {address ? 414 : 431, "text/plain", "too long\n"});
  }
  // The head keeps the end of its last line.
  auto request = parse_request(std::string_view(c.received).substr(0, *end - 2));
  if (!request) return answer(c, {400, "text/plain", "not a request\n"});
  if (const auto refused = admit_(*request)) return answer(c, *refused);
  if (request->count("transfer-encoding") > 0 ||
      (request->count("content-length") > 0 && request->header("content-length") != "0"))
    return answer(c, {400, "text/plain", "a body is not expected\n"});
  if (!hand_over(c.socket, std::move(*request))) return answer(c, {503, "text/plain", "busy\n"});
  c.socket = -1;
}

std::string HttpServer::head_of(const HttpAnswer& a) const {
  std::string head = fmt::format(
      "HTTP/1.1 {} {}\r\nConnection: close\r\nContent-Type: {}\r\n"
      "Content-Length: {}\r\n",
      a.status,
      reason(a.status),
      a.type,
      a.body.size());
  for (const auto* list : {&headers_, &a.headers})
    for (const auto& [name, value] : *list) head += name + ": " + value + "\r\n";
  return head + "\r\n";
}

// Of a refusal, which is short: what the client's buffer does not take at once is lost.
void HttpServer::answer(Client& c, const HttpAnswer& a) {
  const std::string text = head_of(a) + a.body;
  [[maybe_unused]] const ssize_t sent =
      send(c.socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  shutdown(c.socket, SHUT_WR);
  c.received = {};
  c.leaving = true;
  c.until = std::min(c.until, Clock::now() + time_to_leave);
}

bool HttpServer::hand_over(int socket, HttpRequest request) {
  const std::lock_guard lock(mutex_);
  if (jobs_.size() == most_jobs) return false;
  jobs_.push_back({socket, std::move(request)});
  ready_.notify_one();
  return true;
}

void HttpServer::work() {
  while (true) {
    Job job{};
    {
      std::unique_lock lock(mutex_);
      ready_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
      if (stopping_) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    HttpAnswer made;
    try {
      made = handle_(job.request);
    } catch (const std::exception&) {
      made = {500, "text/plain", "this cannot be answered\n"};
    }
    const auto until = Clock::now() + time_to_answer;
    send_all(job.socket, head_of(made), until);
    if (job.request.method != "HEAD") send_all(job.socket, made.body, until);
    close_after(job.socket, std::min(until, Clock::now() + time_to_leave));
  }
}

}  // namespace cardan::app
