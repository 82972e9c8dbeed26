#include "render/timeline_csv.hpp"

#include "analyze/message_flow.hpp"

namespace scope::render {

void timeline_csv(timeline::Reader &reader, const Sink &sink) {
  const analyze::MessageFlow flow(reader);
  TextOut out(sink);
  out << "world,src,dst,start,end,bytes,tag,comm\r\n";
  const auto &ranks = reader.header().ranks;
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    analyze::RankFlow messages(flow, rank);
    reader.read(rank, [&](std::span<const timeline::Event> events) {
      for (const timeline::Event &event : events) {
        const auto message = messages.next(event).sent;
        if (message == timeline::none) continue;
        const timeline::Signature &what = reader.signatures()[event.what];
        out << ranks[rank].world << "," << ranks[rank].rank << "," << what.peer << "," << event.begin << ","
            << flow.received_at(message) << "," << what.bytes << "," << what.tag << "," << what.comm << "\r\n";
      }
    });
  }
  out.flush();
}

}  // namespace scope::render
