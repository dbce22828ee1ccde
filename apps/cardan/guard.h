#pragma once
// What every program of Cardan does about exceptions that nobody caught: they are told like any
// other fault.
#include <functional>

#include "console.h"

namespace cardan::app {

int guarded(const Console&, const std::function<int()>& work);  // the exit code

}  // namespace cardan::app
