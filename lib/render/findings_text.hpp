#pragma once
// Facts of a profile in words: claim, evidence, cause and how it is known, next step.

#include <string>
#include <vector>

#include "analyze/findings.hpp"

namespace scope::render {

/// Sentences without line feeds; names in it are data as they came.
std::string fact_text(const analyze::Fact &fact, std::int64_t run_ns);

/// What analyze::find_facts() finds, as a profile keeps it.
std::vector<model::Finding> findings_of(const model::Profile &profile);

}  // namespace scope::render
