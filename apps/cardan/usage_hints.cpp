#include "usage_hints.h"

#include <algorithm>

#include <fmt/format.h>

#include "cardan/base/diagnostic.h"

namespace cardan::app {

namespace {

struct OtherName {
  std::string_view words;  // separated by spaces
  std::string_view means;
  std::string_view hint = "";  // instead of "did you mean"
};

// clang-format off
constexpr OtherName other_commands[] = {
    {"simulate sim solve start exec execute go compute calc", "run"},
    {"list ls history", "runs"},
    {"validate lint test info inspect", "check"},
    {"gui ui open browse browser display viewer", "view"},
    {"convert csv excel xlsx matlab save write", "export"},
    {"graph chart draw curve", "plot"},
    {"summary result results stats statistics print", "show"},
    {"peaks values", "table"},
    {"video film movie gif render animation", "animate"},
    {"init create template", "new"},
    {"continue restart", "resume"},
    {"pdf html", "report"},
    {"batch scan doe vary parametric", "sweep"},
    {"optimize fit", "optimise"},
    {"linearize modal modes eigen vibration", "linearise"},
    {"static statics rest", "equilibrium"},
    {"jacobian equations", "matrices"},
    {"validation benchmark", "selftest"},
    {"methods integrators solvers formulations", "method"},
};

constexpr OtherName other_options[] = {
    {"-t --end --tend --t-end --end-time --stop --stop-time --duration --time --tmax", "--until"},
    {"-h --dt --timestep --time-step --stepsize --step-size", "--step"},
    {"--method --solver", "--integrator"},
    {"--tol --tolerance --reltol", "--rtol"},
    {"--abstol", "--atol"},
    {"-p -D --param --parameter --parameters --define --var --override", "--set"},
    {"--out --outdir --folder --dir --directory --file --to", "--output"},
    {"--dt-out --sample --sample-time --output-interval --save-every", "--output-step"},
    {"--overwrite --replace -f", "--force"},
    {"--silent", "--quiet"},
    {"--3d", "--spatial"},
    {"--compare --overlay --and", "--with"},
    {"--show --browser --view", "--open"},
    {"--unit", "--units"},
    {"--terminal --text --ascii", "--term"},
    {"--channels", "--channel"},
    {"--times --t", "--at"},
};

// Of one command, where the name of the file says it.
struct OptionOf {
  std::string_view command, words, hint;
};

constexpr OptionOf options_of[] = {
    {"export", "--excel --xls --spreadsheet", "write -o FILE.xlsx, or --xlsx"},
    {"export", "--matlab", "write -o FILE.mat, or --mat"},
    {"export", "--nc --hdf5 --h5", "write -o FILE.nc, or --netcdf"},
    {"export", "--format --type", "the end of the name decides: -o FILE.csv, .json, .mat, .xlsx, .nc"},
    {"table", "--channel --channels -c --list", "names stand behind the run: cardan table RUN ram.x 'pin.*'; without any all are shown"},
    {"plot", "--channel --channels -c", "names stand behind the run: cardan plot RUN ram.x"},
    {"show", "--channel --channels -c", "cardan table RUN ram.x shows chosen channels"},
    {"run", "--resume", "cardan resume RUN"},
    {"plot", "--svg --png --pdf --format", "the end of the name decides: -o FILE.svg, .png or .pdf"},
};

// clang-format on

bool is_one_of(std::string_view words, std::string_view word) {
  for (std::size_t from = 0; from < words.size();) {
    const std::size_t end = std::min(words.find(' ', from), words.size());
    if (words.substr(from, end - from) == word) return true;
    from = end + 1;
  }
  return false;
}

}  // namespace

std::string hint_of_command(std::string_view word, const std::vector<std::string>& known) {
  std::string meant;
  for (const OtherName& other : other_commands)
    if (is_one_of(other.words, word)) meant = other.means;
  if (meant.empty()) meant = nearest_name(word, known);
  return meant.empty() ? "" : fmt::format("did you mean 'cardan {}'?", meant);
}

std::string hint_of_option(std::string_view command,
                           std::string_view option,
                           const std::vector<std::string>& known) {
  for (const OptionOf& other : options_of)
    if (other.command == command && is_one_of(other.words, option)) return std::string(other.hint);
  std::string meant;
  for (const OtherName& other : other_options)
    if (is_one_of(other.words, option) &&
        std::find(known.begin(), known.end(), other.means) != known.end())
      meant = other.means;
  if (meant.empty() && option.starts_with("--")) meant = nearest_name(option, known);
  return meant.empty() ? "" : fmt::format("did you mean {}?", meant);
}

}  // namespace cardan::app
