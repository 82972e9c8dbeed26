#define SCOPE_IF_POINT_TO_POINT(...) __VA_ARGS__
#define SCOPE_IF_WAIT(...) __VA_ARGS__
#define SCOPE_IF_COLLECTIVE(...)
#define SCOPE_IF_ONE_SIDED(...)
#define SCOPE_IF_IO(...)
#define SCOPE_IF_PROCESS(...)
#define SCOPE_IF_OTHER(...)
#include "entry_points.hpp"
