#pragma once
// Which node every rank was on, for what is said of traffic inside nodes and between them.

#include <cstdint>
#include <string>
#include <unordered_map>

#include "model/profile.hpp"

namespace scope::analyze {

/// Looks into the profile, which must outlive it.
class RankHosts {
 public:
  explicit RankHosts(const model::Profile &profile);
  bool several() const { return several_; }  ///< ranks are on more than one host
  /// "" for a rank that did not report.
  const std::string &of(int world, int rank) const;
  /// Whether both ranks reported, from the same host.
  bool together(int world, int first, int second) const;

 private:
  std::unordered_map<std::uint64_t, const std::string *> hosts_;
  bool several_ = false;
};

}  // namespace scope::analyze
