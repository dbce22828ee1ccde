#include <array>
#include <vector>

#include <nlohmann/json.hpp>

#include "cardan/analysis/run.h"
#include "cardan/io/read_model.h"
#include "cardan/report/report_document.h"
#include "cardan/results/run_reader.h"
#include "test/fuzz/harness.h"
#include "test/fuzz/scratch.h"
#include "test/fuzz/seeds.h"

namespace cardan::fuzz {

void store(Bytes bytes) {
  const Scratch file("run.db", bytes);
  const auto run = RunReader::open(file.path());
  if (!run) return;
  const RunReader& r = run.value();
  (void)r.manifest();
  (void)r.summary();
  (void)r.log();
  (void)r.checkpoint();
  (void)run_title(r);
  (void)run_status(r);
  for (int k = 0; k < static_cast<int>(r.segments().size()) && k < 8; ++k) {
    (void)r.each_row(k, [](double, std::span<const double>) { return true; });
    if (r.has_estimate(k)) (void)r.each_estimate(k, [](std::span<const double>) { return true; });
  }
}

namespace {

struct Nowhere : Sink {
  Fault open(std::span<const Channel>) override { return {}; }

  Fault sample(double, std::span<const double>) override { return {}; }
};

struct ResumedMethod {
  const char *formulation, *integrator;
};

constexpr std::array<ResumedMethod, 8> resumed_methods{{{"projected", "ode45"},
                                                        {"partitioned", "adams"},
                                                        {"hybrid", "dop853"},
                                                        {"tangent-qr", "bdf"},
                                                        {"null-space", "radau5"},
                                                        {"baumgarte", "ode23"},
                                                        {"half-explicit", "auto"},
                                                        {"state-space", "auto"}}};

constexpr const char* resumed_text = R"(gravity = [0, -9.81]
[[body]]
name = "a"
from = [0, 0]
to = [1, 0]
mass = 1
[[body]]
name = "b"
from = [1, 0]
to = [2, 0.3]
mass = 2
[[joint]]
type = "revolute"
name = "p"
between = ["ground", "a"]
at = [0, 0]
[[joint]]
type = "revolute"
name = "q"
between = ["a", "b"]
at = [1, 0]
[[stop]]
name = "s"
joint = "p"
lower = -2
restitution = 0.5
[[analysis]]
type = "dynamic"
until = 1
output_step = 0.1
)";

}  // namespace

bool resumed_method(std::size_t k, std::string& formulation, std::string& integrator) {
  if (k >= resumed_methods.size()) return false;
  formulation = resumed_methods[k].formulation;
  integrator = resumed_methods[k].integrator;
  return true;
}

const char* resumed_model() {
  return resumed_text;
}

void checkpoint(Bytes bytes) {
  if (bytes.empty()) return;
  static const auto read = read_model_text(resumed_text, "fuzz.toml");
  Model model = read.value();
  const ResumedMethod& method = resumed_methods[bytes[0] % resumed_methods.size()];
  auto& options = std::get<DynamicOptions>(model.analyses.front());
  options.formulation = method.formulation;
  options.integrator = method.integrator;
  Nowhere nowhere;
  int asked = 0;
  Control control;
  control.cancelled = [&] {
    return ++asked > 20;
  };
  (void)run_model(model, nowhere, control, std::as_bytes(bytes.subspan(1)));
}

}  // namespace cardan::fuzz
