#pragma once
// The formulas and laws by which forces and rates of states follow the motion, over intervals of what
// they read: operation by operation, where something narrow may be hidden (math/formula_range.h).
//   variables   values and rates of requests and states, and of what laws of forces measure
//   operations  of all formulas, one after the other
#include <string>
#include <vector>

#include "cardan/math/formula_range.h"
#include "cardan/system/system.h"

namespace cardan {

class LoadPool;

class FormulaParts {
 public:
  explicit FormulaParts(const System&);

  std::size_t operations() const { return operations_; }  // 0: nothing can be hidden

  std::size_t variables() const { return system_.requests().size() + own_.size(); }

  void measure(const State&, View value, View rate);

  // Operations over intervals of t and of the variables (those of inputs and of formulas are found
  // here), along a way of length 2 half.
  void over(const Reached& t,
            std::span<const Reached> value,
            std::span<const Reached> rate,
            double half,
            std::span<Reached> out);

  void limits(std::span<Reached> out);  // what the operations can be at all

  // Whether an operation follows a condition, at which a run has an event.
  bool switches(std::size_t operation) const { return switches_[operation] != 0; }

  const std::string& words(std::size_t operation) const;  // "force 'bump'", whose it is

 private:
  struct Part {
    FormulaRange range;
    std::string words;
    std::vector<int> inputs;  // requests; of a law of one variable none
    int request = -1;         // whose value it is
    int own = -1;             // of own_: what it measures
    bool law = false;         // a function of that alone
    std::size_t first = 0;    // of its operations among all
  };

  struct Own {  // what a row of a force measures
    const LoadPool* pool;
    int element, row;
  };

  std::vector<char> used_requests() const;
  Part part_of(const Expression&, const std::vector<int>& inputs, std::string words) const;
  void add_laws(const LoadPool&,
                int element,
                const std::vector<int>& inputs,
                const std::string& words);
  void add(Part part);
  std::span<Reached> place(const Part&, std::span<Reached> all) const;

  const System& system_;
  Workspace work_;
  std::vector<Part> parts_;
  std::vector<Own> own_;
  std::size_t operations_ = 0;
  std::vector<char> switches_;  // of operations
  std::vector<Reached> value_, arguments_;
};

}  // namespace cardan
