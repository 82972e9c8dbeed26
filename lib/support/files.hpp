#pragma once
// Files: whole reads, writes that appear at once or not at all. All functions throw Error with the path and the reason.

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace scope::support {

/// While it lives, this thread's writes beyond the limit on file sizes (ulimit -f) fail with EFBIG, which is a message; by default
/// the signal SIGXFSZ ends the process.
class SizeSignalHeld {
 public:
  SizeSignalHeld();
  ~SizeSignalHeld();
  SizeSignalHeld(const SizeSignalHeld &) = delete;
  SizeSignalHeld &operator=(const SizeSignalHeld &) = delete;

 private:
  sigset_t original_{};
};

/// The whole file; gunzips a file that begins with the gzip magic, whatever its name. `limit_bytes` bounds the result
/// (a compressed file of a gigabyte of zeros is refused, not expanded).
std::string read_file(const std::filesystem::path &file, std::size_t limit_bytes = std::size_t{1} << 30);

/// Writes beside `file` (same directory), fsyncs, renames into place; nothing is left behind on failure. Missing directories
/// are made. `gzip` compresses. `keep_old`: an earlier file becomes NAME.old. Several processes may do this to one name at once:
/// the last one's content stands under the name and the last but one's under NAME.old, and where the file system has hard links
/// the name is never missing meanwhile.
void write_file_atomically(const std::filesystem::path &file, std::string_view content, bool gzip, bool keep_old);

/// The same for what is not needed after the machine went down: put in its place at once, but not waited for until it is on the disk
/// (two fsyncs are milliseconds, on some file systems tens of them).
void write_passing_file(const std::filesystem::path &file, std::string_view content);

/// The same for what does not fit into memory: written part by part beside `file`, in its place once commit() returns, gone if it
/// never comes to that. Every member throws Error with the path and the reason (a full disk). One thread at a time.
class NewFile {
 public:
  /// Devices and pipes (/dev/null, /dev/stdout) are written to as the parts come.
  explicit NewFile(const std::filesystem::path &file);
  NewFile(NewFile &&) noexcept;
  NewFile &operator=(NewFile &&) = delete;
  ~NewFile();
  void write(std::string_view bytes);
  /// Over what was written already, `offset` bytes from the beginning. Not for devices and pipes, where it does nothing.
  void rewrite(std::uint64_t offset, std::string_view bytes);
  void commit(bool keep_old, bool to_disk = true);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scope::support
