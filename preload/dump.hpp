#pragma once
// The rank dump: the live block as JSON (share/schema/rank-dump.schema.json), written beside its place and renamed.

#include "json.hpp"

namespace scope::preload {

/// The whole of the JSON.
void write_record(JsonWriter &json);

/// False if the file could not be written in full; nothing of it is left then, and the live block stays the truth.
bool write_dump(const char *run_dir);

}  // namespace scope::preload
