// The HTTP server: what it takes for a request, and that strangers cannot keep its user out.
#include <chrono>
#include <fstream>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/http_server.h"

namespace cardan::app {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

std::optional<HttpRequest> parsed(const std::string& text) {
  const auto end = end_of_head(text);
  return end ? parse_request(std::string_view(text).substr(0, *end - 2)) : std::nullopt;
}

TEST(HttpRequest, PartsOfARequest) {
  const auto r = parsed(
      "GET /a/b?x=1&token=ab&y HTTP/1.1\r\nHost: here:1\r\nX-Two:  b c\t\r\nx-two: d\r\n\r\n");
  ASSERT_TRUE(r);
  EXPECT_EQ(r->method, "GET");
  EXPECT_EQ(r->path, "/a/b");
  EXPECT_EQ(r->parameter("token"), "ab");
  EXPECT_EQ(r->parameter("x"), "1");
  EXPECT_TRUE(r->has_parameter("y"));
  EXPECT_FALSE(r->has_parameter("z"));
  EXPECT_EQ(r->header("host"), "here:1");
  EXPECT_EQ(r->count("x-two"), 2u);
  EXPECT_EQ(r->header("x-two"), "b c");
}

TEST(HttpRequest, WhatIsNoRequest) {
  using namespace std::string_literals;
  for (const std::string& text : {"GET / HTTP/1.1\nHost: a\r\n\r\n"s,
                                  "GET /\r\n\r\n"s,
                                  "GET  HTTP/1.1\r\n\r\n"s,
                                  "GET / HTTP/2.0\r\n\r\n"s,
                                  "GET http://a/ HTTP/1.1\r\n\r\n"s,
                                  "GET /a b HTTP/1.1\r\n\r\n"s,
                                  "G\x01T / HTTP/1.1\r\n\r\n"s,
                                  "GET / HTTP/1.1\r\nHost : a\r\n\r\n"s,
                                  "GET / HTTP/1.1\r\nHost\r\n\r\n"s,
                                  "GET / HTTP/1.1\r\n folded: a\r\n\r\n"s,
                                  "GET / HTTP/1.1\r\nA: b\0c\r\n\r\n"s,
                                  "GET / HTTP/1.1\r\nA: b\nc\r\n\r\n"s,
                                  " GET / HTTP/1.1\r\n\r\n"s,
                                  "\r\n\r\n"s})
    EXPECT_FALSE(parsed(text)) << text;
  std::string many = "GET / HTTP/1.1\r\n";
  for (int k = 0; k < 101; ++k) many += "A: b\r\n";
  EXPECT_FALSE(parsed(many + "\r\n"));
}

class HttpServerTest : public testing::Test {
 protected:
  HttpServerTest() {
    EXPECT_TRUE(server_.bind(0));
    thread_ = std::thread([this] { server_.serve(); });
  }

  ~HttpServerTest() override {
    for (const int s : sockets_) close(s);
    server_.stop();
    thread_.join();
  }

  int connected() {
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(server_.port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{8, 0};
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(s, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      close(s);
      return -1;
    }
    return s;
  }

  static void say(int s, const std::string& text) {
    [[maybe_unused]] const ssize_t n = send(s, text.data(), text.size(), MSG_NOSIGNAL);
  }

  static std::string all_of(int s) {
    std::string out;
    char buffer[65536];
    for (ssize_t n = 0; (n = recv(s, buffer, sizeof buffer, 0)) > 0;)
      out.append(buffer, static_cast<std::size_t>(n));
    close(s);
    return out;
  }

  std::string ask(const std::string& method = "GET") {
    const int s = connected();
    say(s, method + " /?owner HTTP/1.1\r\n\r\n");
    return all_of(s);
  }

  // Seconds until the user has his answer.
  double answered() {
    const auto begin = Clock::now();
    EXPECT_NE(ask().find("welcome"), std::string::npos);
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  // How many bytes the server takes of a request without end before it has enough.
  std::size_t taken(const std::string& head, const std::string& more) {
    const int s = connected();
    say(s, head);
    std::size_t sent = 0;
    const auto begin = Clock::now();
    while (sent < (64U << 20U) && Clock::now() - begin < 6s) {
      const ssize_t n = send(s, more.data(), more.size(), MSG_NOSIGNAL);
      if (n <= 0) break;
      sent += static_cast<std::size_t>(n);
    }
    close(s);
    return sent;
  }

  HttpServer server_{[](const HttpRequest& r) -> std::optional<HttpAnswer> {
                       if (r.method != "GET" && r.method != "HEAD")
                         return HttpAnswer{405, "text/plain", "no\n"};
                       if (!r.has_parameter("owner")) return HttpAnswer{403, "text/plain", "no\n"};
                       return std::nullopt;
                     },
                     [](const HttpRequest& r) -> HttpAnswer {
                       if (r.path == "/throws") throw std::runtime_error("thrown");
                       if (r.path == "/large")
                         return {200, "text/plain", std::string(20U << 20U, 'x')};
                       return {200, "text/plain", "welcome"};
                     },
                     {{"X-Always", "here"}}};
  std::thread thread_;
  std::vector<int> sockets_;
};

TEST_F(HttpServerTest, AnswersItsUser) {
  const std::string answer = ask();
  EXPECT_EQ(answer.rfind("HTTP/1.1 200 OK\r\n", 0), 0u) << answer;
  EXPECT_NE(answer.find("X-Always: here\r\n"), std::string::npos);
  EXPECT_NE(answer.find("Content-Length: 7\r\n"), std::string::npos);
  EXPECT_EQ(ask("HEAD").find("welcome"), std::string::npos);
  EXPECT_EQ(ask("POST").rfind("HTTP/1.1 405 ", 0), 0u);
  const int s = connected();
  say(s, "GET /large?owner HTTP/1.1\r\n\r\n");
  EXPECT_GT(all_of(s).size(), 20U << 20U);
}

TEST_F(HttpServerTest, AHandlerThatThrowsHarmsNobody) {
  const int s = connected();
  say(s, "GET /throws?owner HTTP/1.1\r\n\r\n");
  EXPECT_EQ(all_of(s).rfind("HTTP/1.1 500 ", 0), 0u);
  answered();
}

TEST_F(HttpServerTest, HeadsAndBodiesWithoutEndAreCutShort) {
  const std::string line = "X-A: " + std::string(1000, 'v') + "\r\n", block(65536, 'y');
  constexpr std::size_t most = 20U << 20U;  // what the system's own buffers take is in it
  EXPECT_LT(taken("GET / HTTP/1.1\r\n", line), most);
  EXPECT_LT(taken("GET / HTTP/1.1\r\nX: ", block), most);
  EXPECT_LT(taken("GET /" + block, block), most);
  EXPECT_LT(taken("POST / HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n", block), most);
  EXPECT_LT(taken("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", block), most);
  EXPECT_LT(taken("GET /?owner HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n", block), most);
  EXPECT_LT(answered(), 2);
}

TEST_F(HttpServerTest, SilentClientsDoNotKeepTheUserOut) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const int wanted = limit.rlim_cur > 2500 ? 2000 : static_cast<int>(limit.rlim_cur) - 400;
  ASSERT_GT(wanted, 400);
  for (int k = 0; k < wanted; ++k) {
    const int s = connected();
    if (s >= 0) sockets_.push_back(s);
  }
  EXPECT_LT(answered(), 2);
  EXPECT_LT(answered(), 2);
}

TEST_F(HttpServerTest, SlowClientsAreSentAway) {
  for (int k = 0; k < 64; ++k) {
    sockets_.push_back(connected());
    say(sockets_.back(), "GET / HTTP/1.1\r\nX: ");
  }
  for (int k = 0; k < 5; ++k) {
    EXPECT_LT(answered(), 1);
    for (const int s : sockets_) say(s, "a");
    std::this_thread::sleep_for(600ms);
  }
  char byte = 0;  // a byte each 0.6 s kept none of them alive
  for (const int s : sockets_) EXPECT_LE(recv(s, &byte, 1, 0), 0);
}

}  // namespace
}  // namespace cardan::app
