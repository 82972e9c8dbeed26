// From files to rank records: what is read, what is left out, and what is said about it.

#include <algorithm>
#include <atomic>
#include <cctype>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_set>

#include "model/merge.hpp"
#include "model/node_file.hpp"
#include "support/error.hpp"
#include "support/ordered_work.hpp"
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

/// Records up to this many signatures together are held whole. Beyond, each gives up what grows with it and is read a second time
/// when it is merged: a job of any size takes little more memory than its ranks have names.
constexpr std::size_t most_held = std::size_t{1} << 18;

/// What came of one file.
struct Read {
  std::optional<RankRecord> record;
  std::string problem;
};

/// Adds the records of files in their order; what cannot be read becomes a warning.
class Reader {
 public:
  Reader(Collected &collected, const Progress &progress, std::size_t files, Hold hold)
      : collected_(collected), progress_(progress), files_(files), most_(hold == Hold::all ? ~std::size_t{0} : most_held) {}

  template <class ReadFile, class Keep>
  void read(const std::vector<fs::path> &files, ReadFile read_file, Keep keep) {
    auto read_one = [&](std::size_t i) {
      Read read;
      try {
        read.record = read_file(files[i]);
        if (held_.fetch_add(read.record->signatures.size()) > most_) detach(*read.record);
      } catch (const support::Error &error) {
        read.problem = error.what();
      }
      return read;
    };
    support::work_in_order(files.size(), read_one, [&](std::size_t, Read read) {
      if (progress_) progress_(++done_, files_);
      if (!read.record) return add_problem(read.problem);
      if (keep(*read.record)) collected_.records.push_back(std::move(*read.record));
    });
  }

  void detach_if_many() {
    if (held_ <= most_) return;
    for (RankRecord &record : collected_.records) detach(record);
  }

 private:
  void add_problem(const std::string &problem) {
    collected_.partial = true;
    collected_.warnings.push_back({"dump-unreadable", problem + ". What the other files hold is used."});
  }

  Collected &collected_;
  const Progress &progress_;
  std::size_t files_, done_ = 0, most_;
  std::atomic<std::size_t> held_ = 0;  ///< signatures read so far
};

/// Ranks in the order of their numbers, as far as names tell: 2 before 10.
bool by_number(const fs::path &a, const fs::path &b) {
  const std::string &left = a.native(), &right = b.native();
  auto digits = [](const std::string &text, std::size_t from) {
    const std::size_t end = text.find_first_not_of("0123456789", from);
    return (end == std::string::npos ? text.size() : end) - from;
  };
  std::size_t i = 0;
  while (i < left.size() && i < right.size() && left[i] == right[i]) ++i;
  while (i > 0 && std::isdigit(static_cast<unsigned char>(left[i - 1]))) --i;  // at the start of the number in which they differ
  const std::size_t of_left = digits(left, i), of_right = digits(right, i);
  if (of_left > 0 && of_right > 0 && of_left != of_right) return of_left < of_right;
  return left < right;
}

/// Puts the slots of node files in their place. What can't be read of such a file becomes a warning.
std::vector<fs::path> slots_of_node_files(const std::vector<fs::path> &files, Collected &collected) {
  std::vector<fs::path> dumps;
  auto complain = [&](const std::string &what) {
    collected.partial = true;
    collected.warnings.push_back({"dump-unreadable", what + ". What the other files hold is used."});
  };
  for (const fs::path &path : files) {
    if (!is_node_file(path)) {
      dumps.push_back(path);
      continue;
    }
    try {
      const NodeFile file = read_node_file(path);
      for (const auto &problem : file.problems) complain(problem);
      for (const NodeFileSlot &slot : file.slots)
        if (slot.kind == wire::NodeSlotKind::dump) dumps.push_back(slot_path(file, slot));
    } catch (const support::Error &error) {
      complain(error.what());
    }
  }
  return dumps;
}

/// Dumps first, so that live blocks are opened only where the dump of their process is missing or unreadable.
Collected read_all(std::vector<fs::path> files, const Progress &progress, Hold hold) {
  std::sort(files.begin(), files.end(), by_number);
  files.erase(std::unique(files.begin(), files.end()), files.end());
  std::vector<fs::path> dumps, blocks;
  for (fs::path &file : files) (is_live_block(file) ? blocks : dumps).push_back(std::move(file));
  Collected collected;
  dumps = slots_of_node_files(dumps, collected);
  Reader reader(collected, progress, dumps.size() + blocks.size(), hold);
  reader.read(dumps, read_dump, [](const RankRecord &) { return true; });
  std::set<Process> dumped;
  std::unordered_set<std::string> names;
  for (const RankRecord &record : collected.records) {
    dumped.insert(process_of(record));
    names.insert(live_name(record));
  }
  std::erase_if(blocks, [&](const fs::path &file) { return names.count(file.filename().string()) > 0; });
  reader.read(blocks, read_live_block, [&](const RankRecord &record) { return record.regions_only || !dumped.count(process_of(record)); });
  reader.detach_if_many();
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
    found->second->regions_source = record.source;
    record.regions = {};
    record.pid = 0;
  }
  std::erase_if(records, [](const RankRecord &record) { return record.regions_only && record.pid == 0; });
}

}  // namespace

Collected collect_files(const std::vector<fs::path> &files, const std::string &run_id, const Progress &progress, Hold hold) {
  Collected collected = read_all(files, progress, hold);
  leave_out_foreign(collected, run_id);
  attach_regions(collected.records);
  return collected;
}

Collected collect(const fs::path &directory, const std::string &run_id, const Progress &progress, Hold hold) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path &file = entry->path();
    if (named(file, wire::dump_prefix, wire::dump_suffix) || named(file, wire::live_prefix, wire::live_suffix) ||
        named(file, wire::region_prefix, wire::live_suffix) || named(file, wire::node_prefix, wire::node_suffix))
      files.push_back(file);
  }
  if (error) throw support::Error("cannot read the directory " + directory.string() + ": " + error.message());
  return collect_files(files, run_id, progress, hold);
}

}  // namespace scope::model
