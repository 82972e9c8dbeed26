#define SCOPE_IF_POINT_TO_POINT(...)
#define SCOPE_IF_WAIT(...)
#define SCOPE_IF_COLLECTIVE(...)
#define SCOPE_IF_ONE_SIDED(...)
#define SCOPE_IF_IO(...)
#define SCOPE_IF_PROCESS(...) __VA_ARGS__
#define SCOPE_IF_OTHER(...) __VA_ARGS__
#include "entry_points.hpp"
