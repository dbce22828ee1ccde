#pragma once
// Items of documents as text for the terminal and as pages in Markdown.
#include <functional>
#include <string>

#include "cardan/documents/document.h"

namespace cardan {

std::string as_text(const DocumentEntry&, const DocumentItem&);

// One document as a page. `picture` is given the name of a picture and its text, and writes it where
// the page will look for it: beside itself.
std::string as_page(
    const SourceDocument&,
    const std::function<void(const std::string& name, const std::string& svg)>& picture);

}  // namespace cardan
