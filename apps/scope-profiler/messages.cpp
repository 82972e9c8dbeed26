#include "messages.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "render/escape.hpp"

namespace scope::app {

namespace {

spdlog::logger &logger() {
  static auto made = [] {
    auto result = std::make_shared<spdlog::logger>("scope-profiler", std::make_shared<spdlog::sinks::stderr_sink_st>());
    result->set_pattern("scope-profiler: %l: %v");
    result->set_error_handler([](const std::string &) {});  // a closed standard error is no reason to fail
    return result;
  }();
  return *made;
}

/// Names of files and programs are data: they must not move the cursor.
std::string safe(const std::string &text) { return render::plain(text); }

}  // namespace

void set_up_messages(const cli::CommonOptions &options) {
  logger().set_level(options.quiet ? spdlog::level::warn : options.verbose ? spdlog::level::debug : spdlog::level::info);
}

bool quiet() { return !logger().should_log(spdlog::level::info); }

void debug(const std::string &text) { logger().debug("{}", safe(text)); }
void info(const std::string &text) { logger().info("{}", safe(text)); }
void warn(const std::string &text) { logger().warn("{}", safe(text)); }
void error(const std::string &text) { logger().error("{}", safe(text)); }

}  // namespace scope::app
