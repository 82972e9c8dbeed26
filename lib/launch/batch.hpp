#pragma once
// The batch job that this process is in, as its variables tell: Slurm, PBS, LSF, Flux. And names of files that differ from job to job.

#include <map>
#include <string>
#include <vector>

#include "launch/environment.hpp"

namespace scope::launch {

/// Values are the batch system's own words; what it does not say is "".
struct BatchJob {
  std::string system;  ///< "slurm", "pbs", "lsf", "flux"; "" outside a job
  std::string id;
  std::string array_index;
  std::string name, partition;  ///< of PBS, LSF: the queue
  std::string nodes;            ///< "n[1-2]"
  std::string tasks_per_node;   ///< "4(x2)"
  std::string binding;          ///< of tasks to processors, as it was asked for
};

BatchJob batch_job(const Environment &environment);

/// The job that a world's key names (preload/identity.cpp), of a step that srun made its own allocation for: "pmi-42-0",
/// "pmix-slurm.pmix.42.0". Nothing else of it is known.
BatchJob batch_job_of_world(const std::string &key);

/// By the keys of metadata.batch, without what is empty.
std::map<std::string, std::string> facts_of(const BatchJob &job);

/// The names in Slurm's short form ("n[1-2,07],m3") or in a list with spaces (LSF), in order, without repetition. At most 100,000;
/// empty for what is neither.
std::vector<std::string> expand_nodes(const std::string &nodes);

/// What the patterns of a file's name stand for.
struct NameParts {
  std::string job;    ///< %j: the job's id; outside a job the process id
  std::string array;  ///< %a: the index in its array; 0 outside one
  std::string host;   ///< %h
  std::string time;   ///< %t: 20261201T083000Z
};
NameParts name_parts(const BatchJob &job);

/// "trace-%j-%a.json" with the patterns replaced; %% is %. Throws support::Error (125) for any other pattern; `option` is who holds it.
std::string expand_name(const std::string &pattern, const NameParts &parts, const std::string &option);

}  // namespace scope::launch
