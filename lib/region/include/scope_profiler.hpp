// Regions of a C++ program, for scope-profiler: what scope_profiler.h says, as objects. C++11.
//
//   void solve() {
//     SCOPE_FUNCTION();                 // a region "solve", until the function is left, also by an exception
//     { SCOPE_REGION("assemble"); ... }
//     scope_profiler::DynamicRegion level("level " + std::to_string(n));   // a name that is made at run time
//   }
#ifndef SCOPE_PROFILER_HPP
#define SCOPE_PROFILER_HPP

#include <string>

#include "scope_profiler.h"

#define SCOPE_PROFILER_JOIN2_(a, b) a##b
#define SCOPE_PROFILER_JOIN_(a, b) SCOPE_PROFILER_JOIN2_(a, b)

namespace scope_profiler {

#ifndef SCOPE_DISABLE

/// A region from construction to destruction, in one thread. Use SCOPE_REGION.
class Region {
 public:
  explicit Region(scope_profiler_site &site) : site_(&site) { scope_profiler_begin_site_(site_); }
  ~Region() { scope_profiler_end_site_(site_); }
  Region(const Region &) = delete;
  Region &operator=(const Region &) = delete;

 private:
  scope_profiler_site *site_;
};

/// A region whose name may differ each time.
class DynamicRegion {
 public:
  explicit DynamicRegion(std::string name, const char *file = nullptr, int line = 0) : name_(static_cast<std::string &&>(name)) {
    scope_profiler_begin_name_(name_.data(), name_.size(), file, line);
  }
  ~DynamicRegion() { scope_profiler_end_name_(name_.data(), name_.size()); }
  DynamicRegion(const DynamicRegion &) = delete;
  DynamicRegion &operator=(const DynamicRegion &) = delete;

 private:
  std::string name_;
};

#define SCOPE_REGION(name) SCOPE_PROFILER_REGION_(name, __COUNTER__)
#define SCOPE_PROFILER_REGION_(name, number)                                                                                  \
  static scope_profiler_site SCOPE_PROFILER_JOIN_(scope_profiler_site_, number) = {(name), __FILE__, __LINE__, nullptr};      \
  ::scope_profiler::Region SCOPE_PROFILER_JOIN_(scope_profiler_region_, number)(SCOPE_PROFILER_JOIN_(scope_profiler_site_, number))

#else

class DynamicRegion {
 public:
  explicit DynamicRegion(const std::string &, const char * = nullptr, int = 0) {}
  ~DynamicRegion() {}  // not trivial: else compilers warn of objects that nobody uses
  DynamicRegion(const DynamicRegion &) = delete;
  DynamicRegion &operator=(const DynamicRegion &) = delete;
};

#define SCOPE_REGION(name) static_cast<void>(0)

#endif

#define SCOPE_FUNCTION() SCOPE_REGION(__func__)

}  // namespace scope_profiler

#endif
