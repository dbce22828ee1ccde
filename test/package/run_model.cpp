// Runs a model and prints a channel, row by row: run_model MODEL CHANNEL
#include <cstdio>

#include <cardan/cardan.h>

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const auto model = cardan::read_model(arguments[1]);
  if (!model) {
    for (const auto& fault : model.why())
      std::fprintf(stderr, "%s\n", cardan::to_text(fault).c_str());
    return 4;
  }
  cardan::RowsInMemory rows;
  const cardan::Outcome outcome = cardan::run_model(model.value(), rows, {});
  for (const auto& segment : rows.segments()) {
    const auto values = segment.column(arguments[2]);
    for (std::size_t k = 0; k < values.size(); ++k)
      std::printf("%.17g,%.17g\n", segment.t[k], values[k]);
  }
  return outcome.exit_code();
}
