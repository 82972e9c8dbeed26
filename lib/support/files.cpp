#include "support/files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <optional>
#include <vector>

#include "support/error.hpp"
#include "support/gzip.hpp"

namespace scope::support {
namespace {

namespace fs = std::filesystem;

/// A file descriptor that is closed on every way out.
struct Descriptor {
  int fd = -1;
  explicit Descriptor(int open_fd) : fd(open_fd) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  /// Network file systems report a full disk here at the latest.
  int close() {
    int result = ::close(fd);
    fd = -1;
    return result;
  }
};

std::string remedy(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT: return "; free some space there or choose a file on another disk";
    case EFBIG: return "; raise the file size limit (ulimit -f)";
    case EROFS:
    case EACCES:
    case EPERM: return "; choose a file in a directory that you may write to";
    case EISDIR:
    case ENOTDIR:
    case ENAMETOOLONG: return "; choose another file name";
    default: return "";
  }
}

[[noreturn]] void fail_read(const fs::path &file, int error) {
  throw Error("cannot read " + file.string() + ": " + errno_text(error));
}

[[noreturn]] void fail_write(const fs::path &file, int error) {
  throw Error("cannot write " + file.string() + ": " + errno_text(error) + remedy(error));
}

/// Everything that was made on the way to the file, undone unless it was kept.
struct Undo {
  std::vector<fs::path> directories;  ///< outermost first
  fs::path temporary;
  bool keep = false;
  ~Undo() {
    if (keep) return;
    if (!temporary.empty()) ::unlink(temporary.c_str());
    for (auto directory = directories.rbegin(); directory != directories.rend(); ++directory) ::rmdir(directory->c_str());
  }
};

void make_directories(const fs::path &directory, const fs::path &file, Undo &undo) {
  if (directory.empty()) return;
  struct stat status;
  if (::stat(directory.c_str(), &status) == 0) return;
  if (errno != ENOENT) fail_write(file, errno);
  make_directories(directory.parent_path(), file, undo);
  if (::mkdir(directory.c_str(), 0777) == 0) {
    undo.directories.push_back(directory);
  } else if (errno != EEXIST) {
    fail_write(file, errno);
  }
}

void write_all(int fd, std::string_view content, const fs::path &file) {
  SizeSignalHeld held;
  while (!content.empty()) {
    ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_write(file, errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// A new file beside `target`, with the permissions that the user's mask gives (mkstemp would make it private).
int open_temporary(const fs::path &target, const fs::path &file, Undo &undo) {
  static std::atomic<unsigned> serial{0};
  while (true) {
    std::string name = ".scope-profiler-" + std::to_string(::getpid()) + "-" + std::to_string(serial++) + ".tmp";
    fs::path temporary = target.parent_path() / name;
    int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) {
      undo.temporary = temporary;
      return fd;
    }
    if (errno != EEXIST) fail_write(file, errno);
  }
}

/// A rename is on disk only when its directory is; a file system that cannot do this has no say in the result.
void sync_directory(const fs::path &directory) {
  Descriptor handle(::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (handle.fd >= 0) ::fsync(handle.fd);
}

/// One run at a time: of several that end together the last two are kept, and in that order. Whoever can't have the lock (some
/// network file systems have none, a holder may be stopped) goes on without it.
class DirectoryLock {
 public:
  explicit DirectoryLock(const fs::path &directory)
      : handle_(::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    constexpr int attempts = 200;
    constexpr timespec pause{0, 10'000'000};
    for (int i = 0; i < attempts && ::flock(handle_.fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; ++i)
      ::nanosleep(&pause, nullptr);
  }

 private:
  Descriptor handle_;
};

/// `target` as `old`, while `target` stays: a second name that replaces an earlier `old`. Without hard links there is a moment
/// without `target`. False: there was no `target`.
bool keep_as(const fs::path &target, const fs::path &old, const fs::path &temporary) {
  fs::path second = temporary;
  second += ".old";
  if (::link(target.c_str(), second.c_str()) == 0) {
    if (::rename(second.c_str(), old.c_str()) == 0) {
      ::unlink(second.c_str());  // still there if both were the same file already
      return true;
    }
    int error = errno;
    ::unlink(second.c_str());
    fail_write(old, error);
  }
  if (errno == ENOENT) return false;
  if (::rename(target.c_str(), old.c_str()) == 0) return true;
  if (errno != ENOENT) fail_write(old, errno);
  return false;
}

void replace(const fs::path &temporary, const fs::path &target, bool keep_old, const fs::path &file) {
  fs::path old = target;
  old += ".old";
  std::optional<DirectoryLock> lock;
  if (keep_old) lock.emplace(target.parent_path());
  bool kept = keep_old && keep_as(target, old, temporary);
  if (::rename(temporary.c_str(), target.c_str()) == 0) return;
  int error = errno;
  if (kept) (void)::rename(old.c_str(), target.c_str());
  fail_write(file, error);
}

sigset_t only(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  return set;
}

}  // namespace

SizeSignalHeld::SizeSignalHeld() {
  const sigset_t set = only(SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &set, &original_);
}

SizeSignalHeld::~SizeSignalHeld() {
  const sigset_t set = only(SIGXFSZ);
  const timespec now{};
  if (sigismember(&original_, SIGXFSZ) == 0)
    while (sigtimedwait(&set, nullptr, &now) > 0) continue;
  pthread_sigmask(SIG_SETMASK, &original_, nullptr);
}

std::string read_file(const fs::path &file, std::size_t limit_bytes) {
  Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (in.fd < 0) fail_read(file, errno);
  struct stat status;
  if (::fstat(in.fd, &status) != 0) fail_read(file, errno);
  if (S_ISDIR(status.st_mode)) fail_read(file, EISDIR);
  auto too_large = [&] { throw Error("cannot read " + file.string() + ": is larger than " + std::to_string(limit_bytes) + " bytes"); };
  if (S_ISREG(status.st_mode) && static_cast<std::size_t>(status.st_size) > limit_bytes) too_large();
  std::string content;
  constexpr std::size_t step = std::size_t{1} << 16;
  // One byte more than the size that is promised, so that the end is seen without growing the buffer.
  std::size_t expected = status.st_size > 0 ? static_cast<std::size_t>(status.st_size) + 1 : step;
  std::size_t filled = 0;
  while (true) {
    if (filled > limit_bytes) too_large();
    if (content.size() == filled)
      content.resize(filled == 0 ? std::min(expected, limit_bytes + 1) : filled + std::max(step, filled / 2));
    ssize_t got = ::read(in.fd, content.data() + filled, content.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_read(file, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  content.resize(filled);
  if (!is_gzip(content)) return content;
  try {
    return gunzip(content, limit_bytes);
  } catch (const Error &error) {
    throw Error("cannot read " + file.string() + ": " + error.what());
  }
}

struct NewFile::State {
  fs::path file, target;  ///< as it was named; behind a symbolic link, which is not replaced
  Undo undo;
  Descriptor out{-1};
  bool in_place = false;  ///< renaming onto devices and pipes would replace them
};

NewFile::NewFile(const fs::path &file) : state_(std::make_unique<State>()) {
  if (file.filename().empty()) fail_write(file, EISDIR);
  std::error_code ignored;
  state_->file = file;
  state_->target = fs::is_symlink(file, ignored) ? fs::weakly_canonical(file, ignored) : file;
  if (state_->target.empty()) state_->target = file;
  const fs::path &target = state_->target;
  struct stat status;
  if (::stat(target.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail_write(file, EISDIR);
    state_->in_place = !S_ISREG(status.st_mode);
  }
  if (state_->in_place) {
    state_->out.fd = ::open(target.c_str(), O_WRONLY | O_CLOEXEC);
    if (state_->out.fd < 0) fail_write(target, errno);
    return;
  }
  make_directories(target.parent_path(), file, state_->undo);
  state_->out.fd = open_temporary(target, file, state_->undo);
}

NewFile::NewFile(NewFile &&) noexcept = default;
NewFile::~NewFile() = default;

void NewFile::write(std::string_view bytes) { write_all(state_->out.fd, bytes, state_->in_place ? state_->target : state_->file); }

void NewFile::rewrite(std::uint64_t offset, std::string_view bytes) {
  if (state_->in_place) return;
  SizeSignalHeld held;
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(state_->out.fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_write(state_->file, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

void NewFile::commit(bool keep_old, bool to_disk) {
  const fs::path &file = state_->file;
  if (!state_->in_place && to_disk && ::fsync(state_->out.fd) != 0 && errno != EINVAL && errno != ENOTSUP) fail_write(file, errno);
  if (state_->out.close() != 0) fail_write(state_->in_place ? state_->target : file, errno);
  if (state_->in_place) return;
  replace(state_->undo.temporary, state_->target, keep_old, file);
  state_->undo.keep = true;
  if (to_disk) sync_directory(state_->target.parent_path());
}

void write_passing_file(const fs::path &file, std::string_view content) {
  NewFile out(file);
  out.write(content);
  out.commit(false, false);
}

void write_file_atomically(const fs::path &file, std::string_view content, bool compress, bool keep_old) {
  std::string compressed;
  if (compress) {
    compressed = gzip(content);
    content = compressed;
  }
  NewFile out(file);
  out.write(content);
  out.commit(keep_old);
}

}  // namespace scope::support
