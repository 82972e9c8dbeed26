#include <array>
#include <unordered_map>

#include "timeline/file_columns.hpp"
#include "timeline/planes.hpp"

namespace scope::timeline {
namespace {

// A kind byte: the kind, and how the event's times are found.
constexpr std::uint8_t kind_mask = 7;
constexpr std::uint8_t timed = 8;    ///< it has a gap and a duration; else its times are those of the event before it on its thread
constexpr std::uint8_t inside = 16;  ///< the gap counts from the begin of the event before it on the thread, else from its end
constexpr auto last_kind = static_cast<std::uint8_t>(Kind::region);

enum Column { what_column, start_column, thread_column, gap_column, duration_column, columns };

/// Begin and end of a thread's last event. Unsigned, since hostile files make them overflow.
struct Times {
  std::uint64_t begin = 0, end = 0;
};

/// Threads of a block by order of appearance.
class Threads {
 public:
  std::uint16_t place_of(std::uint16_t thread) {
    if (!numbers_.empty() && numbers_[last_] == thread) return last_;
    const auto [at, is_new] = places_.try_emplace(thread, static_cast<std::uint16_t>(numbers_.size()));
    if (is_new) numbers_.push_back(thread);
    return last_ = at->second;
  }
  const std::vector<std::uint16_t> &numbers() const { return numbers_; }

 private:
  std::vector<std::uint16_t> numbers_;
  std::unordered_map<std::uint16_t, std::uint16_t> places_;
  std::uint16_t last_ = 0;
};

/// The columns of a block on their way to bytes.
class Encoder {
 public:
  Encoder(std::span<const Event> events, std::uint32_t first) {
    kinds_.reserve(events.size());
    for (auto &column : columns_) column.reserve(events.size());
    origin_ = events.empty() ? 0 : static_cast<std::uint64_t>(events[0].begin);
    for (std::size_t i = 0; i < events.size(); ++i) add(events[i], first + static_cast<std::uint32_t>(i));
  }

  void write(Content &content) const {
    content.clear();
    put(content.bytes, threads_.numbers().size(), 4);
    for (const std::uint16_t thread : threads_.numbers()) put(content.bytes, thread, 2);
    std::array<int, columns> widths{};
    for (int i = 0; i < columns; ++i) {
      widths[static_cast<std::size_t>(i)] = width_of<std::uint64_t>(columns_[static_cast<std::size_t>(i)]);
      content.bytes += static_cast<char>(widths[static_cast<std::size_t>(i)]);
    }
    end_stretch(content);
    append_planes<std::uint8_t>(kinds_, 1, content);
    for (std::size_t i = 0; i < columns; ++i) append_planes<std::uint64_t>(columns_[i], widths[i], content);
  }

 private:
  void add(const Event &event, std::uint32_t number) {
    const std::uint16_t place = threads_.place_of(event.thread);
    const bool is_first = place == last_.size();
    if (is_first) last_.push_back({origin_, origin_});
    columns_[what_column].push_back(event.what);
    columns_[start_column].push_back(event.start < number ? number - event.start : 0);
    columns_[thread_column].push_back(place);
    auto kind = static_cast<std::uint8_t>(event.kind);
    const Times times{static_cast<std::uint64_t>(event.begin), static_cast<std::uint64_t>(event.end)};
    Times &last = last_[place];
    const bool depends = event.kind != Kind::call && event.kind != Kind::region;
    if (is_first || !depends || times.begin != last.begin || times.end != last.end) {
      kind |= timed;
      if (times.begin < last.end) kind |= inside;
      columns_[gap_column].push_back(times.begin - (times.begin < last.end ? last.begin : last.end));
      columns_[duration_column].push_back(times.end - times.begin);
      last = times;
    }
    kinds_.push_back(kind);
  }

  std::vector<std::uint8_t> kinds_;
  std::array<std::vector<std::uint64_t>, columns> columns_;
  Threads threads_;
  std::vector<Times> last_;  ///< of the threads, by place
  std::uint64_t origin_ = 0;
};

/// The columns of a block, taken from its bytes.
struct Columns {
  std::vector<std::uint16_t> threads;
  std::vector<std::uint8_t> kinds;
  std::vector<std::uint32_t> what, start;
  std::vector<std::uint16_t> place;  ///< in `threads`
  std::vector<std::uint64_t> gap, duration;
  std::size_t timed_events = 0;

  void take(std::string_view content, std::size_t count);

 private:
  std::array<int, columns> take_head(std::string_view &content, std::size_t count);
};

std::array<int, columns> Columns::take_head(std::string_view &content, std::size_t count) {
  if (content.size() < 4 + columns) throw Damage{"it is shorter than it says"};
  const std::uint64_t number = get(content.data(), 4);
  content.remove_prefix(4);
  if (number > count || number > std::uint64_t{1} << 16 || content.size() < 2 * number + columns || (number == 0 && count > 0))
    throw Damage{"its list of threads has a length that can't be"};
  threads.resize(number);
  for (std::uint16_t &thread : threads) {
    thread = static_cast<std::uint16_t>(get(content.data(), 2));
    content.remove_prefix(2);
  }
  std::array<int, columns> widths{};
  for (int &width : widths) {
    width = static_cast<unsigned char>(content.front());
    content.remove_prefix(1);
  }
  return widths;
}

void Columns::take(std::string_view content, std::size_t count) {
  const auto widths = take_head(content, count);
  auto column = [&content](auto &values, int width, std::size_t length) {
    values.resize(length);
    take_planes(content, width, length, values.data());
  };
  column(kinds, 1, count);
  timed_events = 0;
  std::uint8_t unknown = 0, highest = 0;
  for (const std::uint8_t kind : kinds) {
    timed_events += kind / timed & 1;
    unknown |= kind;
    highest = std::max<std::uint8_t>(highest, kind & kind_mask);
  }
  if (unknown > (kind_mask | timed | inside) || highest > last_kind) throw Damage{"it holds a kind of event that is none"};
  column(what, widths[what_column], count);
  column(start, widths[start_column], count);
  column(place, widths[thread_column], count);
  column(gap, widths[gap_column], timed_events);
  column(duration, widths[duration_column], timed_events);
  if (!content.empty()) throw Damage{"it holds more data than it says"};
  for (const std::uint16_t at : place)
    if (at >= threads.size()) throw Damage{"an event is of a thread that is not in the list"};
}

/// Puts events together. What can't be is gathered and looked at once, at the end: no branch for it at every event.
class Decoder {
 public:
  Decoder(const Columns &columns, const BlockHead &head) : columns_(columns), number_(head.first) {
    const auto origin = static_cast<std::uint64_t>(head.from);
    last_.resize(columns.threads.size(), {origin, origin});
    begin_ = origin;
  }

  void decode(std::vector<Event> &events) {
    events.resize(columns_.kinds.size());
    if (columns_.threads.size() == 1) run<true>(events.data());
    else run<false>(events.data());
  }

  void check(const Dictionary &known) const {
    if (instants_ >> 63) throw Damage{"it holds an instant beyond all bounds"};
    if (disorder_) throw Damage{"its events are not in order"};
    if (no_start_) throw Damage{"an event was started before the first one"};
    if (signatures_ > known.signatures) throw Damage{"an event has a signature that is not in the dictionary"};
    if (regions_ > known.regions) throw Damage{"an event is of a region that is not in the header"};
  }

 private:
  template <bool one_thread>
  void run(Event *events) {
    Times *last = last_.data();
    std::size_t next = 0;  // in the columns of times
    for (std::size_t i = 0; i < columns_.kinds.size(); ++i) {
      const std::uint8_t kind = columns_.kinds[i];
      const std::size_t place = one_thread ? 0 : columns_.place[i];
      Times &times = last[place];
      if (kind & timed) {
        const std::uint64_t gap = columns_.gap[next], duration = columns_.duration[next];
        ++next;
        times.begin = (kind & inside ? times.begin : times.end) + gap;
        times.end = times.begin + duration;
        instants_ |= gap | duration | times.begin | times.end;
      }
      Event &event = events[i];
      event.begin = static_cast<std::int64_t>(times.begin);
      event.end = static_cast<std::int64_t>(times.end);
      event.what = columns_.what[i];
      const std::uint32_t distance = columns_.start[i];
      event.start = distance == 0 ? none : number_ - distance;
      no_start_ |= distance > number_;
      event.thread = columns_.threads[place];
      event.kind = static_cast<Kind>(kind & kind_mask);
      std::uint64_t &highest = event.kind == Kind::region ? regions_ : signatures_;
      highest = std::max(highest, std::uint64_t{event.what} + 1);
      disorder_ |= times.begin < begin_;
      begin_ = times.begin;
      ++number_;
    }
  }

  const Columns &columns_;
  std::vector<Times> last_;     ///< of the threads, by place
  std::uint32_t number_;        ///< of the event in its rank
  std::uint64_t begin_;         ///< of the event before
  std::uint64_t instants_ = 0;  ///< all bits of all of them: they must stay below 2^63
  std::uint64_t signatures_ = 0, regions_ = 0;  ///< how many the events need
  bool disorder_ = false, no_start_ = false;
};

}  // namespace

void encode_events(std::span<const Event> events, std::uint32_t first, Content &content) { Encoder(events, first).write(content); }

void decode_events(std::string_view content, const BlockHead &head, const Dictionary &known, std::vector<Event> &events) {
  thread_local Columns columns;  // 2 MB that needn't be mapped anew for every block
  columns.take(content, head.count);
  Decoder decoder(columns, head);
  decoder.decode(events);
  decoder.check(known);
  if (!events.empty() && (events.front().begin != head.from || events.back().begin != head.to))
    throw Damage{"its first and last instant are not those of its head"};
}

}  // namespace scope::timeline
