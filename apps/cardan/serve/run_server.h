#pragma once
// The local page of `cardan view`: the viewer, a list of runs, and their data while they grow.
//
// Other programs and web pages on the same machine must not read a user's runs through it: it
// listens on the loopback address only; every request needs the secret of this start; the Host must
// be its own address (else a foreign name could be bound to 127.0.0.1), and an Origin, where the
// browser sends one, its own as well. It answers GET alone, by run id, and writes nothing.
//
// Where the root is a sweep, the page is that of its points; one that is picked is run then.
#include <memory>
#include <optional>
#include <string>

#include "serve/run_list.h"

namespace cardan::app {

struct HttpAnswer;
struct HttpRequest;

class RunServer {
 public:
  explicit RunServer(const std::filesystem::path& root);
  ~RunServer();
  RunServer(const RunServer&) = delete;
  RunServer& operator=(const RunServer&) = delete;

  bool bind(int port);  // 0: any free one
  void serve();         // until stop()
  void stop();

  int port() const { return port_; }

  const std::string& token() const { return token_; }

  std::string address() const;  // the link to give to the user

  const RunList& runs() const { return runs_; }

  bool of_a_sweep() const;

 private:
  struct Parts;

  // What is said to who may not ask; nothing: he may.
  std::optional<HttpAnswer> refusal_of(const HttpRequest&) const;
  HttpAnswer answer_to(const HttpRequest&, const std::string& page);

  RunList runs_;
  std::string token_;
  int port_ = 0;
  std::unique_ptr<Parts> parts_;
};

}  // namespace cardan::app
