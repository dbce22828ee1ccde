#pragma once
// The items of each document, one file each.
#include <span>

#include "cardan/documents/document.h"

namespace cardan::documents {

std::span<const DocumentEntry> document_000();
std::span<const DocumentEntry> document_001();
std::span<const DocumentEntry> document_002();
std::span<const DocumentEntry> document_003();
std::span<const DocumentEntry> document_004();

}  // namespace cardan::documents
