// Writes the rank dumps of a job that nobody has to run: a torus of ranks in three dimensions, 26 neighbours each, 200 signatures
// a rank, all messages matched. What `bench_merge` merges; the same ranks always give the same files.
//
//     synthetic_dumps DIRECTORY RANKS

#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

constexpr std::uint64_t iterations = 1000;
constexpr int collective_sizes = 118;  ///< with 3 x 26 rows of messages and 4 single calls: 200 rows

struct Torus {
  int x, y, z;
};

/// The box nearest to a cube that has exactly so many places.
Torus torus_of(int ranks) {
  Torus best{ranks, 1, 1};
  for (int x = 1; x * x * x <= ranks; ++x) {
    if (ranks % x) continue;
    for (int y = x; x * y * y <= ranks; ++y)
      if (ranks / x % y == 0) best = {ranks / x / y, y, x};
  }
  return best;
}

int neighbour(const Torus &torus, int rank, int direction, int sign) {
  const int step[3] = {direction % 3 - 1, direction / 3 % 3 - 1, direction / 9 - 1};
  const int x = rank / (torus.y * torus.z), y = rank / torus.z % torus.y, z = rank % torus.z;
  auto wrap = [](int at, int size) { return ((at % size) + size) % size; };
  return (wrap(x + sign * step[0], torus.x) * torus.y + wrap(y + sign * step[1], torus.y)) * torus.z + wrap(z + sign * step[2], torus.z);
}

/// Times that differ from rank to rank: no table becomes a constant.
class Numbers {
 public:
  explicit Numbers(int rank) : state_(0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(rank + 1)) {}
  std::uint64_t below(std::uint64_t bound) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ % bound;
  }

 private:
  std::uint64_t state_;
};

struct Counts {
  std::uint64_t calls = 0, total = 0, min = 0, max = 0, sent = 0, received = 0;
  double sum_sq = 0;
};

class Dump {
 public:
  Dump(const std::filesystem::path &file, int rank, int ranks) : out_(std::fopen(file.c_str(), "w")), numbers_(rank) {
    if (!out_) {
      std::perror(file.c_str());
      std::exit(1);
    }
    std::fprintf(out_,
                 "{\"format\":\"scope-profiler-rank\",\"format_version\":1,\"exporter\":\"synthetic_dumps\",\"run_id\":\"synthetic\","
                 "\"world\":{\"key\":\"synthetic\",\"parent\":\"\",\"size\":%d,\"rank\":%d},\"process\":{\"host\":\"node%05d\","
                 "\"boot_id\":\"%08d-0000-4000-8000-000000000000\",\"pid\":%d,\"start_time\":%d,\"executable\":\"/opt/solver/bin/solver\","
                 "\"threads\":1,\"cpu_ns\":59000000000,\"max_rss_bytes\":%" PRIu64 "},\"mpi\":{\"family\":\"openmpi\",\"library\":"
                 "\"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022\",\"standard\":[3,1],"
                 "\"thread_level\":0},\"status\":\"finalized\",\"abort_code\":0,\"clock\":{\"kind\":\"tsc\",\"unix_ns\":1796111810566876093,"
                 "\"first\":[1000000000000,400000000000],\"last\":[1156000000000,460000000000],\"begin\":1000000500000,\"end\":1155999500000},",
                 ranks, rank, rank / 128, rank / 128, 1000 + rank % 128, 40000 + rank % 128, 30000000 + numbers_.below(4000000));
  }

  void write(int rank, int ranks) {
    const Torus torus = torus_of(ranks);
    for (int direction = 0; direction < 27; ++direction) {
      if (direction == 13) continue;  // itself
      const int axes = (direction % 3 != 1) + (direction / 3 % 3 != 1) + (direction / 9 != 1);
      const std::int64_t bytes = axes == 1 ? 32768 : axes == 2 ? 512 : 8;
      row(0, "", 0, neighbour(torus, rank, direction, 1), -1, direction, bytes, true, false, iterations, 0);
      row(1, "", 0, neighbour(torus, rank, direction, -1), -1, direction, bytes, false, false, iterations, 0);
      row(2, "MPI_Irecv", 0, neighbour(torus, rank, direction, -1), -1, direction, bytes, false, true, iterations, iterations);
    }
    row(4, "", -1, -1, -1, -1, -1, false, false, 1, 0);
    row(5, "", -1, -1, -1, -1, -1, false, false, 1, 0);
    row(6, "", 0, -1, -1, -1, -1, false, false, 1, 0);
    row(7, "", 0, -1, -1, -1, -1, false, false, 1, 0);
    for (int i = 0; i < collective_sizes; ++i) row(3, "", i % 2, -1, -1, -1, 8 * (i + 1), true, true, 100, 0);
    finish(ranks);
  }

  ~Dump() { std::fclose(out_); }

 private:
  static constexpr const char *names[] = {"MPI_Isend", "MPI_Irecv", "MPI_Wait", "MPI_Allreduce", "MPI_Init", "MPI_Finalize", "MPI_Comm_rank", "MPI_Comm_size"};

  void row(int call, const char *request, int comm, int peer, int root, int tag, std::int64_t bytes, bool sends, bool receives,
           std::uint64_t calls, std::uint64_t completions) {
    const std::uint64_t least = 200 + numbers_.below(800);
    Counts counts{calls, calls * (least + numbers_.below(20000)), least, 0, 0, 0, 0};
    counts.max = counts.total / calls * 3;
    if (calls == 1) counts.min = counts.max = counts.total;
    counts.sum_sq = static_cast<double>(counts.total) * static_cast<double>(counts.total) / static_cast<double>(calls) * 1.5;
    if (sends) counts.sent = calls * static_cast<std::uint64_t>(bytes);
    if (receives) counts.received = calls * static_cast<std::uint64_t>(bytes);
    add(sums_[call], counts);
    char text[512];
    std::snprintf(text, sizeof text,
                  "%s\n{\"call\":\"%s\",\"request\":\"%s\",\"comm\":%d,\"peer\":%d,\"root\":%d,\"tag\":%d,\"bytes\":%" PRId64
                  ",\"completions\":%" PRIu64 ",%s}",
                  rows_.empty() ? "" : ",", names[call], request, comm, peer, root, tag, bytes, completions, text_of(counts).c_str());
    rows_ += text;
  }

  static void add(Counts &sum, const Counts &one) {
    sum.min = sum.calls == 0 || one.min < sum.min ? one.min : sum.min;
    sum.max = one.max > sum.max ? one.max : sum.max;
    sum.calls += one.calls;
    sum.total += one.total;
    sum.sent += one.sent;
    sum.received += one.received;
    sum.sum_sq += one.sum_sq;
  }

  static std::string text_of(const Counts &counts) {
    char text[256];
    std::snprintf(text, sizeof text,
                  "\"calls\":%" PRIu64 ",\"errors\":0,\"total\":%" PRIu64 ",\"min\":%" PRIu64 ",\"max\":%" PRIu64
                  ",\"sum_sq\":%.17g,\"bytes_sent\":%" PRIu64 ",\"bytes_received\":%" PRIu64,
                  counts.calls, counts.total, counts.min, counts.max, counts.sum_sq, counts.sent, counts.received);
    return text;
  }

  void finish(int ranks) {
    std::uint64_t mpi_ticks = 0;
    for (const Counts &sum : sums_) mpi_ticks += sum.total;
    std::fprintf(out_,
                 "\"mpi_ticks\":%" PRIu64 ",\"cost_ticks\":65.5,\"untracked_requests\":0,\"lost_entries\":0,\"abandoned\":0,\"folded\":{\"tags\":0,"
                 "\"bytes\":0,\"peers\":0,\"communicators\":0,\"sites\":0},\"in_call\":[],\"communicators\":[\n"
                 "{\"key\":\"0000000000000000\",\"name\":\"MPI_COMM_WORLD\",\"size\":%d,\"remote_size\":0,\"rank\":0,\"foreign\":false,\"merged\":false},\n"
                 "{\"key\":\"5eddbfc86ac56368\",\"name\":\"grid\",\"size\":%d,\"remote_size\":0,\"rank\":0,\"foreign\":false,\"merged\":false}],\"calls\":[",
                 mpi_ticks, ranks, ranks);
    for (std::size_t call = 0; call < std::size(sums_); ++call) {
      std::fprintf(out_, "%s\n{\"name\":\"%s\",%s,\"histogram\":[", call ? "," : "", names[call], text_of(sums_[call]).c_str());
      // Some forty buckets, as calls of real programs have.
      std::uint64_t rest = sums_[call].calls;
      for (int bucket = 60; rest > 0 && bucket < 100; ++bucket) {
        const std::uint64_t count = bucket == 99 || rest < 40 ? rest : rest / 20 + numbers_.below(rest / 20 + 1);
        std::fprintf(out_, "%s[%d,%" PRIu64 "]", bucket > 60 ? "," : "", bucket, count);
        rest -= count;
      }
      std::fprintf(out_, "]}");
    }
    std::fprintf(out_, "],\"signatures\":[%s],\n\"end\":true}", rows_.c_str());
  }

  std::FILE *out_;
  Numbers numbers_;
  Counts sums_[std::size(names)];
  std::string rows_;
};

}  // namespace

int main(int argc, char **argv) {
  const int ranks = argc == 3 ? std::atoi(argv[2]) : 0;
  if (ranks < 1) {
    std::fprintf(stderr, "usage: synthetic_dumps DIRECTORY RANKS\n");
    return 2;
  }
  const std::filesystem::path directory = argv[1];
  std::filesystem::create_directories(directory);
  for (int rank = 0; rank < ranks; ++rank) Dump(directory / ("rank-synthetic-" + std::to_string(rank) + ".json"), rank, ranks).write(rank, ranks);
  return 0;
}
