// Diagnostics about the command line and the machine it runs on, one row an id. A new id gets its
// row here.
#include "cardan/base/catalogue_groups.h"

namespace cardan {
namespace {

// clang-format off
constexpr CatalogueEntry command_entries[] = {
    {"usage.unknown-command", "A command that does not exist",
     "The first word after 'cardan' is not one of its commands.",
     "'cardan --help' lists the commands; the nearest name is suggested when there is one."},
    {"usage.bad-value", "A value on the command line that makes no sense",
     "An option's value is not a number, has the wrong unit, is outside its range, or is not one "
     "of the words the option knows.",
     "Values are written as in a model file: '0.5', '0.5 s' or '20 ms'. 'cardan COMMAND --help' "
     "tells what each option takes."},
    {"usage.unknown-id", "No diagnostic has this id",
     "'cardan explain' was asked for an id that no message carries.",
     "'cardan explain' without an id lists them all."},
    {"usage.unknown-channel", "No channel matches",
     "A name or pattern given for channels fits none of those stored in the run.",
     "The names are in the first line of 'cardan export RUN --csv'. In a pattern * stands for any "
     "text and ? for any one character."},
    {"io.busy", "Another process is writing this run",
     "A run has one writer at a time, and another program holds it now.",
     "Wait for it to end, or stop it; reading the run is possible meanwhile."},
    {"io.model-changed", "The model of the run has changed",
     "A file that the model includes is not what it was when the run began, so that continuing "
     "would mix two mechanisms.",
     "Restore the file, or start a new run."},
    {"io.other-version", "The run was made by another version",
     "A checkpoint holds the inside of the program that wrote it. Another version has another inside, and could go "
     "on with numbers that it does not understand.",
     "Resume with the version that began the run, or run the model anew. Stored samples can be read by both."},
    {"io.worker-lost", "A worker of a sweep was lost",
     "A process that ran points of a sweep ended, was killed or ran out of memory, again and again with "
     "the same point.",
     "Run the point alone with `cardan sweep rerun STORE POINT`; give the workers more memory, or fewer "
     "points at once."},
    {"io.no-function", "A function of a program",
     "The model calls functions that a Python program gave it. They stand in no file, so a run that calls them can be "
     "neither resumed nor verified, and workers in other processes do not have them.",
     "Run the program again; or write the law as a formula or a [[curve]] of the model."},
    {"io.no-browser", "No browser to draw with",
     "PNG images and films are drawn by a headless Chromium, which is not there or did not answer.",
     "Install it ('apt-get install chromium'), or name it in the environment variable CARDAN_BROWSER. SVG "
     "plots need no browser."},
    {"io.no-encoder", "No program that writes films",
     "MP4 files are written by ffmpeg, which is not there or failed.",
     "Install it ('apt-get install ffmpeg'), or use --gif or --frames, which need none."},
    {"io.no-part", "A part of the program is missing",
     "'cardan view' and netCDF export are programs of their own (cardan-view, cardan-netcdf), which lie beside the "
     "program or in libexec/cardan of its installation.",
     "Install or build Cardan again; do not move the program without its parts."},
    {"io.no-viewer", "Built without the viewer",
     "Films and 'cardan view' need the viewer; this program was built without (CARDAN_VIEWER=OFF).",
     "Build Cardan again with CARDAN_VIEWER=ON."},
    {"io.port", "The local page cannot be served",
     "No port of this machine could be opened for the page.",
     "Another program holds the port: leave out --port, or give another."},
    {"limit.points", "A sweep of too many points",
     "The combinations of all values that were given are more points than a sweep may have.",
     "Use wider steps or fewer parameters, or --sample with a number of points: a sample covers many parameters at once."},
    {"limit.memory", "Not enough memory",
     "The machine could not give the memory that the model needs.",
     "Store fewer outputs, make the model smaller, or use a larger machine."},
};
// clang-format on

}  // namespace

std::span<const CatalogueEntry> entries_of_commands() {
  return command_entries;
}

}  // namespace cardan
