#include <array>
#include <limits>
#include <map>
#include <string>

#include "timeline/file_columns.hpp"
#include "timeline/planes.hpp"

namespace scope::timeline {
namespace {

// Procedures go by their names: their numbers change whenever the table of calls grows.
enum Column { call_column, request_column, comm_column, peer_column, root_column, tag_column, bytes_column, site_column, columns };

/// -1, 0, 1, -2, 2, ... as 0, 1, 2, 3, 4: -1 is what is most often there.
std::uint64_t folded(std::int64_t value) {
  const auto shifted = static_cast<std::uint64_t>(value) + 1;
  return shifted << 1 ^ (shifted >> 63 ? ~std::uint64_t{0} : 0);
}
std::int64_t unfolded(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1 ^ (value & 1 ? ~std::uint64_t{0} : 0)) - 1);
}

/// Names of a block by order of appearance; 0 is none.
class Names {
 public:
  std::uint64_t place_of(wire::Call call) {
    if (call >= wire::Call::none) return 0;
    const auto [at, is_new] = places_.try_emplace(call, calls_.size() + 1);
    if (is_new) calls_.push_back(call);
    return at->second;
  }
  void write(std::string &out) const {
    put(out, calls_.size(), 2);
    for (const wire::Call call : calls_) {
      const std::string_view name = wire::info(call).name;
      put(out, name.size(), 1);
      out += name;
    }
  }

 private:
  std::vector<wire::Call> calls_;
  std::map<wire::Call, std::uint64_t> places_;
};

wire::Call call_of(std::string_view name) {
  static const auto known = [] {
    std::map<std::string_view, wire::Call> calls;
    for (int i = 0; i < wire::call_count; ++i) calls[wire::calls[i].name] = static_cast<wire::Call>(i);
    return calls;
  }();
  const auto at = known.find(name);
  return at == known.end() ? wire::Call::none : at->second;
}

/// Of the names that the block begins with; the first one stands for none.
std::vector<wire::Call> take_names(std::string_view &content) {
  auto take = [&content](std::size_t bytes) {
    if (content.size() < bytes) throw Damage{"its names are cut off"};
    const std::string_view taken = content.substr(0, bytes);
    content.remove_prefix(bytes);
    return taken;
  };
  std::vector<wire::Call> calls(1, wire::Call::none);
  const std::uint64_t number = get(take(2).data(), 2);
  for (std::uint64_t i = 0; i < number; ++i) calls.push_back(call_of(take(get(take(1).data(), 1))));
  return calls;
}

template <class Number>
Number within(std::uint64_t value) {
  const std::int64_t number = unfolded(value);
  if (number < std::numeric_limits<Number>::min() || number > std::numeric_limits<Number>::max())
    throw Damage{"a signature holds a number beyond all bounds"};
  return static_cast<Number>(number);
}

}  // namespace

void encode_signatures(std::span<const Signature> signatures, Content &content) {
  std::array<std::vector<std::uint64_t>, columns> values;
  Names names;
  for (const Signature &signature : signatures) {
    values[call_column].push_back(names.place_of(signature.call));
    values[request_column].push_back(names.place_of(signature.request_call));
    values[comm_column].push_back(folded(signature.comm));
    values[peer_column].push_back(folded(signature.peer));
    values[root_column].push_back(folded(signature.root));
    values[tag_column].push_back(folded(signature.tag));
    values[bytes_column].push_back(folded(signature.bytes));
    values[site_column].push_back(signature.site);
  }
  content.clear();
  names.write(content.bytes);
  for (const auto &column : values) content.bytes += static_cast<char>(width_of<std::uint64_t>(column));
  end_stretch(content);
  for (const auto &column : values) append_planes<std::uint64_t>(column, width_of<std::uint64_t>(column), content);
}

void decode_signatures(std::string_view content, const BlockHead &head, std::vector<Signature> &signatures) {
  const std::vector<wire::Call> calls = take_names(content);
  if (content.size() < columns) throw Damage{"it is shorter than it says"};
  const std::string_view widths = content.substr(0, columns);
  content.remove_prefix(columns);
  std::array<std::vector<std::uint64_t>, columns> values;
  for (std::size_t i = 0; i < columns; ++i) {
    values[i].resize(head.count);
    take_planes(content, static_cast<unsigned char>(widths[i]), head.count, values[i].data());
  }
  if (!content.empty()) throw Damage{"it holds more data than it says"};
  std::vector<Signature> decoded(head.count);
  for (std::size_t i = 0; i < head.count; ++i) {
    auto call = [&](Column column) {
      if (values[column][i] >= calls.size()) throw Damage{"a signature is of a procedure that is not in the list"};
      return calls[values[column][i]];
    };
    Signature &signature = decoded[i];
    signature.call = call(call_column);
    signature.request_call = call(request_column);
    signature.comm = within<std::int32_t>(values[comm_column][i]);
    signature.peer = within<std::int32_t>(values[peer_column][i]);
    signature.root = within<std::int32_t>(values[root_column][i]);
    signature.tag = within<std::int32_t>(values[tag_column][i]);
    signature.bytes = unfolded(values[bytes_column][i]);
    if (values[site_column][i] > std::numeric_limits<std::uint32_t>::max())
      throw Damage{"a signature has a call site beyond all bounds"};
    signature.site = static_cast<std::uint32_t>(values[site_column][i]);
  }
  signatures.insert(signatures.end(), decoded.begin(), decoded.end());
}

}  // namespace scope::timeline
