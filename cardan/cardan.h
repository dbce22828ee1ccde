#pragma once
// What a C++ program needs to read, check and run models: link cardan::cardan and include this.
// Nothing here stores anything; runs that are stored, with report and resume, are in
// cardan/session/session.h (link cardan::session).
//
//   read_model, read_model_text   a model file to a Model, or to all its faults
//   check_model                   compiled, assembled, degrees of freedom
//   run_model                     all analyses of the model; rows go to a sink
//   RowsInMemory                  a sink that keeps them
//   Simulation                    a motion followed step by step: start, step_to, state, set_input
#include "cardan/analysis/dynamic/simulation.h"
#include "cardan/analysis/run.h"
#include "cardan/analysis/start/assembly.h"
#include "cardan/base/diagnostic.h"
#include "cardan/io/read_model.h"
#include "cardan/model/model.h"
#include "cardan/results/rows_in_memory.h"
#include "cardan/system/system.h"
