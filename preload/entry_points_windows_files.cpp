#define SCOPE_IF_POINT_TO_POINT(...)
#define SCOPE_IF_WAIT(...)
#define SCOPE_IF_COLLECTIVE(...)
#define SCOPE_IF_ONE_SIDED(...) __VA_ARGS__
#define SCOPE_IF_IO(...) __VA_ARGS__
#define SCOPE_IF_PROCESS(...)
#define SCOPE_IF_OTHER(...)
#include "entry_points.hpp"
