#pragma once
// Answers ranks of other nodes that ask for this node's CLOCK_MONOTONIC (wire/clock_exchange.hpp), and hears from nodes that can't
// reach the run directory where their data are. Nothing of it is needed for a
// profile: where it can't be had, timelines of several nodes are related by their messages.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace scope::wire {
struct AwayNotice;
}

namespace scope::launch {

/// Addresses of this host at which other hosts may reach it, as text, IPv6 in brackets, IPv4 first, at most
/// wire::clock_address_limit; loopback only where there is no other. Link-local ones are left out: they mean nothing without the name
/// of an interface.
std::vector<std::string> host_addresses();

/// Value of the environment's variable: each address with ":PORT", blanks between.
std::string clock_server_value(const std::vector<std::string> &addresses, std::string_view port);

/// What the environment says where the port is not known yet (--dry-run).
inline constexpr std::string_view planned_clock_port = "PORT";

/// While it lives, a thread of its own answers questions of the run. Make it after the SignalGate: its thread takes no signals.
class ClockServer {
 public:
  /// Never throws for want of a network: see problem().
  /// Hosts that say where their data are go into `run_directory`, if that is given (note_away_host).
  explicit ClockServer(const std::string &run_id, std::filesystem::path run_directory = {});
  ~ClockServer();
  ClockServer(const ClockServer &) = delete;
  ClockServer &operator=(const ClockServer &) = delete;

  /// Why there is no server, a sentence's part with errno in words; "" when there is one.
  const std::string &problem() const { return problem_; }
  /// 0 when there is no server.
  std::uint16_t port() const { return port_; }

 private:
  bool open_socket();
  void answer_all() const;
  bool answer_one() const;

  bool note(const wire::AwayNotice &notice) const;

  std::uint64_t key_;
  std::filesystem::path run_directory_;
  int socket_ = -1, stop_ = -1;
  std::uint16_t port_ = 0;
  std::string problem_;
  std::thread thread_;
};

}  // namespace scope::launch
