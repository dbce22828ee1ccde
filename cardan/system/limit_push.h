#pragma once
// Whether compliant limits push (force_law.h). With the elastic force E of a depth x and its damping c w x',
//   p = (E + c w x') / (E + c w |x'|)    pressed in, 1 outside,
// is negative where the sum would pull and is cut off at zero; there force and losses have a corner. As a body
// comes in p is 1, as it is outside.
#include <vector>

#include "cardan/system/system.h"

namespace cardan {

std::vector<int> losing_contacts(
    const System&);  // compliant contacts and stops that have such corners

double push_of_contact(const System&, int contact, const Motion&);  // p, the least of its limits

}  // namespace cardan
