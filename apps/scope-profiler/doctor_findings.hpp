#pragma once
// What `doctor` concludes from what it saw, and how it says it. Pure.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launch/inventory.hpp"
#include "launch/surroundings.hpp"
#include "model/profile.hpp"
#include "render/document.hpp"

namespace scope::cli {

/// What came out of a run of the probe with two ranks.
struct ProofFacts {
  int exit_code = 0;
  bool timed_out = false;
  std::string output;            ///< of launcher and ranks
  model::Profile profile;        ///< merged from what the ranks left
  std::map<int, int> refusals;   ///< errno and number of ranks that could not record
};

struct Verdict {
  bool proven = false;
  std::string id;      ///< "proven", "run-as-root", ...
  std::string text;    ///< what was found
  std::string advice;  ///< what to do, in a sentence; "" if proven
};

inline constexpr int proof_ranks = 2;
inline constexpr int proof_seconds = 30;

/// Proven: two ranks of one world reported, each with one call of MPI_Barrier, and the launcher's exit code is 0.
Verdict judge(const ProofFacts &facts);

struct FileFinding {
  std::string what;  ///< "shim"
  std::filesystem::path path;
  std::string fault;  ///< "" if all is well
};

struct LauncherFinding {
  launch::DistinctLauncher launcher;
  std::string library;             ///< path of the MPI library, "" if none was found
  std::optional<Verdict> verdict;  ///< nothing: not tried
};

struct DoctorFindings {
  std::string version;
  std::vector<FileFinding> files;
  std::vector<LauncherFinding> launchers;
  launch::Surroundings surroundings;
  std::vector<render::Remark> faults;  ///< what stood in the way of a proof
};

/// True when no file has a fault, every proof that was tried succeeded, and there was one.
bool works(const DoctorFindings &findings);

std::vector<render::Remark> problems_of(const DoctorFindings &findings);
std::vector<render::Remark> hints_of(const launch::Surroundings &surroundings);

render::Document doctor_document(const DoctorFindings &findings);

/// The problems alone, for --quiet.
render::Document problems_document(const DoctorFindings &findings);

}  // namespace scope::cli
