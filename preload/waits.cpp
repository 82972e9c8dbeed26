#include "waits.hpp"

#include <string.h>

#include "communicators.hpp"
#include "family.hpp"

namespace scope::preload {

namespace {

/// Completes all its requests or none: they can be taken out before it.
bool completes_all(wire::Rule rule) { return rule == wire::Rule::WAIT || rule == wire::Rule::WAITALL; }

bool needs_status(const Operation &operation) { return operation.flow != Flow::nothing && operation.flow != Flow::fixed; }

bool needs_statuses(const WaitCall &wait) {
  if (!completes_all(wait.rule)) return true;
  for (std::int64_t i = 0; i < wait.count; ++i)
    if (wait.taken[i] && needs_status(*wait.operations[i])) return true;
  return false;
}

/// What the completion of one operation books. One for each flow: a note that several flows shared would go through memory, and
/// reading back wide what was just stored in narrow fields stalls.
template <Flow flow>
[[gnu::always_inline]] inline Note note_of(wire::Call call, std::uint32_t site, const Operation &operation, const char *status) {
  Note note{make_key(call, operation.comm_index, site), 0, 0, 0, 1, 0, 0, false};
  note.key.request_call = operation.call;
  note.key.peer = operation.peer;
  note.key.root = operation.root;
  note.key.tag = operation.tag;
  note.key.bytes = operation.bytes;
  if constexpr (flow == Flow::fixed) note.received = operation.received;
  if constexpr (flow == Flow::read || flow == Flow::written) {
    if (!status) return note;
    (flow == Flow::read ? note.received : note.sent) = status_bytes(status);
    note.key.bytes = static_cast<std::int64_t>(note.sent + note.received);
  }
  if constexpr (flow == Flow::exchanged) {
    if (status) note.received = status_received(status);
  }
  if constexpr (flow == Flow::from_status) {
    if (!status) return note;
    note.received = status_received(status);
    note.key.bytes = static_cast<std::int64_t>(note.received);
    if (status_cancelled(status)) return note;
    std::int32_t source = status_int(status, family.source_at);
    note.key.peer = source < 0 ? wire::none : operation.peer >= 0 ? operation.peer : world_rank(operation.comm, source);
    note.key.tag = source >= 0 ? status_int(status, family.tag_at) : wire::none;
  }
  return note;
}

/// `book(note)` with what the completion books.
template <class Book>
[[gnu::always_inline]] inline void with_note(wire::Call call, std::uint32_t site, const Operation &operation, const char *status, Book book) {
  switch (operation.flow) {
    case Flow::nothing: return book(note_of<Flow::nothing>(call, site, operation, status));
    case Flow::from_status: return book(note_of<Flow::from_status>(call, site, operation, status));
    case Flow::exchanged: return book(note_of<Flow::exchanged>(call, site, operation, status));
    case Flow::fixed: return book(note_of<Flow::fixed>(call, site, operation, status));
    case Flow::read: return book(note_of<Flow::read>(call, site, operation, status));
    case Flow::written: return book(note_of<Flow::written>(call, site, operation, status));
  }
}

void trace_exchanged(Thread &thread, const Operation &operation, const char *status, std::uint64_t bytes, std::uint64_t begin) {
  std::int32_t source = status_int(status, family.source_at);
  if (source >= 0) trace_received(thread, world_rank(operation.comm, source), status_int(status, family.tag_at), bytes, begin);
}

/// Books the completed requests of one call. First all are marked, since their number decides the shares.
class Booking {
 public:
  Booking(Thread &thread, WaitCall &wait, int result, std::uint64_t begin, std::uint64_t end)
      : thread_(thread), wait_(wait), begin_(begin), end_(end), duration_(end - begin), failed_(result != 0) {
    statuses_ = wait.status && *wait.status != family.status_ignore ? reinterpret_cast<const char *>(*wait.status) : nullptr;
  }

  void mark(std::int64_t request) {
    if (request < 0 || request >= wait_.count) return;
    if (wait_.taken[request] == not_taken && !(wait_.operations[request] = take_operation(thread_, handle_at(wait_.handles, request)))) return;
    wait_.taken[request] = completed;
    ++count_;
  }

  void book(std::int64_t request, std::int64_t status) {
    if (request < 0 || request >= wait_.count || wait_.taken[request] != completed) return;
    const Operation &operation = *wait_.operations[request];
    const char *own_status = statuses_ ? status_at(statuses_, status) : nullptr;
    std::uint64_t share = duration_;
    if (count_ > 1) {  // a division is a nanosecond or more
      share = duration_ / count_;
      if (first_) share += duration_ % count_;
    }
    if (!paused) {
      with_note(wait_.call, thread_.site, operation, own_status, [&](Note note) __attribute__((always_inline)) {
        note.duration = duration_;
        note.share = share;
        note.calls = first_;
        note.error = first_ && failed_;
        const wire::Entry *entry = note_entry(thread_, note);
        trace_event(thread_, first_ ? wire::TraceKind::call : wire::TraceKind::further, entry, note.key, begin_, end_, operation.started);
        if (operation.flow == Flow::exchanged && own_status) trace_exchanged(thread_, operation, own_status, note.received, begin_);
      });
    }
    first_ = false;
    finish_operation(thread_, wait_.operations[request]);
    wait_.taken[request] = booked;
  }

  void finish() {
    for (std::int64_t i = 0; wait_.takes && i < wait_.count; ++i)
      if (wait_.taken[i] == taken) restore_operation(thread_, wait_.operations[i]);
    if (paused) return;
    if (first_) {
      Note note{make_key(wait_.call, wire::none_comm, thread_.site), duration_, duration_, 1, 0, 0, 0, failed_};
      trace_event(thread_, wire::TraceKind::call, note_entry(thread_, note), note.key, begin_, end_);
    }
    note_duration(thread_, wait_.call, duration_);
  }

 private:
  enum : std::uint8_t { not_taken, taken, completed, booked };  // WaitCall::taken

  Thread &thread_;
  WaitCall &wait_;
  std::uint64_t begin_, end_;
  std::uint64_t duration_, count_ = 0;
  const char *statuses_;
  bool failed_, first_ = true;
};

/// What a live view shows of the wait: the operation of its first request.
void publish_first(wire::Current &current, const Operation &operation) {
  current.request_call = operation.call;
  current.comm = operation.comm_index;
  current.peer = operation.peer;
  current.tag = operation.tag;
  current.bytes = operation.bytes;
}

}  // namespace

void begin_wait(Thread &thread, WaitCall &wait) {
  wait.tracking = family.id != wire::Family::unknown && wait.requests && wait.count >= 0;
  if (!wait.tracking) return;
  std::size_t count = static_cast<std::size_t>(wait.count);
  std::size_t bytes = count * (sizeof(Word) + sizeof(Operation *) + family.status_bytes + 1) + 64;
  char *memory = scratch(thread, bytes);
  if (!memory) {
    wait.tracking = false;
    return;
  }
  wait.operations = reinterpret_cast<Operation **>(memory);
  wait.handles = memory + count * sizeof(Operation *);
  char *statuses = memory + count * (sizeof(Operation *) + sizeof(Word));
  wait.taken = reinterpret_cast<std::uint8_t *>(statuses + count * family.status_bytes);
  memcpy(wait.handles, wait.requests, count * family.handle_bytes);
  memset(wait.taken, 0, count);
  wait.takes = multiple || completes_all(wait.rule);
  for (std::int64_t i = 0; wait.takes && i < wait.count; ++i) {
    Word handle = handle_at(wait.handles, i);
    if (handle == family.null_request) continue;
    wait.operations[i] = take_operation(thread, handle);
    wait.taken[i] = wait.operations[i] != nullptr;
  }
  if (count && wait.taken[0]) publish_first(thread.item->current, *wait.operations[0]);
  if (count && wait.status && *wait.status == family.status_ignore && needs_statuses(wait)) *wait.status = reinterpret_cast<Word>(statuses);
}

void begin_one(Thread &thread, bool test, const void *request, Word *status, char *own_status, OneRequest &one) {
  one = {request ? handle_at(request, 0) : family.null_request, nullptr};
  if (one.handle == family.null_request) return;
  if (!test || multiple) {
    one.operation = take_operation(thread, one.handle);
    if (!one.operation) return;
    publish_first(thread.item->current, *one.operation);
    if (!needs_status(*one.operation)) return;
  }
  if (*status == family.status_ignore) *status = reinterpret_cast<Word>(own_status);
}

void end_one(Thread &thread, wire::Call call, bool completed, const OneRequest &one, const void *request, Word status, int result, std::uint64_t begin,
             std::uint64_t end) {
  Operation *operation = one.operation;
  if (one.handle != family.null_request) {
    bool gone = completed && (result == 0 || handle_at(request, 0) == family.null_request);
    if (operation && !gone) {
      restore_operation(thread, operation);
      operation = nullptr;
    } else if (gone && !operation) {
      operation = take_operation(thread, one.handle);
    }
  }
  const char *got = status != family.status_ignore ? reinterpret_cast<const char *>(status) : nullptr;
  if (!paused) {
    auto book = [&](Note note) __attribute__((always_inline)) {
      note.duration = note.share = end - begin;
      note.calls = 1;
      note.error = result != 0;
      const wire::Entry *entry = note_entry(thread, note);
      trace_event(thread, wire::TraceKind::call, entry, note.key, begin, end, operation ? operation->started : Started{0, 0});
      if (operation && operation->flow == Flow::exchanged && got) trace_exchanged(thread, *operation, got, note.received, begin);
    };
    if (operation)
      with_note(call, thread.site, *operation, got, book);
    else
      book({make_key(call, wire::none_comm, thread.site), 0, 0, 0, 0, 0, 0, false});
    note_duration(thread, call, end - begin);
  }
  if (operation) finish_operation(thread, operation);
}

void end_wait(Thread &thread, WaitCall &wait, int result, std::uint64_t begin, std::uint64_t end) {
  using wire::Rule;
  if (!wait.tracking) wait.count = 0;
  Booking booking(thread, wait, result, begin, end);
  auto each = [&](auto action) {
    switch (wait.rule) {
      case Rule::WAIT:
      case Rule::TEST:
      case Rule::WAITALL:
      case Rule::TESTALL:
        if (wait.flag && !*wait.flag) return;
        for (std::int64_t i = 0; i < wait.count; ++i)
          if (result == 0 || handle_at(wait.requests, i) == family.null_request) action(i, i);
        return;
      case Rule::WAITANY:
      case Rule::TESTANY:
        if (result == 0 && !(wait.flag && !*wait.flag)) action(*wait.index, 0);
        return;
      default:  // WAITSOME, TESTSOME
        for (std::int64_t i = 0; i < *wait.outcount; ++i) action(wait.indices[i], i);
    }
  };
  if (wait.count > 0) {
    each([&](std::int64_t request, std::int64_t) { booking.mark(request); });
    each([&](std::int64_t request, std::int64_t status) { booking.book(request, status); });
  }
  booking.finish();
}

}  // namespace scope::preload
