#include "cardan/analysis/driven/lost_contacts.h"

#include <fmt/format.h>

#include "cardan/analysis/causes.h"
#include "cardan/system/cam_rows.h"

namespace cardan {

LostContacts::LostContacts(const System& system) {
  for (const CamRow& cam : cam_rows(system))
    cams_.push_back({&system.constraints()[static_cast<std::size_t>(cam.constraint)], cam.row});
}

void LostContacts::lose(std::size_t cam, double t) {
  if (cams_[cam].times++ == 0) cams_[cam].first = t;
}

void LostContacts::lose(const std::string& words, double t) {
  for (std::size_t k = 0; k < cams_.size(); ++k)
    if (cams_[k].info->words() == words) return lose(k, t);
}

Diagnostics LostContacts::warnings() const {
  Diagnostics all;
  for (const Cam& cam : cams_) {
    if (cam.times == 0) continue;
    Diagnostic d = fault_at(
        "numeric.contact-lost",
        fmt::format("contact is lost at t = {:.10g} s{}: from there the joint would have to pull",
                    cam.first,
                    cam.times > 1 ? fmt::format(" and {} times more", cam.times - 1) : ""),
        cam.first);
    d.severity = Severity::warning;
    d.element = cam.info->words();
    d.where = cam.info->where;
    d.expected = "a spring that keeps cam and follower together";
    d.hint = "a [[contact]] instead of the joint lets them part, in a dynamic analysis";
    all.push_back(std::move(d));
  }
  return all;
}

void LostContacts::serialize(Archive& archive) {
  for (Cam& cam : cams_) {
    archive.io(cam.times);
    archive.io(cam.first);
  }
}

}  // namespace cardan
