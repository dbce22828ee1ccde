#pragma once

// How often memory has been allocated by this thread since the program started.
namespace cardan {

long allocations();

}  // namespace cardan
