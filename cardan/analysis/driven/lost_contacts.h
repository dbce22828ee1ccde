#pragma once
// Cams and followers that would part: how often each, and when first.
#include <string>
#include <vector>

#include "cardan/base/diagnostic.h"
#include "cardan/ode/archive.h"
#include "cardan/system/system.h"

namespace cardan {

class LostContacts {
 public:
  explicit LostContacts(const System&);

  struct Cam {  // a joint that can only push
    const System::ConstraintInfo* info;
    int row;           // of equations(); the multiplier is positive in pulling
    long times = 0;    // that it would have to begin to pull
    double first = 0;  // s
  };

  const std::vector<Cam>& cams() const { return cams_; }

  void lose(std::size_t cam, double t);
  void lose(const std::string& words, double t);  // by the name that events have

  Diagnostics warnings() const;

  void serialize(Archive&);

 private:
  std::vector<Cam> cams_;
};

}  // namespace cardan
