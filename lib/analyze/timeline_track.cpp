#include "analyze/timeline_track.hpp"

namespace scope::analyze {
namespace {

using timeline::Event;

class TrackBuilder {
 public:
  explicit TrackBuilder(std::size_t regions) : regions_(regions) {}

  void add(const Event &event, wire::Call call) {
    leave_until(event.begin);
    if (event.kind == timeline::Kind::region) {
      open_.push_back({event.what < regions_ ? event.what : none, event.end});
      change(event.begin, Activity(open_.back().region, wire::Call::none));
      return;
    }
    change(event.begin, Activity(inside(), call));
    change(event.end, Activity(inside(), wire::Call::none));
  }

  Track finish() {
    leave_until(INT64_MAX);
    return std::move(track_);
  }

 private:
  struct Open {
    std::uint32_t region;
    std::int64_t end;
  };
  std::uint32_t inside() const { return open_.empty() ? none : open_.back().region; }

  void leave_until(std::int64_t instant) {
    while (!open_.empty() && open_.back().end <= instant) {
      const std::int64_t end = open_.back().end;
      open_.pop_back();
      change(end, Activity(inside(), wire::Call::none));
    }
  }

  /// From here on. What claims to begin before the last change (a call within a call) begins with it.
  void change(std::int64_t begin, Activity activity) {
    if (!track_.empty() && begin <= track_.back().begin) {
      track_.back().activity = activity;
      return;
    }
    if (track_.empty() || track_.back().activity != activity) track_.push_back({begin, activity});
  }

  std::size_t regions_;
  Track track_;
  std::vector<Open> open_;
};

}  // namespace

std::string region_name(const Recording &recording, Activity activity) {
  return activity.region() == none ? "" : recording.timeline.header.regions[activity.region()];
}

std::string call_name(Activity activity) { return activity.call() == wire::Call::none ? "" : wire::info(activity.call()).name; }

std::vector<Track> tracks_of(const Recording &recording) {
  std::vector<Track> tracks;
  tracks.reserve(recording.lanes());
  for (std::uint32_t rank = 0; rank < recording.ranks(); ++rank) {
    std::vector<TrackBuilder> builders(recording.first_lane[rank + 1] - recording.first_lane[rank],
                                       TrackBuilder(recording.timeline.header.regions.size()));
    for (const Event &event : recording.timeline.events[rank]) {
      if (event.kind == timeline::Kind::call) builders[event.thread].add(event, recording.signature(event).call);
      else if (event.kind == timeline::Kind::region) builders[event.thread].add(event, wire::Call::none);
    }
    for (TrackBuilder &builder : builders) tracks.push_back(builder.finish());
  }
  return tracks;
}

}  // namespace scope::analyze
