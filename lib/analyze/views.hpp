#pragma once
// Views: a profile seen by call, rank, peer, size, communicator or region, as rows that only need printing. With a filter the
// numbers are those of the chosen ranks and procedures only; the denominators of shares are the chosen ranks' whole times.
// A number that is not known for a choice is null.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analyze/efficiency.hpp"
#include "analyze/filter.hpp"
#include "model/profile.hpp"

namespace scope::analyze {

/// What shares are shares of.
struct Denominators {
  std::int64_t mpi_ns = 0;   ///< MPI time, added up over the chosen ranks
  std::int64_t rank_ns = 0;  ///< wall time, added up over the chosen ranks
  std::int64_t peer_bytes = 0;  ///< point-to-point and one-sided bytes that the chosen ranks sent
  std::size_t ranks = 0;     ///< chosen ranks
  std::size_t all_ranks = 0; ///< ranks in the profile
  bool threads = false;      ///< a chosen rank called MPI from several threads: its calls overlap, shares may exceed 1
};
Denominators denominators(const model::Profile &profile, const Filter &filter);

struct CallView {
  std::string call, kind;
  std::int64_t calls = 0;
  std::optional<std::int64_t> errors;  ///< known for all ranks together only, as are min, max and p95
  std::int64_t total_ns = 0;
  std::optional<double> mpi_share, rank_share, mean_ns;
  std::optional<std::int64_t> min_ns, max_ns, p95_ns;
  std::int64_t bytes_sent = 0, bytes_received = 0;
  double imbalance = 0;
};
/// Longest total first. Calls that the chosen ranks never made are left out.
std::vector<CallView> by_call(const model::Profile &profile, const Filter &filter);

struct RankView {
  int world = 0, rank = 0;
  std::string host;
  std::int64_t pid = 0;
  std::string status;
  int signal = 0;
  std::optional<int> abort_code;
  std::int64_t wall_ns = 0, mpi_ns = 0;  ///< with a choice of procedures, mpi_ns is the time in those
  std::optional<double> mpi_share;       ///< of this rank's wall time
  std::int64_t calls = 0, bytes_sent = 0, bytes_received = 0, cpu_ns = 0, max_rss_bytes = 0;
  std::string in_call;
};
/// By world and rank.
std::vector<RankView> by_rank(const model::Profile &profile, const Filter &filter);

enum class Layer { point_to_point, one_sided };
struct PeerView {
  Layer layer = Layer::point_to_point;
  int world = 0, src = 0, dst = 0;
  std::int64_t messages = 0, bytes = 0;
  std::optional<double> mean_bytes, bytes_share;  ///< share of Denominators::peer_bytes
};
/// Most bytes first, then most messages. The filter's ranks choose the source; procedures are not known here.
struct PeerViews {
  std::vector<PeerView> rows;
  std::size_t more = 0;  ///< behind them
};
/// `most`: rows at most.
PeerViews by_peer(const model::Profile &profile, const Filter &filter, std::size_t most = std::numeric_limits<std::size_t>::max());

/// How the time in a procedure or region spreads over all ranks.
struct SpreadView {
  std::string name;
  bool region = false;
  model::Quantiles total_ns{};  ///< by model::spread_shares
  std::size_t longest = 0;      ///< index into Profile::ranks: where it took longest
};
/// Procedures, then regions, each with the largest difference between its ranks first. Of all ranks: a filter's ranks don't count.
std::vector<SpreadView> by_spread(const model::Profile &profile, const Filter &filter);

struct SizeView {
  std::string call;
  std::int64_t bytes_from = 0, bytes_to = 0;  ///< of one call, inclusive
  std::int64_t calls = 0, bytes = 0, total_ns = 0;
  std::optional<double> mean_ns;
  model::RankSet rank_list;  ///< that made such calls, ascending; of several worlds together
};
/// Longest total first. Known for all ranks together only.
std::vector<SizeView> by_size(const model::Profile &profile, const Filter &filter);

struct CommunicatorView {
  int id = 0, world = 0;
  std::string name;
  int size = 0, remote_size = 0;
  bool merged = false;
  std::int64_t calls = 0, total_ns = 0;
  std::optional<double> mpi_share;
  std::int64_t bytes = 0;
  model::RankSet rank_list;  ///< of the world, that made calls on it, ascending
};
/// Longest total first, those without calls left out. Known for all ranks together only; with a choice of procedures, added
/// up from the signatures.
std::vector<CommunicatorView> by_communicator(const model::Profile &profile, const Filter &filter);

struct CallSiteView {
  int world = 0;
  std::string call;
  std::vector<model::SiteFrame> stack;
  std::int64_t calls = 0, total_ns = 0;
  std::optional<double> mpi_share, mean_ns;
  std::int64_t max_ns = 0, bytes_sent = 0, bytes_received = 0, ranks = 0;
  model::RankSet rank_list;  ///< of the world, ascending
};
/// Longest total first. Known for all ranks together only.
std::vector<CallSiteView> by_callsite(const model::Profile &profile, const Filter &filter);

struct RegionView {
  std::string path;
  std::int64_t calls = 0, total_ns = 0;
  std::optional<double> rank_share;
  std::optional<std::int64_t> self_ns, mpi_ns, mpi_calls;  ///< of some ranks only where the file has them by rank
  std::optional<double> mpi_share;              ///< of total_ns
  std::optional<std::int64_t> min_ns, max_ns;   ///< known for all ranks together only
  std::optional<double> mean_ns;
  std::string source_file;
  int source_line = 0;
};
/// Longest total first. The filter's procedures do not apply.
std::vector<RegionView> by_region(const model::Profile &profile, const Filter &filter);

/// The whole in a few numbers.
struct Headline {
  Denominators denominators;
  std::size_t worlds = 0, hosts = 0;           ///< worlds: of MPI
  std::int64_t processes = 0;                  ///< chosen ranks that are processes without MPI
  std::int64_t expected_ranks = 0, reported_ranks = 0;  ///< of the whole profile
  std::int64_t wall_ns = 0;                    ///< longest of the chosen ranks
  std::optional<double> mpi_share;             ///< of denominators.rank_ns
  std::int64_t calls = 0, bytes_sent = 0, bytes_received = 0;
  std::int64_t p2p_messages = 0, p2p_bytes = 0, rma_messages = 0, rma_bytes = 0;
  std::int64_t regions = 0;                    ///< how often regions were passed through
  std::optional<std::int64_t> bytes_inside;    ///< of p2p_bytes and rma_bytes, between ranks of one host; nothing where there is one host
  std::optional<double> inside_share;          ///< of p2p_bytes and rma_bytes together; nothing without any
  std::int64_t overhead_ns = 0;
  std::optional<double> overhead_share;        ///< of denominators.mpi_ns
  model::Efficiency efficiency;
  BetweenInitAndFinalize between;
  std::vector<RankView> unfinished;            ///< chosen ranks that did not finish MPI, likely culprits first
};
/// The filter's procedures do not apply.
Headline headline(const model::Profile &profile, const Filter &filter);

}  // namespace scope::analyze
