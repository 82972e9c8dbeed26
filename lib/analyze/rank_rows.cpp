#include "analyze/rank_rows.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace scope::analyze {
namespace {

using model::CallRow;
using model::RegionName;
using model::RegionRow;
using model::SignatureRow;

/// Calls and time of one procedure on one rank that no row has yet.
struct Rest {
  std::int64_t calls = 0, total_ns = 0;
};

class Rows {
 public:
  explicit Rows(const model::Profile &profile) : profile_(profile) {
    for (std::size_t i = 0; i < profile.ranks.size(); ++i) rank_index_[{profile.ranks[i].world, profile.ranks[i].rank}] = i;
  }

  std::vector<RankRow> take() {
    // Wrapped calls are regions, too; where the shim saw them, signatures have them all.
    for (const RegionRow &region : profile_.regions)
      if (profile_.signatures.empty() || !model::parse_region_name(region.name)) add_region(region);
    std::map<std::string, std::vector<const SignatureRow *>> signatures;
    for (const SignatureRow &row : profile_.signatures) signatures[row.call].push_back(&row);
    for (const CallRow &call : profile_.calls) {
      auto found = signatures.find(call.name);
      if (found != signatures.end()) add_call(call, found->second);  // else the profile is of the Python package: regions have them
    }
    return std::move(rows_);
  }

 private:
  void add_region(const RegionRow &region) {
    const auto &by_rank = region.per_rank;
    const auto ranks = std::count_if(by_rank.calls.begin(), by_rank.calls.end(), [](std::int64_t n) { return n > 0; });
    for (std::size_t rank = 0; rank < std::min(by_rank.calls.size(), profile_.ranks.size()); ++rank) {
      if (by_rank.calls[rank] == 0) continue;
      RankRow row{region.name, rank, by_rank.calls[rank], by_rank.total_ns[rank], region.min_ns, region.max_ns, {},
                  region.source_file, region.source_line, model::parse_region_name(region.name)};
      if (rank < region.rank_self_ns.size()) row.self_ns = region.rank_self_ns[rank];
      else if (ranks == 1) row.self_ns = region.self_ns;
      else if (region.self_ns == region.total_ns) row.self_ns = row.total_ns;
      add(std::move(row));
    }
  }

  /// Adds up what has the same name on the same rank.
  void add(RankRow row) {
    auto [at, is_new] = known_.try_emplace({row.name, row.rank}, rows_.size());
    if (is_new) {
      rows_.push_back(std::move(row));
      return;
    }
    RankRow &same = rows_[at->second];
    same.calls += row.calls;
    same.total_ns += row.total_ns;
    same.min_ns = std::min(same.min_ns, row.min_ns);
    same.max_ns = std::max(same.max_ns, row.max_ns);
    same.self_ns = same.self_ns && row.self_ns ? std::optional(*same.self_ns + *row.self_ns) : std::nullopt;
  }

  void add_call(const CallRow &call, const std::vector<const SignatureRow *> &signatures) {
    std::vector<Rest> rest(profile_.ranks.size());
    for (std::size_t rank = 0; rank < std::min(rest.size(), call.per_rank.calls.size()); ++rank)
      rest[rank] = {call.per_rank.calls[rank], call.per_rank.total_ns[rank]};
    // A wait for several requests is one call, counted with one of them; the others have a share of its time and no call.
    const bool divided = std::any_of(signatures.begin(), signatures.end(), [](const SignatureRow *row) { return row->calls == 0; });
    std::vector<const SignatureRow *> shared;
    for (const SignatureRow *signature : signatures) {
      auto rank = divided ? std::nullopt : only_rank(*signature);
      if (!rank) {
        shared.push_back(signature);
        continue;
      }
      add_mpi(signature->region, *rank, {signature->calls, signature->total_ns}, signature->min_ns, signature->max_ns);
      rest[*rank].calls -= signature->calls;
      rest[*rank].total_ns -= signature->total_ns;
    }
    if (shared.empty()) return;
    const std::string name = common_name(shared);
    std::int64_t min_ns = shared.front()->min_ns, max_ns = 0;
    for (const SignatureRow *signature : shared) {
      min_ns = std::min(min_ns, signature->min_ns);
      max_ns = std::max(max_ns, signature->max_ns);
    }
    for (std::size_t rank = 0; rank < rest.size(); ++rank)
      if (rest[rank].calls > 0) add_mpi(name, rank, rest[rank], min_ns, max_ns);
  }

  void add_mpi(const std::string &name, std::size_t rank, Rest figures, std::int64_t min_ns, std::int64_t max_ns) {
    // Of shares of a wait's time the bounds are those of the whole wait.
    const std::int64_t mean_down = figures.total_ns / figures.calls, mean_up = mean_down + (figures.total_ns % figures.calls > 0);
    RankRow row{name, rank, figures.calls, figures.total_ns, std::min(min_ns, mean_down), std::max(max_ns, mean_up), figures.total_ns, "", 0,
                model::parse_region_name(name)};
    add(std::move(row));
  }

  std::optional<std::size_t> only_rank(const SignatureRow &signature) const {
    if (signature.ranks.size() != 1) return std::nullopt;
    auto found = rank_index_.find({signature.world, signature.ranks.front()});
    return found == rank_index_.end() ? std::nullopt : std::optional(found->second);
  }

  /// The name of a row that stands for all of them.
  static std::string common_name(const std::vector<const SignatureRow *> &signatures) {
    auto common = model::parse_region_name(signatures.front()->region);
    if (!common) return signatures.front()->region;
    for (const SignatureRow *signature : signatures) {
      const auto name = model::parse_region_name(signature->region);
      if (!name) continue;
      auto keep = [](auto &value, auto other) { value = value == other ? value : -1; };
      keep(common->bytes, name->bytes);
      keep(common->peer, name->peer);
      keep(common->root, name->root);
      keep(common->tag, name->tag);
      keep(common->comm, name->comm);
      if (common->request != name->request) common->request.clear();
    }
    return model::format_region_name(*common);
  }

  const model::Profile &profile_;
  std::map<std::pair<int, int>, std::size_t> rank_index_;  ///< by world and rank
  std::map<std::pair<std::string, std::size_t>, std::size_t> known_;
  std::vector<RankRow> rows_;
};

}  // namespace

std::vector<RankRow> rank_rows(const model::Profile &profile) { return Rows(profile).take(); }

}  // namespace scope::analyze
