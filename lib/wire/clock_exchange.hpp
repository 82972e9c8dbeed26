#pragma once
// How ranks of other nodes learn how far their CLOCK_MONOTONIC is from the launcher's (run --trace): questions to `run`, and its
// answers, one UDP packet each. An answer is never longer than its question, so that nobody can make the tool send more than he
// sent himself. Numbers are of the machine that wrote them: the magic of another byte order is another one.

#include <cstdint>

namespace scope::wire {

inline constexpr std::uint64_t clock_question_magic = 0x53435051434c4b31;  // "SCPQCLK1"
inline constexpr std::uint64_t clock_answer_magic = 0x53435041434c4b31;    // "SCPACLK1"

struct ClockQuestion {
  std::uint64_t magic;
  std::uint64_t key;       ///< clock_key of the run's id: whoever does not know the run gets no answer
  std::uint64_t sequence;  ///< anything; the answer repeats it
  std::uint64_t reserved;
};

struct ClockAnswer {
  std::uint64_t magic;
  std::uint64_t sequence;
  std::uint64_t received_ns;  ///< launcher's CLOCK_MONOTONIC when the question had come
  std::uint64_t sent_ns;      ///< and when the answer was about to go
};
static_assert(sizeof(ClockQuestion) == 32 && sizeof(ClockAnswer) == 32);

/// A rank whose node can't reach the run directory says where its data are (run --collect). The answer is a ClockAnswer.
struct AwayNotice {
  std::uint64_t magic;
  std::uint64_t key;
  std::uint64_t sequence;
  char boot_id[40];
  char host[128];
  char directory[256];
};
inline constexpr std::uint64_t away_notice_magic = 0x5343504157415931;  // "SCPAWAY1"
static_assert(sizeof(AwayNotice) == 448);

/// FNV-1a of the run's id, which itself does not go over the network.
constexpr std::uint64_t clock_key(const char *run_id) {
  std::uint64_t hash = 14695981039346656037u;
  for (; *run_id; ++run_id) hash = (hash ^ static_cast<unsigned char>(*run_id)) * 1099511628211u;
  return hash;
}

inline constexpr unsigned clock_address_limit = 8;  ///< addresses in env_clock_server

}  // namespace scope::wire
