#include "browser.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cardan::app {

namespace fs = std::filesystem;

namespace {

constexpr int patience_ms = 120'000;  // for one answer

Diagnostic browser_fault(std::string found) {
  Diagnostic d;
  d.id = "io.no-browser";
  d.found = std::move(found);
  d.expected = "Chromium, as 'chromium', 'google-chrome' or in CARDAN_BROWSER";
  return d;
}

fs::path temporary_folder() {
  std::string name = (fs::temp_directory_path() / "cardan-XXXXXX").string();
  const char* made = mkdtemp(name.data());
  return made == nullptr ? fs::path() : fs::path(made);
}

std::string find_program() {
  if (const char* given = std::getenv("CARDAN_BROWSER")) return given;
  for (const char* name :
       {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}) {
    const std::string found = in_search_path(name);
    if (!found.empty()) return found;
  }
  return "";
}

std::vector<std::string> arguments(const std::string& program, const fs::path& profile) {
  std::vector<std::string> list{program,
                                "--headless",
                                "--remote-debugging-pipe",
                                "--user-data-dir=" + profile.string(),
                                "--no-first-run",
                                "--hide-scrollbars",
                                "--disable-background-networking",
                                "--disable-component-update",
                                "--disable-sync",
                                "--disable-quic",
                                "--disable-extensions",
                                "--use-angle=swiftshader",
                                "--enable-unsafe-swiftshader",
                                "--force-color-profile=srgb"};
  if (geteuid() == 0) list.emplace_back("--no-sandbox");  // its sandbox does not work for root
  list.emplace_back("about:blank");
  return list;
}

[[noreturn]] void become_browser(const std::vector<std::string>& list, int reads, int writes) {
  const int quiet = ::open("/dev/null", O_RDWR);
  dup2(quiet, 0), dup2(quiet, 1), dup2(quiet, 2);
  // The pipes may be 3 or 4 already: move them out of the way first.
  const int a = fcntl(reads, F_DUPFD, 10), b = fcntl(writes, F_DUPFD, 10);
  dup2(a, 3), dup2(b, 4);
  std::vector<char*> argv;
  for (const std::string& s : list) argv.push_back(const_cast<char*>(s.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

bool write_all(int to, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(to, text.data() + done, text.size() - done);
    if (n <= 0 && errno != EINTR) return false;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

std::string in_search_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  const std::string folders = path == nullptr ? "/usr/bin" : path;
  for (std::size_t from = 0; from <= folders.size();) {
    const std::size_t to = std::min(folders.find(':', from), folders.size());
    const fs::path candidate = fs::path(folders.substr(from, to - from)) / name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate.string();
    from = to + 1;
  }
  return "";
}

Result<std::unique_ptr<Browser>> Browser::start(int width, int height) {
  const std::string program = find_program();
  if (program.empty()) return browser_fault("no Chromium in the search path");
  const fs::path profile = temporary_folder();
  if (profile.empty()) return browser_fault("no temporary folder could be made");
  std::array<int, 2> to{}, from{};
  if (pipe2(to.data(), O_CLOEXEC) != 0 || pipe2(from.data(), O_CLOEXEC) != 0)
    return browser_fault(std::strerror(errno));
  const auto list = arguments(program, profile);
  std::signal(SIGPIPE, SIG_IGN);
  const pid_t process = fork();
  if (process == 0) become_browser(list, to[0], from[1]);
  close(to[0]), close(from[1]);
  std::unique_ptr<Browser> browser(new Browser(process, to[1], from[0], profile));
  if (process < 0) return browser_fault(std::strerror(errno));
  const auto attached = browser->attach(width, height);
  if (!attached) return attached.why();
  return browser;
}

Browser::~Browser() {
  close(in_), close(out_);  // the browser ends when its pipe does
  for (int k = 0; k < 100 && process_ > 0; ++k) {
    if (waitpid(process_, nullptr, WNOHANG) == process_) process_ = -1;
    if (process_ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (process_ > 0) kill(process_, SIGKILL), waitpid(process_, nullptr, 0);
  std::error_code ignored;
  fs::remove_all(profile_, ignored);
}

Diagnostic Browser::fault(std::string found) const {
  return browser_fault(std::move(found));
}

Result<bool> Browser::attach(int width, int height) {
  const auto target = call("Target.createTarget", nlohmann::json::object({{"url", "about:blank"}}));
  if (!target) return target.why();
  const auto session =
      call("Target.attachToTarget",
           {{"targetId", target.value().value("targetId", "")}, {"flatten", true}});
  if (!session) return session.why();
  session_ = session.value().value("sessionId", "");
  const auto metrics =
      call("Emulation.setDeviceMetricsOverride",
           {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
  if (!metrics) return metrics.why();
  return true;
}

Result<nlohmann::json> Browser::call(const std::string& method, const nlohmann::json& parameters) {
  nlohmann::json message{{"id", ++last_id_}, {"method", method}, {"params", parameters}};
  if (!session_.empty()) message["sessionId"] = session_;
  if (!write_all(in_, message.dump() + '\0')) return fault("it does not listen");
  return answer(last_id_);
}

Result<nlohmann::json> Browser::answer(int id) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
  std::vector<char> buffer(1 << 16);
  for (;;) {
    const std::size_t end = received_.find('\0');
    if (end != std::string::npos) {
      const auto message = nlohmann::json::parse(
          received_.begin(), received_.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
      received_.erase(0, end + 1);
      if (!message.is_object() || message.value("id", 0) != id) continue;
      if (message.contains("error")) return fault(message["error"].value("message", "an error"));
      return message.value("result", nlohmann::json::object());
    }
    pollfd ready{out_, POLLIN, 0};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                          until - std::chrono::steady_clock::now())
                          .count();
    if (left <= 0 || poll(&ready, 1, static_cast<int>(left)) == 0)
      return fault("it did not answer in time");
    const ssize_t n = read(out_, buffer.data(), buffer.size());
    if (n == 0 || (n < 0 && errno != EINTR)) return fault("it ended by itself");
    if (n > 0) received_.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

Result<nlohmann::json> Browser::evaluate(const std::string& script) {
  auto result = call("Runtime.evaluate",
                     {{"expression", script}, {"awaitPromise", true}, {"returnByValue", true}});
  if (!result) return result.why();
  if (result.value().contains("exceptionDetails"))
    return fault(result.value()["exceptionDetails"].dump().substr(0, 400));
  return result.value()["result"].value("value", nlohmann::json());
}

Result<bool> Browser::open(const fs::path& file, const std::string& ready) {
  const auto page = call(
      "Page.navigate", nlohmann::json::object({{"url", "file://" + fs::absolute(file).string()}}));
  if (!page) return page.why();
  for (int k = 0; k < 600; ++k) {
    const auto now = evaluate("!!(" + ready + ")");
    if (now && now.value() == true) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return fault("the page did not become ready");
}

Result<std::string> Browser::screenshot() {
  const auto image = call("Page.captureScreenshot", nlohmann::json::object({{"format", "png"}}));
  if (!image) return image.why();
  return from_base64(image.value().value("data", ""));
}

Result<std::string> Browser::pdf(double width, double height) {
  nlohmann::json sheet{{"printBackground", true}, {"preferCSSPageSize", width <= 0}};
  if (width > 0) {
    sheet["paperWidth"] = width;
    sheet["paperHeight"] = height;
    for (const char* side : {"marginTop", "marginBottom", "marginLeft", "marginRight"})
      sheet[side] = 0;
  }
  const auto printed = call("Page.printToPDF", sheet);
  if (!printed) return printed.why();
  return from_base64(printed.value().value("data", ""));
}

std::string from_base64(const std::string& text) {
  std::string out;
  unsigned word = 0;
  int bits = 0;
  for (const char c : text) {
    const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char* found = std::strchr(letters, c);
    if (c == '\0' || found == nullptr) continue;
    word = word << 6U | static_cast<unsigned>(found - letters);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(word >> static_cast<unsigned>(bits) & 255U);
  }
  return out;
}

namespace {

// Opens the drawing alone on a page and takes from it.
Result<std::string> drawn(const std::string& svg,
                          int width,
                          int height,
                          const std::function<Result<std::string>(Browser&)>& take) {
  auto browser = Browser::start(width, height);
  if (!browser) return browser.why();
  const fs::path folder = temporary_folder();
  const fs::path page = folder / "plot.html";
  std::ofstream(page)
      << "<!doctype html><meta charset='utf-8'><style>body{margin:0}svg{display:block}</style>"
      << svg;
  const auto ready = browser.value()->open(
      page, "document.readyState === 'complete' && document.querySelector('svg')");
  auto out = ready ? take(*browser.value()) : Result<std::string>(ready.why());
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return out;
}

}  // namespace

Result<std::string> png_of_svg(const std::string& svg, int width, int height) {
  return drawn(svg, width, height, [](Browser& browser) { return browser.screenshot(); });
}

Result<std::string> pdf_of_svg(const std::string& svg, int width, int height) {
  constexpr double pixels_per_inch = 96;  // of CSS
  return drawn(svg, width, height, [&](Browser& browser) {
    return browser.pdf(width / pixels_per_inch, (height + 1) / pixels_per_inch);
  });
}

}  // namespace cardan::app
