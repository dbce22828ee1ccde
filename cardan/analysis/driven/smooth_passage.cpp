#include "cardan/analysis/driven/smooth_passage.h"

#include <utility>

namespace cardan {

namespace {

std::array<double, SmoothPassage::nodes.size()> lagrange(double x) {
  std::array<double, SmoothPassage::nodes.size()> weights{};
  for (std::size_t k = 0; k < weights.size(); ++k) {
    weights[k] = 1;
    for (std::size_t j = 0; j < weights.size(); ++j)
      if (j != k)
        weights[k] *=
            (x - SmoothPassage::nodes[j]) / (SmoothPassage::nodes[k] - SmoothPassage::nodes[j]);
  }
  return weights;
}

}  // namespace

SmoothPassage::SmoothPassage(const System& system,
                             SingularPose pose,
                             double w,
                             std::vector<State> at_nodes)
    : system_(system), pose_(std::move(pose)), w_(w), at_nodes_(std::move(at_nodes)) {
  increments();
}

void SmoothPassage::increments() {
  d_.assign(at_nodes_.size(), std::vector<double>(at_nodes_.front().v.size()));
  for (std::size_t k = 0; k < d_.size(); ++k)
    system_.difference(at_nodes_[k].q, at_nodes_[3].q, d_[k]);
}

std::vector<double> SmoothPassage::weights(double t) const {
  const auto weights = lagrange((t - pose_.t) / w_);
  return {weights.begin(), weights.end()};
}

void SmoothPassage::at(double t, State& state) const {
  const auto weights = lagrange((t - pose_.t) / w_);
  const std::size_t n = d_.front().size();
  std::vector<double> d(n, 0.0);
  state.t = t;
  state.v.assign(n, 0.0);
  state.a.assign(n, 0.0);
  for (std::size_t k = 0; k < weights.size(); ++k)
    for (std::size_t i = 0; i < n; ++i) {
      d[i] += weights[k] * d_[k][i];
      state.v[i] += weights[k] * at_nodes_[k].v[i];
      state.a[i] += weights[k] * at_nodes_[k].a[i];
    }
  state.q.resize(at_nodes_[3].q.size());
  system_.advance(at_nodes_[3].q, d, state.q);
}

std::pair<double, double> SmoothPassage::distance(const State& state) const {
  State there = state;
  at(state.t, there);
  std::vector<double> d(state.v.size());
  system_.difference(state.q, there.q, d);
  for (std::size_t i = 0; i < d.size(); ++i) there.v[i] -= state.v[i];
  return {system_.largest_move(d), system_.largest_move(there.v)};
}

void SmoothPassage::serialize(Archive& archive) {
  archive.io(pose_.t);
  for (std::string* text : {&pose_.kind, &pose_.joint, &pose_.driver}) archive.io(*text);
  archive.io(w_);
  for (State& node : at_nodes_) {
    archive.io(node.t);
    for (auto* list : {&node.q, &node.v, &node.a}) archive.io(*list);
  }
  if (archive.loading() && archive.good()) increments();
}

}  // namespace cardan
