#pragma once
// Collects what is wrong with a model while it is read. Every fault says which element is being
// read; the same fault at the same place, as the copies of a repeated part give, is kept once; past
// a hundred there is one note instead.
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "cardan/base/diagnostic.h"
#include "cardan/model/key_faults.h"

namespace cardan {

class Faults {
 public:
  static constexpr std::size_t most = 100;

  void error(std::string_view id,
             const SourcePos& where,
             std::string found,
             std::string expected,
             std::string hint = "");
  void note(std::string_view id,
            const SourcePos& where,
            std::string found,
            std::string expected,
            std::string hint = "");
  void error(const KeyFault&, const SourcePos& where);
  void add(Diagnostic);
  void add(const Diagnostics&);

  bool any() const { return errors_ > 0; }

  bool full() const { return errors_ >= most; }

  std::size_t seen() const { return seen_; }  // errors, those not kept included

  // Takes back an error that follows from one found later. `place`: size() just before it was added.
  std::size_t size() const { return list_.size(); }

  void withdraw(std::size_t place);

  Diagnostics take();  // in the order of the file

  std::string subject() const;  // the element being read, in words; empty: none

  // Names the element being read while it lives; the outer one comes back after it.
  class Subject {
   public:
    Subject(Faults& faults, std::string_view kind, std::string name);
    ~Subject();
    Subject(const Subject&) = delete;
    Subject& operator=(const Subject&) = delete;
    std::string words() const;

    void rename(std::string name) { name_ = std::move(name); }

   private:
    Faults& faults_;
    const Subject* outer_;
    std::string_view kind_;
    std::string name_;
  };

 private:
  const Subject* subject_ = nullptr;
  std::set<std::tuple<std::string, const void*, int, int>> places_;
  Diagnostics list_;
  std::size_t errors_ = 0, seen_ = 0;
};

}  // namespace cardan
