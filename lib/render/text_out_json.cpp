#include <charconv>

#include <nlohmann/json.hpp>

#include "render/text_out.hpp"
#include "support/text.hpp"

namespace scope::render {

TextOut &TextOut::operator<<(std::int64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
}

TextOut &operator<<(TextOut &out, Microseconds instant) {
  const std::int64_t rest = instant.ns % 1000;
  const char decimals[4] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                            static_cast<char>('0' + rest % 10)};
  return out << instant.ns / 1000 << std::string_view(decimals, sizeof decimals);
}

std::string json_string(std::string_view data) {
  return support::json_terminal_safe(
      nlohmann::json(std::string(data)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace scope::render
