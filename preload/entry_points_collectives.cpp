#define SCOPE_IF_POINT_TO_POINT(...)
#define SCOPE_IF_WAIT(...)
#define SCOPE_IF_COLLECTIVE(...) __VA_ARGS__
#define SCOPE_IF_ONE_SIDED(...)
#define SCOPE_IF_IO(...)
#define SCOPE_IF_PROCESS(...)
#define SCOPE_IF_OTHER(...)
#include "entry_points.hpp"
