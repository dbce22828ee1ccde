#include "cardan/io/faults.h"

#include <algorithm>

#include <fmt/format.h>

namespace cardan {

namespace {

Diagnostic diagnostic(std::string_view id,
                      const SourcePos& where,
                      std::string found,
                      std::string expected,
                      std::string hint) {
  Diagnostic d;
  d.id = id;
  d.where = where;
  d.found = std::move(found);
  d.expected = std::move(expected);
  d.hint = std::move(hint);
  return d;
}

}  // namespace

void Faults::error(std::string_view id,
                   const SourcePos& where,
                   std::string found,
                   std::string expected,
                   std::string hint) {
  add(diagnostic(id, where, std::move(found), std::move(expected), std::move(hint)));
}

void Faults::error(const KeyFault& fault, const SourcePos& where) {
  error(fault.id, where, fault.found, fault.expected, fault.hint);
}

void Faults::note(std::string_view id,
                  const SourcePos& where,
                  std::string found,
                  std::string expected,
                  std::string hint) {
  Diagnostic d = diagnostic(id, where, std::move(found), std::move(expected), std::move(hint));
  d.severity = Severity::note;
  add(std::move(d));
}

void Faults::add(const Diagnostics& all) {
  for (const auto& d : all) add(d);
}

void Faults::add(Diagnostic d) {
  const bool error = d.severity == Severity::error;
  if (error) ++seen_;
  if (error && full()) return;
  const void* file = d.where.file.get();
  if (d.where.line > 0 && !places_.emplace(d.id, file, d.where.line, d.where.column).second) return;
  if (error) ++errors_;
  if (d.element.empty() && subject_ != nullptr) d.element = subject_->words();
  list_.push_back(std::move(d));
}

void Faults::withdraw(std::size_t place) {
  if (place >= list_.size() || list_[place].id.empty()) return;
  list_[place].id.clear();
  --errors_;
}

Diagnostics Faults::take() {
  std::erase_if(list_, [](const Diagnostic& d) { return d.id.empty(); });
  std::stable_sort(list_.begin(), list_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    if (a.where.file != b.where.file && a.where.file && b.where.file &&
        *a.where.file != *b.where.file)
      return *a.where.file < *b.where.file;
    return std::tie(a.where.line, a.where.column) < std::tie(b.where.line, b.where.column);
  });
  if (full()) {
    Diagnostic d = diagnostic("limit.faults",
                              {},
                              fmt::format("{} faults; no more are listed", most),
                              "",
                              "mend these and check again");
    d.severity = Severity::note;
    list_.push_back(std::move(d));
  }
  return std::move(list_);
}

std::string Faults::subject() const {
  return subject_ != nullptr ? subject_->words() : "";
}

Faults::Subject::Subject(Faults& faults, std::string_view kind, std::string name)
    : faults_(faults), outer_(faults.subject_), kind_(kind), name_(std::move(name)) {
  faults_.subject_ = this;
}

Faults::Subject::~Subject() {
  faults_.subject_ = outer_;
}

std::string Faults::Subject::words() const {
  return name_.empty() ? std::string(kind_) : fmt::format("{} '{}'", kind_, name_);
}

}  // namespace cardan
