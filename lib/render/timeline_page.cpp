// Columns, in this order; share/report/timeline-data.js reads them:
//   rows        lane, thread, depth + 1 (0: calls), number of boxes
//   begins      of every box, row by row: the first of a row as it is, then differences
//   durations   end - begin
//   whats       2 x (place of the signature on the page, or of the region in the header) + 1 where it is a block
//   mores       further requests
//   blocks      of every block: count, sum of durations, the longest duration
//   signatures  call, request, communicator, peer, root, tag, bytes: + 1 each, 0 for none; the tag signed
//   messages    begin (differences), end - begin (signed), sender, receiver

#include "render/timeline_page.hpp"

#include <algorithm>

#include "analyze/message_flow.hpp"
#include "render/timeline_boxes.hpp"
#include "render/timeline_page_parts.hpp"
#include "support/base64.hpp"
#include "support/gzip.hpp"
#include "support/text.hpp"

namespace scope::render {
namespace {

using timeline::none;

/// Of more messages than may be kept, those that took longest.
class LongestMessages {
 public:
  explicit LongestMessages(std::uint64_t most) : most_(most) {}
  void add(const PageMessage &message) {
    if (message.received - message.sent < least_) return;
    kept_.push_back(message);
    if (kept_.size() > 2 * most_) cut();
  }
  std::vector<PageMessage> take() {
    if (kept_.size() > most_) cut();
    std::stable_sort(kept_.begin(), kept_.end(), [](const PageMessage &a, const PageMessage &b) { return a.sent < b.sent; });
    return std::move(kept_);
  }

 private:
  void cut() {
    const auto longer = [](const PageMessage &a, const PageMessage &b) { return a.received - a.sent > b.received - b.sent; };
    std::nth_element(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(most_), kept_.end(), longer);
    kept_.resize(most_);
    if (!kept_.empty()) {
      const PageMessage &shortest = *std::max_element(kept_.begin(), kept_.end(), longer);
      least_ = shortest.received - shortest.sent;
    }
  }

  std::uint64_t most_;
  std::int64_t least_ = std::numeric_limits<std::int64_t>::min();
  std::vector<PageMessage> kept_;
};

class Builder {
 public:
  Builder(timeline::Reader &reader, const analyze::Filter &filter, PageBounds bounds)
      : reader_(reader), flow_(reader), bounds_(bounds), messages_(bounds.messages), places_(reader.signatures().size(), none) {
    const timeline::Header &header = reader.header();
    lane_of_.assign(header.ranks.size(), none);
    for (std::uint32_t rank = 0; rank < header.ranks.size(); ++rank) {
      if (!filter.has_rank(header.ranks[rank].rank)) continue;
      lane_of_[rank] = static_cast<std::uint32_t>(parts.lanes.size());
      parts.lanes.push_back(rank);
      events_ += reader.events(rank);
    }
    if (!filter.some_calls()) return;
    for (const timeline::Signature &what : reader.signatures()) hidden_.push_back(!filter.has_call(std::string(call_of(what))));
  }

  void build() {
    for (std::uint32_t lane = 0; lane < parts.lanes.size(); ++lane) read(lane);
    parts.messages = messages_.take();
  }

  PageParts parts;

 private:
  static std::string_view call_of(const timeline::Signature &what) {
    return what.call < wire::Call::none ? wire::info(what.call).name : "";
  }

  /// Each rank has the share of the boxes that it has of the events.
  std::uint64_t share(std::uint64_t events) const {
    if (events_ <= bounds_.boxes) return bounds_.boxes;
    const double part = static_cast<double>(events) / static_cast<double>(events_);
    return static_cast<std::uint64_t>(part * static_cast<double>(bounds_.boxes));
  }

  void read(std::uint32_t lane) {
    const std::uint32_t rank = parts.lanes[lane];
    Boxes boxes(share(reader_.events(rank)), hidden_);
    analyze::RankFlow messages(flow_, rank);
    parts.to = std::max(parts.to, reader_.header().ranks[rank].end);
    reader_.read(rank, [&](std::span<const timeline::Event> events) {
      for (const timeline::Event &event : events) {
        boxes.add(event);
        parts.to = std::max(parts.to, event.end);
        if (const auto sent = messages.next(event).sent; sent != none) add_message(rank, event, sent);
      }
    });
    parts.span = std::max(parts.span, boxes.span());
    for (const auto &[row, list] : boxes.rows()) write(lane, row, list);
  }

  void add_message(std::uint32_t rank, const timeline::Event &event, analyze::MessageNumber number) {
    const std::uint32_t to = flow_.rank_index(reader_.header().ranks[rank].world, reader_.signatures()[event.what].peer);
    if (to == none || lane_of_[to] == none || (event.what < hidden_.size() && hidden_[event.what])) return;
    ++parts.all_messages;
    messages_.add({event.begin, flow_.received_at(number), lane_of_[rank], lane_of_[to]});
  }

  void write(std::uint32_t lane, const Row &row, const std::vector<Box> &list) {
    const auto depth = static_cast<std::uint64_t>(row.depth + 1);
    for (const std::uint64_t value : {std::uint64_t{lane}, std::uint64_t{row.thread}, depth, std::uint64_t{list.size()}}) parts.rows.add(value);
    ++parts.row_count;
    parts.box_count += list.size();
    std::int64_t before = 0;
    for (const Box &box : list) {
      const bool block = box.count > 1, region = row.depth >= 0;
      parts.begins.add(static_cast<std::uint64_t>(box.begin - before));
      before = box.begin;
      parts.durations.add(static_cast<std::uint64_t>(box.end - box.begin));
      parts.whats.add(std::uint64_t{2} * (region ? box.what : place(box.what)) + block);
      parts.mores.add(box.more);
      (region ? parts.regions : parts.calls) += box.count;
      if (!block) continue;
      ++parts.block_count;
      parts.blocks.add(box.count);
      for (const std::int64_t time : {box.time, box.longest}) parts.blocks.add(static_cast<std::uint64_t>(time));
    }
  }

  std::uint32_t place(std::uint32_t signature) {
    if (places_[signature] == none) {
      places_[signature] = static_cast<std::uint32_t>(parts.signatures.size());
      parts.signatures.push_back(signature);
    }
    return places_[signature];
  }

  timeline::Reader &reader_;
  analyze::MessageFlow flow_;
  PageBounds bounds_;
  LongestMessages messages_;
  std::vector<std::uint32_t> places_;   ///< of the reader's signatures on the page
  std::vector<std::uint32_t> lane_of_;  ///< of the header's ranks
  std::vector<bool> hidden_;            ///< signatures that the filter does not choose
  std::uint64_t events_ = 0;
};

std::string columns(const PageParts &parts, const std::vector<timeline::Signature> &all) {
  Column signatures, messages;
  for (const std::uint32_t index : parts.signatures) {
    const timeline::Signature &what = all[index];
    const auto plus_one = [&signatures](std::int64_t value) {
      signatures.add(static_cast<std::uint64_t>(std::max<std::int64_t>(-1, value) + 1));
    };
    for (const wire::Call call : {what.call, what.request_call})
      plus_one(call < wire::Call::none ? static_cast<int>(call) : -1);
    for (const std::int32_t value : {what.comm, what.peer, what.root}) plus_one(value);
    signatures.add_signed(what.tag);
    plus_one(what.bytes);
  }
  std::int64_t before = 0;
  for (const PageMessage &message : parts.messages) {
    messages.add(static_cast<std::uint64_t>(message.sent - before));
    before = message.sent;
    messages.add_signed(message.received - message.sent);
    messages.add(message.source);
    messages.add(message.destination);
  }
  std::string bytes;
  for (const Column *column : {&parts.rows, &parts.begins, &parts.durations, &parts.whats, &parts.mores, &parts.blocks}) bytes += column->bytes();
  bytes += signatures.bytes() + messages.bytes();
  return support::base64(support::gzip(bytes));
}

std::string count(std::uint64_t number) { return support::format_count(static_cast<std::int64_t>(number)); }
std::string time(std::int64_t ns) { return support::format_ns(static_cast<double>(ns)); }
std::string plural(std::uint64_t number, const std::string &noun) { return count(number) + " " + noun + (number == 1 ? "" : "s"); }

std::vector<std::string> notes(const PageParts &parts, const timeline::Reader &reader) {
  std::vector<std::string> out;
  out.push_back(plural(parts.calls, "call") + (parts.regions ? ", " + plural(parts.regions, "region") : "") + " and " +
                plural(parts.all_messages, "message") + " of " + plural(parts.lanes.size(), "rank") + ".");
  if (parts.span >= 0)
    out.push_back("That is more than a page can draw quickly: calls of a rank that are within " + time(parts.span) +
                  " of each other may stand together as one block, which says how many they are and how long. Sums stay exact; every "
                  "call is in what scope-profiler export --to chrome-trace writes.");
  if (parts.messages.size() < parts.all_messages)
    out.push_back("Of the messages, the " + count(parts.messages.size()) + " that took longest have arrows.");
  std::uint64_t cut = 0, dropped = 0, without = 0;
  for (const std::uint32_t lane : parts.lanes) {
    const timeline::RankInfo &info = reader.header().ranks[lane];
    without += !info.recorded;
    cut += info.recorded && info.to < info.end;
    dropped += info.dropped;
  }
  if (cut)
    out.push_back("The timeline of " + plural(cut, "rank") + " ends before the run (" + plural(dropped, "event") +
                  " missing): from there on the lane is hatched. --trace-limit makes room for more.");
  if (without) out.push_back(plural(without, "rank") + (without == 1 ? " has" : " have") + " no timeline.");
  for (const std::string &warning : reader.warnings()) out.push_back(warning);
  return out;
}

}  // namespace

PageTimeline page_timeline(timeline::Reader &reader, const model::Profile &profile, const analyze::Filter &filter,
                           PageBounds bounds) {
  Builder builder(reader, filter, bounds);
  builder.build();
  const PageParts &parts = builder.parts;
  return {page_timeline_json(parts, reader.header(), reader.signatures(), profile), columns(parts, reader.signatures()),
          notes(parts, reader)};
}

}  // namespace scope::render
