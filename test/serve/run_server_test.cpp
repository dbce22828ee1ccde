// Attacks on the local page, by plain sockets: what a hostile page or program on the same machine
// could send.
#include "serve/run_server.h"

#include <algorithm>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include "cardan/results/run_writer.h"
#include "cardan/session/sweep_session.h"
#include "test/places.h"
#include "test/results/support.h"

namespace cardan::app {
namespace {

class RunServerTest : public testing::Test {
 protected:
  RunServerTest() {
    std::filesystem::create_directories(folder_ / "mine/1");
    auto writer = test::value_of(RunWriter::create(
        folder_ / "mine/1/run.db", {{"model", {{"path", "a.toml"}, {"text", "x = 1"}}}}));
    EXPECT_FALSE(writer->open(test::three_channels));
    EXPECT_FALSE(test::write_rows(*writer, 0, 40, 10));
    EXPECT_FALSE(writer->close());
    std::ofstream(folder_ / "secret.txt") << "not for others";
    server_ = std::make_unique<RunServer>(folder_.path());
    EXPECT_TRUE(server_->bind(0));
    thread_ = std::thread([this] { server_->serve(); });
    while (get("/").empty()) std::this_thread::yield();  // it listens
  }

  ~RunServerTest() override {
    server_->stop();
    thread_.join();
  }

  std::string send_text(const std::string& text, const char* to = "127.0.0.1") const {
    return send_to(server_->port(), text, to);
  }

  static std::string send_to(int port, const std::string& text, const char* to = "127.0.0.1") {
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    inet_pton(AF_INET, to, &address.sin_addr);
    const timeval patience{10, 0};
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    std::string answer;
    if (connect(s, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
      if (send(s, text.data(), text.size(), MSG_NOSIGNAL) < 0) return "";
      char buffer[4096];
      for (ssize_t n = 0; (n = recv(s, buffer, sizeof buffer, 0)) > 0;)
        answer.append(buffer, static_cast<std::size_t>(n));
    }
    close(s);
    return answer;
  }

  std::string host() const { return "127.0.0.1:" + std::to_string(server_->port()); }

  std::string get(const std::string& path,
                  const std::string& headers = "",
                  std::string host_name = "") const {
    if (host_name.empty()) host_name = host();
    return send_text("GET " + path + " HTTP/1.1\r\nHost: " + host_name +
                     "\r\nConnection: close\r\n" + headers + "\r\n");
  }

  std::string with_token() const { return "X-Cardan-Token: " + server_->token() + "\r\n"; }

  static int status(const std::string& answer) {
    return answer.size() > 12 ? std::stoi(answer.substr(9, 3)) : 0;
  }

  static std::string body(const std::string& answer) {
    return answer.substr(answer.find("\r\n\r\n") + 4);
  }

  std::string run_id() const {
    return nlohmann::json::parse(body(get("/api/runs", with_token())))[0]["id"];
  }

  test::Folder folder_;
  std::unique_ptr<RunServer> server_;
  std::thread thread_;
};

TEST_F(RunServerTest, ListsAndServesRunsToItsUser) {
  const auto list = nlohmann::json::parse(body(get("/api/runs", with_token())));
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0]["name"], "mine/1");
  EXPECT_EQ(list[0]["rows"], 40);
  const std::string run = get("/api/run/" + run_id(), with_token());
  EXPECT_EQ(status(run), 200);
  EXPECT_NE(run.find("\"crank.x\""), std::string::npos);
}

TEST_F(RunServerTest, RowsFromANumberOnAreTheStoredBits) {
  const std::string rows = body(get("/api/run/" + run_id() + "/rows?from=38", with_token()));
  ASSERT_EQ(rows.size(), 2u * 4 * sizeof(double));
  double values[8];
  std::memcpy(values, rows.data(), sizeof values);
  EXPECT_EQ(values[4], test::row_time(39));
  EXPECT_EQ(values[7], test::row_values(39)[2]);
}

TEST_F(RunServerTest, NothingWithoutTheToken) {
  for (const char* path : {"/",
                           "/api/runs",
                           "/?token=",
                           "/?token=0",
                           "/api/runs?token=00000000000000000000000000000000"})
    EXPECT_EQ(status(get(path)), 403) << path;
  EXPECT_EQ(status(get("/api/run/" + run_id())), 403);
  std::string nearly = server_->token();
  nearly.back() = nearly.back() == '0' ? '1' : '0';
  EXPECT_EQ(status(get("/api/runs?token=" + nearly)), 403);
  EXPECT_EQ(status(get("/api/runs?token=" + server_->token() + "0")), 403);
  EXPECT_EQ(status(get("/api/runs?token=" + server_->token())), 200);
}

TEST_F(RunServerTest, NothingToAForeignHost) {
  for (const char* name :
       {"evil.example", "127.0.0.1", "localhost", "127.0.0.1:1", "evil.example:80"})
    EXPECT_EQ(status(get("/api/runs", with_token(), name)), 403) << name;
  EXPECT_EQ(status(send_text("GET /api/runs HTTP/1.0\r\n" + with_token() + "\r\n")), 403);
  EXPECT_EQ(status(get("/api/runs", with_token() + "Host: evil.example\r\n")), 403);
}

TEST_F(RunServerTest, NothingToAForeignOrigin) {
  EXPECT_EQ(status(get("/api/runs", with_token() + "Origin: http://evil.example\r\n")), 403);
  EXPECT_EQ(status(get("/api/runs", with_token() + "Origin: null\r\n")), 403);
  EXPECT_EQ(status(get("/api/runs", with_token() + "Origin: http://" + host() + "\r\n")), 200);
}

TEST_F(RunServerTest, PathsLeadNowhere) {
  for (const char* path : {"/../secret.txt",
                           "/api/run/../../secret.txt",
                           "/secret.txt",
                           "/api/run/..%2f..%2fsecret.txt",
                           "//etc/passwd",
                           "/api/run/%2e%2e%2f",
                           "/api/run/0000000000000000",
                           "/api/run/mine/1",
                           "/api/run/0000000000000000/rows?from=../../1",
                           "/run.db"}) {
    const std::string answer = get(path, with_token());
    EXPECT_TRUE(status(answer) == 404 || status(answer) == 400) << path << " " << status(answer);
    EXPECT_EQ(answer.find("not for others"), std::string::npos) << path;
  }
}

TEST_F(RunServerTest, OnlyGet) {
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"}) {
    const std::string answer =
        send_text(std::string(method) + " /api/runs HTTP/1.1\r\nHost: " + host() +
                  "\r\nConnection: close\r\nContent-Length: 0\r\n" + with_token() + "\r\n");
    EXPECT_EQ(status(answer), 405) << method;
  }
}

TEST_F(RunServerTest, BodiesAreRefusedAndNothingIsWritten) {
  const auto files = [&] {
    std::vector<std::string> list;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
      list.push_back(entry.path().string() + " " +
                     (entry.is_regular_file() ? std::to_string(entry.file_size()) : ""));
    std::sort(list.begin(), list.end());
    return list;
  };
  const auto before = files();
  for (const char* path : {"/", "/api/runs", "/secret.txt", "/../secret.txt"})
    for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
      const std::string answer =
          send_text(std::string(method) + " " + path + " HTTP/1.1\r\nHost: " + host() + "\r\n" +
                    with_token() + "Connection: close\r\nContent-Length: 4\r\n\r\nevil");
      EXPECT_GE(status(answer), 400) << method << " " << path;
    }
  EXPECT_EQ(files(), before);
}

TEST_F(RunServerTest, LargeRequestsAreRefusedAndHarmNobody) {
  EXPECT_GE(status(get("/api/runs?x=" + std::string(100'000, 'a'), with_token())), 400);
  EXPECT_GE(status(get("/api/runs", "X-Long: " + std::string(100'000, 'a') + "\r\n")), 400);
  std::string many;
  for (int k = 0; k < 20'000; ++k) many += "X-" + std::to_string(k) + ": a\r\n";
  EXPECT_NE(status(get("/api/runs", many)), 200);
  EXPECT_GE(status(send_text("POST /api/runs HTTP/1.1\r\nHost: " + host() + "\r\n" + with_token() +
                             "Connection: close\r\nContent-Length: 99999999999\r\n\r\nx")),
            400);
  EXPECT_NE(status(send_text("GET / HTTP/1.1\r\nHost" + std::string(10, '\0') + "\r\n\r\n")), 200);
  EXPECT_EQ(status(get("/api/runs", with_token())), 200);  // it goes on
}

TEST_F(RunServerTest, NumbersOutOfRangeAreNoHarm) {
  const std::string run = "/api/run/" + run_id();
  for (const char* query : {"?segment=7", "?segment=999999999"})
    EXPECT_EQ(status(get(run + query, with_token())), 404) << query;
  for (const char* query : {"?segment=-1", "?segment=99999999999999999999", "?segment=1e9"})
    EXPECT_EQ(status(get(run + query, with_token())), 200) << query;  // no number: the main one
  EXPECT_EQ(body(get(run + "/rows?from=999999999", with_token())), "");
}

TEST_F(RunServerTest, LinksThatLeadOutOfTheFolderAreNoRuns) {
  const test::Folder elsewhere;
  auto writer = test::value_of(RunWriter::create(elsewhere / "run.db", {{"title", "private"}}));
  EXPECT_FALSE(writer->close());
  std::filesystem::create_directories(folder_ / "linked");
  std::filesystem::create_symlink(elsewhere / "run.db", folder_ / "linked/run.db");
  std::filesystem::create_directory_symlink(elsewhere.path(), folder_ / "whole");
  const std::string list = body(get("/api/runs", with_token()));
  EXPECT_EQ(nlohmann::json::parse(list).size(), 1u) << list;
}

TEST_F(RunServerTest, FollowsARunWhileItIsWritten) {
  auto writer = test::value_of(RunWriter::create(folder_ / "mine/live.db", {{"title", "Live"}}));
  EXPECT_FALSE(writer->open(test::three_channels));
  EXPECT_FALSE(test::write_rows(*writer, 0, 10, 10));
  RunServer live(folder_ / "mine/live.db");
  ASSERT_TRUE(live.bind(0));
  std::thread thread([&] { live.serve(); });
  const auto ask = [&](const std::string& path) {
    const std::string text =
        "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(live.port()) +
        "\r\nConnection: close\r\n" + "X-Cardan-Token: " + live.token() + "\r\n\r\n";
    return send_to(live.port(), text);
  };
  std::string list;
  while ((list = ask("/api/runs")).empty()) std::this_thread::yield();
  const auto entry = nlohmann::json::parse(body(list))[0];
  EXPECT_EQ(entry["status"], "running");
  const std::string rows = "/api/run/" + entry["id"].get<std::string>() + "/rows?from=";
  const auto count = [&](const std::string& answer) {
    return body(answer).size() / (4 * sizeof(double));
  };
  EXPECT_EQ(count(ask(rows + "0")), 10u);
  EXPECT_FALSE(test::write_rows(*writer, 10, 25, 5));
  const std::string more = ask(rows + "10");
  EXPECT_EQ(count(more), 15u);
  EXPECT_NE(more.find("X-Cardan-Status: running"), std::string::npos);
  EXPECT_FALSE(writer->set("status", "complete"));
  EXPECT_FALSE(writer->close());
  EXPECT_NE(ask(rows + "25").find("X-Cardan-Status: completed"), std::string::npos);
  live.stop();
  thread.join();
}

TEST_F(RunServerTest, ListensOnTheLoopbackAddressAlone) {
  EXPECT_EQ(send_text("GET / HTTP/1.0\r\n\r\n", "127.0.0.2"), "");
}

TEST_F(RunServerTest, AnswersMayNotBeFramedGuessedOrKept) {
  const std::string answer = get("/api/runs", with_token());
  for (const char* header : {"X-Frame-Options: DENY",
                             "X-Content-Type-Options: nosniff",
                             "Cache-Control: no-store",
                             "Referrer-Policy: no-referrer"})
    EXPECT_NE(answer.find(header), std::string::npos) << header;
  EXPECT_EQ(answer.find("Access-Control-Allow-Origin"), std::string::npos);
}

// A sweep as the root: its page, and every point as a report, to its user alone.
TEST_F(RunServerTest, OfASweepRunsThePointThatIsAskedFor) {
  SweepRequest request;
  request.model.path = std::string(test::source_dir) + "/models/slider-crank";
  request.model.give("until", "0.05");
  request.vary = {"crank=70 mm,80 mm"};
  request.measures = {"x = final(\"piston.x\")"};
  ASSERT_TRUE(run_sweep(request, {(folder_ / "sweep").string()}, {}));
  RunServer server(folder_ / "sweep");
  EXPECT_TRUE(server.of_a_sweep());
  ASSERT_TRUE(server.bind(0));
  std::thread thread([&] { server.serve(); });
  const auto get = [&](const std::string& path) {
    return send_to(server.port(),
                   "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) +
                       "\r\n\r\n");
  };
  const std::string token = "token=" + server.token();
  const std::string page = get("/?" + token), point = get("/point?number=1&" + token),
                    two = get("/point?number=0&other=1&" + token),
                    none = get("/point?number=7&" + token), stranger = get("/point?number=1"),
                    runs = get("/api/runs?" + token);
  server.stop();
  thread.join();
  EXPECT_NE(page.find("\"live\":true"), std::string::npos);
  EXPECT_NE(page.find("X-Frame-Options: SAMEORIGIN"), std::string::npos);
  EXPECT_EQ(status(point), 200);
  EXPECT_GT(point.size(), 10000U);
  EXPECT_EQ(status(two), 200);
  EXPECT_EQ(status(none), 404);
  EXPECT_EQ(status(stranger), 403);
  EXPECT_EQ(status(runs), 404);
}

}  // namespace
}  // namespace cardan::app
