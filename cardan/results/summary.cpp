// One description of a summary serves both directions: what is written is read back, and a new
// field is one line here.
#include "cardan/results/summary.h"

#include <cmath>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "cardan/results/json.h"

namespace cardan {

namespace {

using Json = nlohmann::ordered_json;

class SummaryWriter {
 public:
  Json json;

  void value(const char* key, const auto& x) { json[key] = x; }

  void again(const char* key, const auto& x) { json[key] = x; }  // under a second name

  void optional(const char* key, double x) {  // left out when unknown
    if (!std::isnan(x)) json[key] = x;
  }

  void counted(const char* key, long x) {  // left out when negative
    if (x >= 0) json[key] = x;
  }

  template <class Part> void part(const char* key, Part& x, bool there = true) {
    if (!there) return;
    SummaryWriter inner;
    describe(inner, x);
    json[key] = std::move(inner.json);
  }

  template <class Part> void list(const char* key, std::vector<Part>& parts) {  // none: left out
    for (Part& x : parts) {
      SummaryWriter inner;
      describe(inner, x);
      json[key].push_back(std::move(inner.json));
    }
  }

  void filled(const char* key, const auto& x) {  // left out when empty
    if (!x.empty()) json[key] = x;
  }

  // The parts of x as parts of this; `key` is always among them.
  template <class Part> void merged(const char*, std::optional<Part>& x) {
    if (x) describe(*this, *x);
  }

  void pairs(const char* key, const std::vector<ComplexNumber>& list) {
    json[key] = Json::array();
    for (const auto& x : list) json[key].push_back({x[0], x[1]});
  }

  template <class Part> void optional_part(const char* key, std::optional<Part>& x) {
    if (x) part(key, *x);
  }

  void bodies(const char* key, const std::vector<BodyState>& list) {
    by_name(
        key,
        list,
        [](const auto& x) -> std::string_view { return x.body; },
        [](const auto& x) {
          return Json{{"q", x.q}, {"v", x.v}, {"a", x.a}};
        });
  }

  void poses(const char* key, const std::vector<BodyPose>& list) {
    by_name(
        key,
        list,
        [](const auto& x) -> std::string_view { return x.body; },
        [](const auto& x) { return Json(x.q); });
  }

  void named_values(const char* key, const std::vector<NamedValue>& list) {
    by_name(
        key,
        list,
        [](const auto& x) -> std::string_view { return x.name; },
        [](const auto& x) { return Json(x.value); });
  }

  void filled_values(const char* key, const std::vector<NamedValue>& list) {
    if (!list.empty()) named_values(key, list);
  }

  void channels(const char* key, const std::vector<ChannelError>& list) {
    by_name(
        key,
        list,
        [](const auto& c) -> std::string_view { return c.channel; },
        [](const auto& c) {
          return Json{{"max", c.largest}, {"at", c.at}, {"unit", c.unit}};
        });
  }

  void statistics(const char* key, const std::vector<ChannelStatistics>& list) {
    if (list.empty()) return;
    by_name(
        key,
        list,
        [](const auto& c) -> std::string_view { return c.channel; },
        [](const auto& c) {
          return Json{{"unit", c.unit},
                      {"least", c.least},
                      {"t_least", c.t_least},
                      {"largest", c.largest},
                      {"t_largest", c.t_largest},
                      {"mean", c.mean},
                      {"rms", c.rms}};
        });
  }

  void diagnostics(const char* key, const Diagnostics& list) { json[key] = to_json(list); }

  void earlier(const char* key, std::vector<Summary>& list) {
    for (auto& before : list) json[key].push_back(to_json(before));
  }

 private:
  // No name is looked for among the members, which would cost the square of their number. Of a name that
  // comes again the last value counts.
  template <class List, class Name, class Value>
  void by_name(const char* key, const List& list, Name name, Value value) {
    Json& to = json[key] = Json::object();
    auto& members = to.get_ref<Json::object_t&>();
    members.reserve(list.size());  // keys stay where they are
    std::unordered_map<std::string_view, std::size_t> places;
    places.reserve(list.size());
    for (const auto& x : list) {
      if (const auto known = places.find(name(x)); known != places.end()) {
        std::next(members.begin(), static_cast<std::ptrdiff_t>(known->second))->second = value(x);
        continue;
      }
      members.emplace_back(name(x), value(x));
      places.emplace(members.back().first, members.size() - 1);
    }
  }
};

double number(const Json& x) {
  return x.is_null() ? Summary::unknown : x.get<double>();
}

std::vector<double> numbers(const Json& list) {
  std::vector<double> out;
  for (const auto& x : list) out.push_back(number(x));
  return out;
}

class SummaryReader {  // throws nlohmann::json::exception where the text is not that of a summary
 public:
  explicit SummaryReader(const Json& from) : json(from) {}

  const Json& json;

  void value(const char* key, double& x) { x = number(json.at(key)); }

  void value(const char* key, auto& x) { json.at(key).get_to(x); }

  void again(const char*, const auto&) {}

  void optional(const char* key, double& x) {
    if (json.contains(key)) x = number(json[key]);
  }

  void counted(const char* key, long& x) {
    if (json.contains(key)) json[key].get_to(x);
  }

  template <class Part> void part(const char* key, Part& x, bool = true) {
    if (!json.contains(key)) return;
    SummaryReader inner(json[key]);
    describe(inner, x);
  }

  template <class Part> void list(const char* key, std::vector<Part>& parts) {
    if (!json.contains(key)) return;
    for (const auto& x : json[key]) {
      SummaryReader inner(x);
      describe(inner, parts.emplace_back());
    }
  }

  void filled(const char* key, auto& x) {
    if (json.contains(key)) json[key].get_to(x);
  }

  template <class Part> void merged(const char* key, std::optional<Part>& x) {
    if (json.contains(key)) describe(*this, x.emplace());
  }

  void pairs(const char* key, std::vector<ComplexNumber>& list) {
    for (const auto& x : json.at(key)) list.push_back({number(x.at(0)), number(x.at(1))});
  }

  template <class Part> void optional_part(const char* key, std::optional<Part>& x) {
    if (json.contains(key)) part(key, x.emplace());
  }

  void bodies(const char* key, std::vector<BodyState>& list) {
    for (const auto& [name, body] : json.at(key).items())
      list.push_back({name, numbers(body.at("q")), numbers(body.at("v")), numbers(body.at("a"))});
  }

  void poses(const char* key, std::vector<BodyPose>& list) {
    for (const auto& [name, q] : json.at(key).items()) list.push_back({name, numbers(q)});
  }

  void named_values(const char* key, std::vector<NamedValue>& list) {
    for (const auto& [name, x] : json.at(key).items()) list.push_back({name, number(x)});
  }

  void filled_values(const char* key, std::vector<NamedValue>& list) {
    if (json.contains(key)) named_values(key, list);
  }

  void channels(const char* key, std::vector<ChannelError>& list) {
    for (const auto& [name, c] : json.at(key).items())
      list.push_back({name, c.at("unit"), number(c.at("max")), number(c.at("at"))});
  }

  void statistics(const char* key, std::vector<ChannelStatistics>& list) {
    if (!json.contains(key)) return;
    for (const auto& [name, c] : json[key].items())
      list.push_back({name,
                      c.at("unit"),
                      number(c.at("least")),
                      number(c.at("t_least")),
                      number(c.at("largest")),
                      number(c.at("t_largest")),
                      number(c.at("mean")),
                      number(c.at("rms"))});
  }

  void diagnostics(const char* key, Diagnostics& list) {
    for (const auto& d : json.at(key)) list.push_back(diagnostic_from_json(d));
  }

  void earlier(const char* key, std::vector<Summary>& list) {
    if (!json.contains(key)) return;
    for (const auto& before : json[key]) list.push_back(summary_from_json(before));
  }
};

template <class Visitor> void describe(Visitor& v, RunStatistics& s) {
  v.value("steps", s.steps);
  v.value("rejected", s.rejected);
  v.value("rhs", s.rhs);
  v.value("jacobians", s.jacobians);
  v.value("factorizations", s.factorizations);
  v.value("newton_iterations", s.newton_iterations);
  v.value("cpu_seconds", s.cpu_seconds);
  v.value("wall_seconds", s.wall_seconds);
}

template <class Visitor> void describe(Visitor& v, ViolationMeasure& m) {
  v.optional("largest", m.largest);
  v.optional("mean", m.mean);
  v.optional("largest_norm", m.largest_norm);
  v.optional("mean_norm", m.mean_norm);
  v.value("times", m.times);
}

template <class Visitor> void describe(Visitor& v, JointViolation& x) {
  v.value("element", x.element);
  v.value("position", x.position);
  v.value("velocity", x.velocity);
  v.optional("steps_position", x.steps_position);
  v.optional("steps_velocity", x.steps_velocity);
}

template <class Visitor> void describe(Visitor& v, ConstraintViolation& c) {
  v.value("max_position", c.max_position);
  v.value("max_velocity", c.max_velocity);
  v.part("rows_position", c.rows_position, c.rows_position.times > 0);
  v.part("rows_velocity", c.rows_velocity, c.rows_velocity.times > 0);
  v.part("steps_position", c.steps_position, c.steps_position.times > 0);
  v.part("steps_velocity", c.steps_velocity, c.steps_velocity.times > 0);
  v.part("before_position", c.before_position, c.before_position.times > 0);
  v.part("before_velocity", c.before_velocity, c.before_velocity.times > 0);
  v.counted("corrections", c.corrections);
  v.list("joints", c.joints);
}

template <class Visitor> void describe(Visitor& v, StabilisationGains& g) {
  v.value("alpha", g.alpha);
  v.value("beta", g.beta);
  v.value("least_alpha", g.least_alpha);
  v.value("most_alpha", g.most_alpha);
  v.value("chosen_by", g.chosen_by);
}

template <class Visitor> void describe(Visitor& v, StabilityFacts& f) {
  v.value("step", f.step);
  v.value("limit", f.limit);
  v.value("rate", f.rate);
  v.value("decays", f.decays);
}

template <class Visitor> void describe(Visitor& v, EnergyBalance& e) {
  v.value("initial", e.initial);
  v.value("final", e.final);
  v.value("max_imbalance", e.max_imbalance);
}

template <class Visitor> void describe(Visitor& v, ErrorEstimate& e) {
  v.value("method", e.method);
  v.value("rows", e.rows);
  v.value("unmatched", e.unmatched);
  v.channels("channels", e.channels);
}

template <class Visitor> void describe(Visitor& v, SingularPose& p) {
  v.value("t", p.t);
  v.again("time", p.t);
  v.value("kind", p.kind);
  v.value("joint", p.joint);
  v.value("driver", p.driver);
  v.filled_values("time_sensitivities", p.sensitivities);
}

template <class Visitor> void describe(Visitor& v, SignalName& x) {
  v.value("name", x.name);
  v.value("unit", x.unit);
}

template <class Visitor> void describe(Visitor& v, VibrationMode& m) {
  v.value("eigenvalue", m.eigenvalue);
  v.value("omega", m.omega);
  v.value("frequency", m.frequency);
  v.value("damping_ratio", m.damping_ratio);
  v.value("shape", m.shape);
}

template <class Visitor> void describe(Visitor& v, ResponsePoint& p) {
  v.value("frequency", p.frequency);
  v.value("response", p.response);
}

template <class Visitor> void describe(Visitor& v, EigenvalueSlopes& x) {
  v.value("parameter", x.parameter);
  v.value("unit", x.unit);
  v.pairs("derivatives", x.derivatives);
}

template <class Visitor> void describe(Visitor& v, ParameterEffect& x) {
  v.value("parameter", x.parameter);
  v.value("channel", x.channel);
  v.value("effect", x.effect);
  v.value("largest", x.largest);
  v.value("at", x.at);
}

template <class Visitor> void describe(Visitor& v, LocusPoint& x) {
  v.value("value", x.value);
  v.value("about", x.about);
  v.value("stability", x.stability);
  v.pairs("eigenvalues", x.eigenvalues);
}

template <class Visitor> void describe(Visitor& v, StabilityChange& x) {
  v.value("value", x.value);
  v.value("from", x.from);
  v.value("to", x.to);
}

template <class Visitor> void describe(Visitor& v, RootLocus& x) {
  v.value("parameter", x.parameter);
  v.value("unit", x.unit);
  v.list("points", x.points);
  v.list("changes", x.changes);
}

template <class Visitor> void describe(Visitor& v, ReactionPeak& x) {
  v.value("element", x.element);
  v.value("quantity", x.quantity);
  v.value("unit", x.unit);
  v.value("largest", x.largest);
  v.value("at", x.at);
  v.value("unique", x.unique);
}

template <class Visitor> void describe(Visitor& v, LinearInstant& x) {
  v.value("t", x.t);
  v.value("about", x.about);
  v.value("stability", x.stability);
  v.pairs("eigenvalues", x.eigenvalues);
  v.value("M", x.M);
  v.value("C_damping", x.C_damping);
  v.value("K", x.K);
  v.value("A", x.A);
}

template <class Visitor> void describe(Visitor& v, LinearModel& x) {
  v.value("about", x.about);
  v.value("stability", x.stability);
  v.value("neutral", x.neutral);
  v.list("states", x.states);
  v.value("coordinates", x.coordinates);
  v.value("rates", x.rates);
  v.value("eigenvalues", x.eigenvalues);
  v.list("modes", x.modes);
  v.value("M", x.M);
  v.value("C_damping", x.C_damping);
  v.value("K", x.K);
  v.list("inputs", x.inputs);
  v.list("outputs", x.outputs);
  v.value("A", x.A);
  v.filled("B", x.B);
  v.filled("C", x.C);
  v.filled("D", x.D);
  v.filled("D_rate", x.D_rate);
  v.filled("D_acceleration", x.D_acceleration);
  v.list("frequency_response", x.frequency_response);
  v.list("eigenvalue_sensitivities", x.sensitivities);
  v.optional_part("root_locus", x.locus);
  v.list("along", x.along);
}

template <class Visitor> void describe(Visitor& v, EquilibriumPoint& e) {
  v.value("kind", e.kind);
  v.value("method", e.method);
  v.value("potential", e.potential);
  v.poses("coordinates", e.coordinates);
  v.named_values("reactions", e.reactions);
}

template <class Visitor> void describe(Visitor& v, AssemblyBranch& b) {
  v.value("number", b.number);
  v.value("chosen", b.chosen);
  v.named_values("values", b.values);
  v.poses("coordinates", b.coordinates);
}

template <class Visitor> void describe(Visitor& v, BranchQuantity& x) {
  v.value("name", x.name);
  v.value("unit", x.unit);
  v.value("differs", x.differs);
}

template <class Visitor> void describe(Visitor& v, BranchList& list) {
  v.list("branches", list.branches);
  v.list("branch_quantities", list.quantities);
  v.filled("branches_hold", list.held);
  v.value("branch_starts", list.starts);
  v.value("more_branches", list.more);
}

template <class Visitor> void describe(Visitor& v, RangePlace& p) {
  v.value("value", p.value);
  v.value("driver", p.driver);
}

template <class Visitor> void describe(Visitor& v, RangeOutput& o) {
  v.value("name", o.name);
  v.value("unit", o.unit);
  v.value("kind", o.kind);
  v.part("least", o.least);
  v.part("most", o.most);
  v.optional("stroke", o.stroke);
  v.list("dead_centres", o.dead_centres);
  v.part("least_ratio", o.least_ratio);
  v.part("most_ratio", o.most_ratio);
  v.optional("time_ratio", o.time_ratio);
  v.pairs("course", o.course);
}

template <class Visitor> void describe(Visitor& v, TransmissionAngle& a) {
  v.value("coupler", a.coupler);
  v.value("output", a.output);
  v.part("least", a.least);
  v.part("most", a.most);
  v.part("worst", a.worst);
  v.pairs("course", a.course);
}

template <class Visitor> void describe(Visitor& v, DriverRange& r) {
  v.value("driver", r.driver);
  v.value("unit", r.unit);
  v.value("kind", r.kind);
  v.value("start", r.start);
  v.value("from", r.from);
  v.value("from_end", r.from_end);
  v.value("from_joint", r.from_joint);
  v.value("to", r.to);
  v.value("to_end", r.to_end);
  v.value("to_joint", r.to_joint);
  v.list("outputs", r.outputs);
  v.list("transmission", r.transmission);
  v.list("singular_poses", r.singular_poses);
}

template <class Visitor> void describe(Visitor& v, SolvedSetting& x) {
  v.value("name", x.name);
  v.value("unit", x.unit);
  v.value("value", x.value);
  v.value("before", x.before);
  v.value("force_left", x.force_left);
}

template <class Visitor> void describe(Visitor& v, ChangedSetting& x) {
  v.value("name", x.name);
  v.value("value", x.value);
  v.value("before", x.before);
  v.value("line", x.line);
}

template <class Visitor> void describe(Visitor& v, StoredRowsFacts& x) {
  v.value("stored", x.stored);
  v.optional("error", x.error);
}

template <class Visitor> void describe(Visitor& v, Summary& s) {
  v.value("status", s.status);
  v.value("analysis", s.analysis);
  v.value("formulation", s.formulation);
  v.value("integrator", s.integrator);
  v.value("t_end", s.t_end);
  v.value("dof", s.dof);
  v.value("redundant", s.redundant);
  v.value("fixed_order", s.fixed_order);
  v.list("changed", s.changed);
  v.part("stats", s.stats);
  v.part("constraint", s.constraint);
  v.part("energy", s.energy);
  v.optional_part("gains", s.gains);
  v.optional_part("step_stability", s.stability);
  v.filled("independent", s.independent);
  v.part("error_estimate", s.error_estimate, !s.error_estimate.method.empty());
  v.optional("quaternion_drift", s.quaternion_drift);
  v.optional("power_imbalance", s.power_imbalance);
  v.list("singular_poses", s.singular_poses);
  v.list("reaction_peaks", s.reaction_peaks);
  v.filled("not_unique", s.not_unique);
  v.merged("eigenvalues", s.linear);
  v.list("equilibria", s.equilibria);
  v.list("ranking", s.ranking);
  v.optional_part("solved", s.solved);
  v.merged("branches", s.branches);
  v.list("range", s.range);
  v.part("rows", s.rows, s.rows.stored > 0);
  v.optional("watched_until", s.watched_until);
  v.statistics("channels", s.channels);
  v.bodies("final", s.final);
  v.diagnostics("diagnostics", s.diagnostics);
  v.earlier("earlier", s.earlier);
}

}  // namespace

nlohmann::ordered_json to_json(const Summary& s) {
  SummaryWriter writer;
  Summary copy = s;  // a visitor of both directions takes what it may change
  describe(writer, copy);
  return std::move(writer.json);
}

Summary summary_from_json(const nlohmann::ordered_json& json) {
  Summary out;
  SummaryReader reader(json);
  describe(reader, out);
  return out;
}

std::string summary_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string to_text(const Summary& s) {
  return summary_text(to_json(s));
}

}  // namespace cardan
