// From files to rank records: what is read, what is left out, and what is said about it.

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <tuple>

#include "model/merge.hpp"
#include "support/error.hpp"
#include "wire/contract.hpp"
#include "wire/live_block.hpp"

namespace scope::model {
namespace {

namespace fs = std::filesystem;

/// A process of this run: dump and live block of one agree in it.
using Process = std::tuple<std::string, std::uint32_t, std::uint64_t>;

Process process_of(const RankRecord &record) { return {record.host, record.pid, record.start_time}; }

std::string live_name(const RankRecord &record) {
  return wire::live_prefix + record.host + "-" + std::to_string(record.pid) + "-" + std::to_string(record.start_time) +
         wire::live_suffix;
}

bool named(const fs::path &file, const char *prefix, const char *suffix) {
  std::string name = file.filename().string();
  return name.starts_with(prefix) && name.ends_with(suffix);
}

/// Live blocks are known by their content, whatever their name is.
bool is_live_block(const fs::path &file) {
  char magic[sizeof wire::live_magic] = {};
  std::ifstream(file, std::ios::binary).read(magic, sizeof magic);
  return std::equal(magic, magic + sizeof magic, wire::live_magic) || named(file, wire::live_prefix, wire::live_suffix) ||
         named(file, wire::region_prefix, wire::live_suffix);
}

/// Reads one file; what cannot be read becomes a warning.
template <class Read>
void read_into(Collected &collected, const fs::path &file, Read read) {
  try {
    collected.records.push_back(read(file));
  } catch (const support::Error &error) {
    collected.partial = true;
    collected.warnings.push_back({"dump-unreadable", std::string(error.what()) + ". What the other files hold is used."});
  }
}

/// Dumps first, so that live blocks are opened only where the dump of their process is missing or unreadable.
Collected read_all(std::vector<fs::path> files) {
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  auto live = std::stable_partition(files.begin(), files.end(), [](const fs::path &file) { return !is_live_block(file); });
  Collected collected;
  for (auto file = files.begin(); file != live; ++file) read_into(collected, *file, read_rank_dump);
  std::set<Process> dumped;
  std::set<std::string> names;
  for (const RankRecord &record : collected.records) {
    dumped.insert(process_of(record));
    names.insert(live_name(record));
  }
  for (auto file = live; file != files.end(); ++file) {
    if (names.count(file->filename().string())) continue;
    read_into(collected, *file, read_live_block);
    if (!collected.records.empty() && collected.records.back().source == *file && !collected.records.back().regions_only &&
        dumped.count(process_of(collected.records.back())))
      collected.records.pop_back();
  }
  return collected;
}

/// The run id that most records carry; of several, the first in the alphabet.
std::string most_frequent_run(const std::vector<RankRecord> &records) {
  std::map<std::string, std::size_t> counts;
  for (const RankRecord &record : records) ++counts[record.run_id];
  std::string best;
  std::size_t most = 0;
  for (const auto &[id, count] : counts) {
    if (count <= most) continue;
    best = id;
    most = count;
  }
  return best;
}

void leave_out_foreign(Collected &collected, const std::string &run_id) {
  std::string wanted = run_id.empty() ? most_frequent_run(collected.records) : run_id;
  for (const RankRecord &record : collected.records) {
    if (record.run_id == wanted) continue;
    collected.warnings.push_back(
        {"foreign-dump", record.source.string() + ": is of run \"" + record.run_id + "\", not of run \"" + wanted +
                             "\", and was left out. Merge that run's files on their own to see it."});
  }
  std::erase_if(collected.records, [&](const RankRecord &record) { return record.run_id != wanted; });
}

/// Regions go to the record of the MPI calls of their process. What has none stays as a record of its own.
void attach_regions(std::vector<RankRecord> &records) {
  std::map<Process, RankRecord *> with_calls;
  for (RankRecord &record : records)
    if (!record.regions_only) with_calls[process_of(record)] = &record;
  for (RankRecord &record : records) {
    if (!record.regions_only) continue;
    auto found = with_calls.find(process_of(record));
    if (found == with_calls.end()) continue;
    found->second->regions = std::move(record.regions);
    record.regions = {};
    record.pid = 0;
  }
  std::erase_if(records, [](const RankRecord &record) { return record.regions_only && record.pid == 0; });
}

}  // namespace

Collected collect_files(const std::vector<fs::path> &files, const std::string &run_id) {
  Collected collected = read_all(files);
  leave_out_foreign(collected, run_id);
  attach_regions(collected.records);
  return collected;
}

Collected collect(const fs::path &directory, const std::string &run_id) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path &file = entry->path();
    if (named(file, wire::dump_prefix, wire::dump_suffix) || named(file, wire::live_prefix, wire::live_suffix) ||
        named(file, wire::region_prefix, wire::live_suffix))
      files.push_back(file);
  }
  if (error) throw support::Error("cannot read the directory " + directory.string() + ": " + error.message());
  return collect_files(files, run_id);
}

}  // namespace scope::model
