#include "test/fuzz/seeds.h"

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "cardan/analysis/run.h"
#include "cardan/io/read_model.h"
#include "cardan/results/run_writer.h"
#include "test/fuzz/scratch.h"

namespace cardan::fuzz {

namespace {

using Input = std::vector<std::uint8_t>;

// A run with two analyses, events, a diagnostic, estimates and a checkpoint.
std::vector<Input> stores() {
  const std::filesystem::path path = Scratch::folder() / "seed.db";
  std::filesystem::remove(path);
  auto made =
      RunWriter::create(path,
                        {{"title", "Seed"},
                         {"model", {{"path", "a.toml"}, {"text", "x = 1"}, {"sha256", "0"}}},
                         {"status", "complete"}});
  if (!made) return {};
  RunWriter& writer = *made.value();
  const std::vector<Channel> channels{{"a.x", "m", "body a", "position"},
                                      {"a.vx", "m/s", "body a", "velocity"}};
  for (int analysis = 0; analysis < 2; ++analysis) {
    (void)writer.open(channels);
    for (int k = 0; k < 5; ++k) {
      const double row[] = {0.5 * k, 1.0 - k};
      (void)writer.sample(0.1 * k, row);
    }
    (void)writer.event({0.2, "event", "joint p", "a text"});
    const std::byte bytes[] = {std::byte{1}, std::byte{2}};
    (void)writer.checkpoint(0.4, bytes);
  }
  Diagnostic d;
  d.id = "numeric.auto-choice";
  d.found = "something";
  (void)writer.diagnostic(d);
  (void)writer.close();
  std::ifstream file(path, std::ios::binary);
  return {Input(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>())};
}

struct Catcher : Sink {
  Input caught;
  mutable int steps = 0;

  Fault open(std::span<const Channel>) override { return {}; }

  Fault sample(double, std::span<const double>) override { return {}; }

  bool checkpoint_due() const override { return ++steps % 5 == 0; }

  Fault checkpoint(double, std::span<const std::byte> bytes) override {
    caught.assign(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                  reinterpret_cast<const std::uint8_t*>(bytes.data() + bytes.size()));
    return {};
  }
};

// One of each method, behind the byte that chooses it.
std::vector<Input> checkpoints() {
  std::vector<Input> out;
  std::string formulation, integrator;
  for (std::size_t k = 0; resumed_method(k, formulation, integrator); ++k) {
    auto model = read_model_text(resumed_model(), "fuzz.toml");
    auto& options = std::get<DynamicOptions>(model.value().analyses.front());
    options.formulation = formulation;
    options.integrator = integrator;
    options.until = 0.5;
    Catcher catcher;
    (void)run_model(model.value(), catcher, {});
    if (catcher.caught.empty()) continue;
    catcher.caught.insert(catcher.caught.begin(), static_cast<std::uint8_t>(k));
    out.push_back(std::move(catcher.caught));
  }
  return out;
}

}  // namespace

std::vector<Input> made_inputs(const std::string& harness) {
  if (harness == "store") return stores();
  if (harness == "checkpoint") return checkpoints();
  return {};
}

}  // namespace cardan::fuzz
