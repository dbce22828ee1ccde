#include "progress.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace cardan::app {

using namespace std::chrono_literals;

Progress::Progress(const Console& console)
    : console_(console),
      bar_(!console.json() && isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      last_(start_) {}

void Progress::update(double t, double t_start, double t_end) {
  if (!bar_ && !console_.json()) return;
  const auto now = Clock::now();
  if (now - last_ < (bar_ ? 100ms : 1000ms)) return;
  last_ = now;
  const double part =
      t_end > t_start ? std::clamp((t - t_start) / (t_end - t_start), 0.0, 1.0) : 0.0;
  if (bar_)
    draw(part, t);
  else
    console_.print_json("progress", {{"t", t}, {"part", part}});
}

void Progress::draw(double part, double t) {
  constexpr int width = 30;
  const int full = static_cast<int>(part * width);
  const double seconds = std::chrono::duration<double>(last_ - start_).count();
  std::string left;
  if (part > 0.01) left = fmt::format(", {:.0f} s left", seconds * (1 - part) / part);
  fmt::print(stderr,
             "\r[{:#<{}}{:.<{}}] {:3.0f} %  t = {:.6g} s{}\x1b[K",
             "",
             full,
             "",
             width - full,
             100 * part,
             t,
             left);
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace cardan::app
