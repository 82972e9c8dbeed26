#include "launch/run_directory.hpp"

#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <tuple>

#include "launch/environment.hpp"
#include "launch/rank_watch.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/text.hpp"
#include "wire/contract.hpp"

namespace scope::launch {

namespace fs = std::filesystem;
using support::Error;

namespace {

constexpr int tool_fault = 125;
using wire::info_file;
constexpr char link_template[] = "/tmp/scope-profiler-XXXXXX";

[[noreturn]] void fail(const std::string &what, const fs::path &path, int error, const std::string &next) {
  throw Error(what + " '" + path.string() + "': " + support::errno_text(error) + ". " + next, tool_fault);
}

fs::path make_unique_directory(const fs::path &name_template, const std::string &next) {
  std::string name = name_template.string();
  if (!mkdtemp(name.data())) fail("cannot make the run directory", name_template, errno, next);
  chmod(name.c_str(), 0700);  // a mask may have taken the owner's own rights
  return name;
}

void make_directories(const fs::path &directory, const std::string &next) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) fail("cannot make the directory", directory, error.value(), next);
}

bool is_trace_name(const std::string &name) { return name.starts_with(wire::trace_prefix) && name.ends_with(wire::live_suffix); }

bool is_rank_file(const std::string &name) {
  auto is = [&](const char *prefix, const char *suffix) { return name.starts_with(prefix) && name.ends_with(suffix); };
  return is(wire::live_prefix, wire::live_suffix) || is(wire::region_prefix, wire::live_suffix) || is(wire::dump_prefix, wire::dump_suffix) ||
         is(wire::node_prefix, wire::node_suffix);
}

std::string line_of(std::ifstream &in) {
  std::string line;
  std::getline(in, line);
  return line;
}

}  // namespace

std::string make_run_id() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw Error("cannot get random bytes for the run id: " + support::errno_text(errno), tool_fault);
  }
  std::string id;
  for (unsigned byte : bytes) id += {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
  return id;
}

fs::path run_directory_template(const fs::path &output) {
  return fs::absolute(output).lexically_normal().parent_path() / ".scope-profiler-XXXXXX";
}

RunDirectory make_run_directory(const fs::path &output) {
  const std::string next = "Choose another place for the profile with -o FILE.";
  auto name_template = run_directory_template(output);
  make_directories(name_template.parent_path(), next);
  std::error_code error;
  if (fs::is_directory(output, error)) fail("cannot write the profile", output, EISDIR, next);
  RunDirectory directory;
  directory.path = make_unique_directory(name_template, "Ranks leave their data beside the profile. " + next);
  directory.run_id = make_run_id();
  return directory;
}

fs::path planned_carriable_path(const fs::path &directory, const fs::path &target) {
  if (carriable(target.string())) return target;
  return (carriable(directory.string()) ? directory : fs::path(link_template)) / target.filename();
}

fs::path carriable_path(RunDirectory &directory, const fs::path &target) {
  if (carriable(target.string())) return target;
  if (directory.links.empty()) {
    directory.links = carriable(directory.path.string())
                          ? directory.path
                          : make_unique_directory(link_template, "LD_PRELOAD can't carry a path with spaces or colons.");
  }
  auto link = directory.links / target.filename();
  std::error_code error;
  fs::create_symlink(target, link, error);
  if (error && error.value() != EEXIST)
    fail("cannot make the link", link, error.value(), "Install the tool in a path without spaces.");
  return link;
}

// Fields end with a NUL, which no argument and no environment value can hold: key, value, key, value, ...
void write_run_info(const fs::path &directory, const RunInfo &info) {
  std::string text;
  auto add = [&](const std::string &key, const std::string &value) { (text += key) += '\0', (text += value) += '\0'; };
  add("run_id", info.run_id);
  add("label", info.label);
  add("started", info.started);
  add("launcher", info.launcher);
  add("host", info.host);
  add("pid", std::to_string(info.pid));
  add("start_time", std::to_string(info.start_time));
  if (!info.boot_id.empty()) add("boot_id", info.boot_id);
  for (const auto &[key, value] : info.tags) add("tag", key + '=' + value);
  for (const auto &[key, value] : info.batch) add("batch", key + '=' + value);
  for (const auto &word : info.command) add("command", word);
  try {
    support::write_passing_file(directory / info_file, text);
  } catch (const Error &error) {
    throw Error(error.what(), tool_fault);
  }
}

RunInfo read_run_info(const fs::path &directory) {
  RunInfo info;
  std::ifstream in(directory / info_file, std::ios::binary);
  std::string key, value;
  while (std::getline(in, key, '\0') && std::getline(in, value, '\0')) {
    if (key == "run_id") info.run_id = value;
    else if (key == "label") info.label = value;
    else if (key == "started") info.started = value;
    else if (key == "launcher") info.launcher = value;
    else if (key == "host") info.host = value;
    else if (key == "pid") info.pid = std::atoll(value.c_str());
    else if (key == "boot_id") info.boot_id = value;
    else if (key == "start_time") info.start_time = std::strtoull(value.c_str(), nullptr, 10);
    else if (key == "command") info.command.push_back(value);
    else if (auto equals = value.find('='); (key == "tag" || key == "batch") && equals != std::string::npos) {
      (key == "tag" ? info.tags : info.batch)[value.substr(0, equals)] = value.substr(equals + 1);
    }
  }
  return info;
}

bool written_since(const fs::path &directory, const fs::path &file) {
  std::error_code no_start, no_file;
  auto start = fs::last_write_time(directory / info_file, no_start), written = fs::last_write_time(file, no_file);
  return !no_start && !no_file && fs::is_regular_file(file, no_file) && written > start;
}

void prepare_directory(const fs::path &target, const std::string &option) {
  const std::string next = "Choose another directory with " + option + ".";
  make_directories(target, next);
  // Only an attempt tells: access() says yes to root, and to everyone on some network file systems.
  std::error_code error;
  fs::remove(make_unique_directory(target / ".scope-profiler-XXXXXX", next), error);
}

namespace {

/// By name.
std::vector<fs::path> files_of(const fs::path &directory, bool (*wanted)(const std::string &name)) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(directory, error)) {
    if (wanted(entry.path().filename().string())) files.push_back(entry.path());
  }
  if (error)
    fail("cannot read the directory", directory, error.value(), "Name the directory that --keep-dumps or a failed run left.");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<fs::path> rank_files(const fs::path &directory) { return files_of(directory, is_rank_file); }
std::vector<fs::path> trace_files(const fs::path &directory) { return files_of(directory, is_trace_name); }
bool is_trace_file(const fs::path &file) { return is_trace_name(file.filename().string()); }

std::vector<Refusal> refused_processes(const fs::path &directory) {
  std::vector<Refusal> result;
  std::error_code error;
  for (fs::directory_iterator file(directory, error), end; !error && file != end; file.increment(error)) {
    std::string name = file->path().filename().string();
    auto before_pid = name.rfind('-');
    const std::string prefix = wire::refusal_prefix;
    if (!name.starts_with(prefix)) continue;
    std::error_code unreadable;
    int reason = std::atoi(fs::read_symlink(file->path(), unreadable).c_str());
    if (reason <= 0) continue;
    Refusal refusal{"", 0, reason};
    if (before_pid >= prefix.size()) {
      refusal.host = name.substr(prefix.size(), before_pid - prefix.size());
      refusal.pid = std::atoll(name.c_str() + before_pid + 1);
    }
    result.push_back(std::move(refusal));
  }
  return result;
}

std::vector<AwayHost> away_hosts(const fs::path &directory) {
  std::vector<AwayHost> hosts;
  std::error_code error;
  for (fs::directory_iterator file(directory, error), end; !error && file != end; file.increment(error)) {
    if (!file->path().filename().string().starts_with(wire::away_prefix)) continue;
    std::ifstream in(file->path());
    AwayHost host;
    host.host = support::valid_utf8(line_of(in));
    host.directory = support::valid_utf8(line_of(in));
    host.boot_id = file->path().filename().string().substr(std::char_traits<char>::length(wire::away_prefix));
    host.stranded = host.boot_id.ends_with(wire::stranded_suffix);
    if (host.stranded) host.boot_id.resize(host.boot_id.size() - std::char_traits<char>::length(wire::stranded_suffix));
    if (!host.host.empty() && host.directory.is_absolute()) hosts.push_back(std::move(host));
  }
  auto key = [](const AwayHost &host) { return std::tie(host.host, host.boot_id, host.directory); };
  std::sort(hosts.begin(), hosts.end(), [&](const AwayHost &a, const AwayHost &b) { return std::tuple_cat(key(a), std::tuple(!a.stranded)) < std::tuple_cat(key(b), std::tuple(!b.stranded)); });
  hosts.erase(std::unique(hosts.begin(), hosts.end(), [&](const AwayHost &a, const AwayHost &b) { return key(a) == key(b); }), hosts.end());
  return hosts;
}

std::string local_directory_name(const std::string &run_id) { return wire::local_prefix + run_id; }

std::string away_file_names(const fs::path &directory) { return (directory / wire::away_prefix).string() + '*'; }

void note_away_host(const fs::path &directory, const AwayHost &host) {
  auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-'; };
  if (host.boot_id.empty() || !std::all_of(host.boot_id.begin(), host.boot_id.end(), plain)) return;
  std::ofstream(directory / (wire::away_prefix + host.boot_id)) << host.host << '\n' << host.directory.string() << '\n';
}

std::map<int, int> refusals(const fs::path &directory) {
  std::map<int, int> counts;
  for (const auto &refusal : refused_processes(directory)) ++counts[refusal.error];
  return counts;
}

std::vector<fs::path> run_directories_in(const fs::path &place) {
  std::error_code error;
  if (fs::exists(place / info_file, error)) return {place};
  std::vector<fs::path> found;
  fs::directory_iterator entry(place, error);
  if (error) fail("cannot read the directory", place, error.value(), "Name the directory of the run, or the one that the profile goes to.");
  for (const fs::directory_iterator end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code unreadable;
    if (name.starts_with(".scope-profiler-") && fs::exists(entry->path() / info_file, unreadable)) found.push_back(entry->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool is_running(const fs::path &directory) {
  const RunInfo info = read_run_info(directory);
  const std::string host = host_name();
  if (info.pid > 0 && info.host == host && is_alive({info.host, info.pid, info.start_time})) return true;
  std::error_code error;
  for (fs::directory_iterator file(directory, error), end; !error && file != end; file.increment(error)) {
    auto name = parse_block_name(file->path().filename().string());
    if (name && (name->host != host || is_alive(*name))) return true;
  }
  return false;
}

void copy_rank_files(const fs::path &directory, const fs::path &target) {
  support::SizeSignalHeld held;
  auto files = rank_files(directory);
  for (auto &file : trace_files(directory)) files.push_back(std::move(file));
  if (fs::exists(directory / info_file)) files.push_back(directory / info_file);
  for (const auto &file : files) {
    auto copy = target / file.filename();
    std::error_code error;
    fs::copy_file(file, copy, fs::copy_options::overwrite_existing, error);
    if (error) fail("cannot copy '" + file.string() + "' to", copy, error.value(), "Choose another directory with --keep-dumps.");
  }
}

void remove_links(const RunDirectory &directory) {
  std::error_code error;
  if (!directory.links.empty() && directory.links != directory.path) fs::remove_all(directory.links, error);
}

void remove_run_directory(const RunDirectory &directory) {
  remove_links(directory);
  std::error_code error;
  fs::remove_all(directory.path, error);
}

}  // namespace scope::launch
