/* A library with a region of its own, for regions_classes and regions_serial: no header of the program's is shared. */
#include <scope_profiler.h>

void run(void) {
  SCOPE_BEGIN("plugin");
  SCOPE_END("plugin");
}
