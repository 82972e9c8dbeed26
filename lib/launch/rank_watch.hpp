#pragma once
// Watches the ranks of this host through their live blocks: in which order they end, and how. Nothing of it is needed for
// a profile: where the kernel refuses, less is known.

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scope::launch {

struct RankEnd {
  std::string host;
  std::int64_t pid = 0;
  std::uint64_t start_time = 0;    ///< field 22 of /proc/PID/stat
  int order = 0;                   ///< 0, 1, ... in which the ranks of this host ended; equal if seen at the same time
  std::optional<int> wait_status;  ///< as of waitpid, where it could still be learned
  std::uint64_t monotonic_ns = 0;  ///< when the end was seen
  bool operator==(const RankEnd &) const = default;
};

struct BlockName {
  std::string host;
  std::int64_t pid = 0;
  std::uint64_t start_time = 0;
  bool operator==(const BlockName &) const = default;
};

/// The parts of "live-<host>-<pid>-<start time>.block"; the host may hold hyphens. Nothing for any other name.
std::optional<BlockName> parse_block_name(std::string_view file_name);

/// State, start time (field 22) and exit code (field 52, a wait status) of a /proc/PID/stat line; the program's name in it
/// may hold anything.
struct ProcessStat {
  char state = '?';
  std::uint64_t start_time = 0;
  int exit_code = 0;
};
std::optional<ProcessStat> parse_process_stat(std::string_view line);

/// As it stands in the names of live blocks.
std::string host_name();

/// This process, as a live block would name it.
BlockName own_name();

/// Whether the process of a live block of this host still runs.
bool is_alive(const BlockName &name);

class RankWatch {
 public:
  explicit RankWatch(std::filesystem::path directory);
  ~RankWatch();
  RankWatch(const RankWatch &) = delete;
  RankWatch &operator=(const RankWatch &) = delete;

  /// Becomes readable when there is something for handle_events; -1 if nothing can be watched.
  int fd() const { return epoll_; }
  /// Never blocks.
  void handle_events();
  /// Handles events until every known rank has ended or the time is over.
  void wait_for_ends(std::uint64_t patience_ns);
  std::vector<RankEnd> take_ends();
  /// To every rank of this host that is known to live.
  void signal_all(int signal);

 private:
  struct Watched {
    BlockName name;
    int pidfd;
  };
  void add(const std::string &file_name);
  void end(const Watched &rank);
  void read_new_names();

  std::filesystem::path directory_;
  std::string host_;
  int epoll_ = -1, inotify_ = -1;
  std::size_t limit_ = 0;  ///< of descriptors: half of what the process may have
  int order_ = 0;
  std::map<int, Watched> alive_;  ///< by pidfd
  std::vector<RankEnd> ends_;
};

}  // namespace scope::launch
