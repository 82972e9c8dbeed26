#pragma once
// The text of the Error that something throws.

#include <string>

#include "support/error.hpp"

namespace scope::test {

/// What support::Error says; "no error" when nothing is thrown, so that a comparison fails.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const support::Error &error) {
    return error.what();
  }
  return "no error";
}

inline bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

}  // namespace scope::test
