#pragma once
// Several profiles beside each other, the first being the base: what changed, and how the program scales. Nothing is judged here; that
// is the gate's (check.hpp). Times are nanoseconds, sizes bytes, ratios 0..1; of profiles with repetitions the medians.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/measurements.hpp"

namespace scope::compare {

/// One profile in figures.
struct Side {
  std::string file, label;
  std::int64_t ranks = 0;        ///< that reported
  bool complete = true;
  std::size_t repeats = 0;       ///< sound repetitions, 0: one run
  double wall_ns = 0;            ///< of the longest rank
  double mpi_share = 0;
  std::optional<double> parallel, load_balance, communication;  ///< POP's factors (analyze/efficiency.hpp)
  std::optional<double> serialisation, transfer;                ///< of communication, where there is a timeline
  double calls = 0, bytes_sent = 0;
  double useful_ns = 0;          ///< time outside MPI, added up over the ranks
};

enum class Noise {
  unknown,  ///< too few repetitions to say
  within,   ///< runs of one profile differ as much
  beyond    ///< Mann-Whitney's test, two-sided at 0.05: they don't. Not corrected for the number of rows
};

/// A procedure or region in the base and in another profile; missing where it does not occur. Times are means over the ranks, so
/// that profiles of different numbers of ranks can be compared.
struct Change {
  std::string name;              ///< "MPI_Allreduce", or a region's path
  std::optional<double> base_ns, ns;  ///< of a region its own time, children excluded
  std::int64_t base_calls = 0, calls = 0, base_bytes = 0, bytes = 0;  ///< of all ranks; bytes sent
  double change_ns = 0;          ///< ns - base_ns, what is missing being 0
  std::optional<double> change;  ///< ns / base_ns - 1; nothing where the base has no time
  Noise noise = Noise::unknown;
};

struct SideBySide {
  std::vector<Side> sides;                       ///< the base first
  std::vector<std::vector<Change>> calls, regions;  ///< of each profile but the base; largest change first
};

/// At least one profile. `files` are their names, as many.
SideBySide side_by_side(const std::vector<Measurements> &profiles, const std::vector<std::string> &files);

enum class Scaling {
  strong,  ///< the same problem on more ranks
  weak     ///< a problem that grows with the ranks
};

struct ScalingRow {
  std::size_t side = 0;       ///< index into SideBySide::sides
  double resources = 1;       ///< ranks, relative to the base
  double speedup = 0;         ///< strong: wall time of the base / this one's; weak: that times `resources`
  double efficiency = 0;      ///< speedup / resources
  std::optional<double> computation;  ///< POP's computation scalability: useful time of the base / this one's; weak: per rank
  std::optional<double> global;       ///< parallel efficiency x computation scalability
};

/// By ranks. Empty where the base has no wall time or no ranks. Source of the factors: POP standard metrics
/// (https://pop-coe.eu/node/69).
std::vector<ScalingRow> scaling_rows(const SideBySide &comparison, Scaling scaling);

}  // namespace scope::compare
