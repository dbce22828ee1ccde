#pragma once
// A small HTTP server for one user on his own machine, which strangers on it cannot stop.
//
// One thread holds all clients that have not yet shown who they are: each has a short time from its
// first moment on, its head is read into a buffer of fixed size, and where there are too many, the
// oldest goes. So neither silence nor floods keep the user out, and memory is bounded. Only a request
// that is admitted goes to one of a few workers, which make the answer and send it. Every connection
// serves one request.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "serve/http_request.h"

namespace cardan::app {

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8", body;
  std::vector<std::pair<std::string, std::string>> headers{};
};

class HttpServer {
 public:
  // An answer refuses the request. Called by the one thread of all strangers: it must be quick.
  using Admit = std::function<std::optional<HttpAnswer>(const HttpRequest&)>;
  using Handle = std::function<HttpAnswer(const HttpRequest&)>;  // called by the workers

  HttpServer(Admit, Handle, std::vector<std::pair<std::string, std::string>> headers);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  bool bind(int port);  // of the loopback address; 0: any free one

  int port() const { return port_; }

  void serve();  // until stop()
  void stop();   // from any thread

 private:
  using Clock = std::chrono::steady_clock;

  struct Client {
    int socket = -1;
    Clock::time_point until;      // later it is dropped
    std::string received;         // of the head
    bool leaving = false;         // it was refused, and what it still sends is thrown away
    std::size_t thrown_away = 0;  // bytes
  };

  struct Job {
    int socket;
    HttpRequest request;
  };

  void accept_clients();
  void read_from(Client&);
  void act_on(Client&);
  void answer(Client&, const HttpAnswer&);
  bool hand_over(int socket, HttpRequest);
  void drop_late_clients();
  int patience() const;  // ms until the next client is late
  void work();
  std::string head_of(const HttpAnswer&) const;

  Admit admit_;
  Handle handle_;
  std::vector<std::pair<std::string, std::string>> headers_;
  int listener_ = -1, port_ = 0;
  int wake_[2] = {-1, -1};  // a pipe: stop() writes
  std::atomic<bool> stopping_ = false;
  std::deque<Client> clients_;  // the oldest first
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<Job> jobs_;
};

}  // namespace cardan::app
