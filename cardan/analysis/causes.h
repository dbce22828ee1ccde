#pragma once
// A failure of a run in words of the mechanism.
#include <limits>
#include <optional>
#include <string>

#include "cardan/base/diagnostic.h"
#include "cardan/model/options.h"
#include "cardan/system/motion_solver.h"

namespace cardan {

// t: where it happened; NaN: nowhere.
Diagnostic fault_at(std::string id,
                    std::string found,
                    double t = std::numeric_limits<double>::quiet_NaN());

// Names the joint or contact whose friction leaves the motion undetermined, or the joint whose
// equation is about to be lost; any other failure stays as it is.
Diagnostic name_cause(const MotionSolver&, Diagnostic);

// To a failure of that kind: which joints and drivers hold each other in this pose.
void name_locking(const System&, const State&, Diagnostic&);

// What keeps a run from beginning.
std::optional<Diagnostic> too_many_outputs(double from, const DynamicOptions&);
Diagnostic backward_impact(double until);
Diagnostic missing_step(const std::string& integrator);

// A step given to a method that chooses its own: a note.
Diagnostic first_step_only(const std::string& integrator, const DynamicOptions&);

Diagnostic foreign_checkpoint();  // one that does not belong to this model and these settings
Diagnostic other_version(const std::string& program);  // of a checkpoint
Diagnostic cannot_project(double t);
Diagnostic stopped_on_request(double t);

// The note that a run went through so many singular poses.
Diagnostic passed_singular_poses(long count, SourcePos where);

}  // namespace cardan
