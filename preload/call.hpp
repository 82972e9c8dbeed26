#pragma once
// One call of the program: the path from our entry to the real procedure and back. `pass` is what every exported name expands to.

#include <type_traits>
#include <utility>

#include "callsites.hpp"
#include "clock.hpp"
#include "process.hpp"
#include "requests.hpp"
#include "resolve.hpp"
#include "traffic.hpp"
#include "waits.hpp"

namespace scope::preload {

/// What is noted before a call for use after it. Only waits need the second part: clearing it costs nanoseconds.
struct BeforeCall {
  Communicator *comm = nullptr;
  Known known;
  Word status = 0;                ///< where the library writes the status, 0: nowhere that we may read
  std::uint64_t inner_ticks = 0;  ///< MPI_Finalize: time of the calls that its callbacks made
  Started probed = {0, 0};        ///< MPI_Mrecv: by which event the message was found
  alignas(16) char own_status[32];
};
struct BeforeWait {
  Communicator *comm = nullptr;
  WaitCall wait{};
};
struct BeforeOne {
  Communicator *comm = nullptr;
  OneRequest one{};
  alignas(16) char own_status[32];
};

template <Call C>
class Recording {
 public:
  using A = Arguments<C>;
  static constexpr const wire::CallInfo &info = wire::info(C);
  static constexpr Rule rule = info.rule;
  static constexpr bool is_wait = info.kind == wire::Kind::WAIT;
  static constexpr bool is_one = rule == Rule::WAIT || rule == Rule::TEST;
  using Before = std::conditional_t<is_one, BeforeOne, std::conditional_t<is_wait, BeforeWait, BeforeCall>>;
  static constexpr bool receives = rule == Rule::RECV || rule == Rule::MRECV || rule == Rule::SENDRECV || rule == Rule::SENDRECV_REPLACE;
  static constexpr bool exchanges = rule == Rule::SENDRECV || rule == Rule::SENDRECV_REPLACE;
  static constexpr bool is_io = rule == Rule::READ || rule == Rule::WRITE;
  static constexpr bool creates_request = A::template has<Role::REQUEST_OUT>();

  /// Changes `words` where the program ignores a status that we need.
  [[gnu::always_inline]] static void before(Thread &thread, Word *words, Before &b) {
    A a{words};
    wire::Current &current = thread.item->current;
    current.request_call = static_cast<std::uint16_t>(Call::none);
    current.comm = wire::none_comm;
    current.peer = current.tag = wire::none;
    current.bytes = wire::none;
    if constexpr (rule == Rule::INIT) before_init();
    if constexpr (rule == Rule::ABORT) before_abort(static_cast<int>(words[1]));
    if constexpr (rule == Rule::FINALIZE) {
      b.inner_ticks = thread.item->mpi_ticks;
      before_finalize(thread);
    }
    if (__builtin_expect(family.id != wire::Family::unknown, true)) {
      if constexpr (is_one) {
        begin_one(thread, rule == Rule::TEST, a.template pointer<Role::REQUEST>(), &words[info.find(Role::STATUS)], b.own_status, b.one);
      } else if constexpr (is_wait) {
        fill_wait(a, words, b.wait);
        begin_wait(thread, b.wait);
      } else {
        find_communicator(thread, a, b);
        publish(thread, a, b, current);
        substitute_status(a, words, b);
      }
      forget(&thread, a, b);
    }
  }

  [[gnu::always_inline]] static void after(Thread &thread, const Word *words, Before &b, int result, std::uint64_t begin, std::uint64_t end) {
    A a{words};
    std::uint64_t duration = end - begin;
    if constexpr (rule == Rule::FINALIZE) {
      end_finalize(thread);
      std::uint64_t inner = thread.item->mpi_ticks - b.inner_ticks;  // booked by themselves already
      duration = duration > inner ? duration - inner : 0;
    }
    if constexpr (is_one) {
      bool completed = true;
      if constexpr (rule == Rule::TEST) {
        const int *flag = static_cast<const int *>(a.template pointer<Role::FLAG>());
        completed = flag && *flag;
      }
      end_one(thread, C, completed, b.one, a.template pointer<Role::REQUEST>(), a.template word<Role::STATUS>(), result, begin, end);
      if (!paused) note_time(thread, begin, end);
    } else if constexpr (is_wait) {
      end_wait(thread, b.wait, result, begin, end);
      if (!paused) note_time(thread, begin, end);
    } else {
      if constexpr (rule == Rule::INIT) {
        if (result == 0) after_init(thread, begin);
      }
      book(thread, a, b, result, end - duration, end);
      if (result == 0 && family.id != wire::Family::unknown) keep_books(thread, a, b);
    }
    if constexpr (rule == Rule::SESSION_INIT) {
      if (result == 0) after_session_init(begin);
    }
    if constexpr (rule == Rule::PCONTROL) {
      if (static_cast<int>(words[0]) == 0) paused = true;
      if (static_cast<int>(words[0]) == 1) paused = false;
    }
    if constexpr (rule == Rule::FINALIZE) {
      settle_call(thread);
      if (result == 0) after_finalize(end);
    }
  }

  /// Handles that a nested or unrecorded call frees must be forgotten all the same.
  static void forget_only(const Word *words) {
    if (family.id == wire::Family::unknown) return;
    Before b;
    A a{words};
    forget(self, a, b);
  }

 private:
  static void fill_wait(const A &a, Word *words, WaitCall &wait) {
    wait.call = C;
    wait.rule = rule;
    if constexpr (A::template has<Role::N>()) {
      wait.count = a.template number<Role::N>();
      wait.requests = a.template pointer<Role::REQUESTS>();
    } else {
      wait.count = 1;
      wait.requests = a.template pointer<Role::REQUEST>();
    }
    if constexpr (A::template has<Role::STATUS>())
      wait.status = &words[info.find(Role::STATUS)];
    else
      wait.status = &words[info.find(Role::STATUSES)];
    if constexpr (A::template has<Role::FLAG>()) wait.flag = static_cast<const int *>(a.template pointer<Role::FLAG>());
    if constexpr (A::template has<Role::INDEX>()) wait.index = static_cast<const int *>(a.template pointer<Role::INDEX>());
    if constexpr (A::template has<Role::OUTCOUNT>()) {
      wait.outcount = static_cast<const int *>(a.template pointer<Role::OUTCOUNT>());
      wait.indices = static_cast<const int *>(a.template pointer<Role::INDICES>());
    }
  }

  static Word handle_behind(const void *pointer) { return pointer ? handle_at(pointer, 0) : 0; }

  [[gnu::always_inline]] static void find_communicator(Thread &thread, const A &a, Before &b) {
    if constexpr (A::template has<Role::COMM>()) b.comm = known_communicator(thread, as_handle(a.template word<Role::COMM>()));
    else if constexpr (A::template has<Role::COMM_INOUT>()) {
      b.comm = known_communicator(thread, handle_behind(a.template pointer<Role::COMM_INOUT>()));
    } else if constexpr (A::template has<Role::WIN>()) {
      b.comm = bound_communicator(as_handle(a.template word<Role::WIN>()));
    } else if constexpr (A::template has<Role::FH>()) {
      b.comm = bound_communicator(a.template word<Role::FH>());  // a pointer in both families
    } else if constexpr (A::template has<Role::MESSAGE_INOUT>()) {
      b.comm = bound_communicator(handle_behind(a.template pointer<Role::MESSAGE_INOUT>()));
    }
  }

  /// What a live view shows of a call in progress. Sizes of types are not asked for: the arguments may be invalid still.
  [[gnu::always_inline]] static void publish(Thread &thread, const A &a, Before &b, wire::Current &current) {
    if (b.comm) current.comm = b.comm->index;
    auto rank = [&](std::int32_t peer) {
      const std::int32_t in_world = peer >= 0 ? world_rank(b.comm, peer) : wire::none;
      current.peer = in_world;
      if (b.comm) b.known.peer = in_world;
    };
    if constexpr (A::template has<Role::DEST>()) rank(a.template number<Role::DEST>());
    else if constexpr (A::template has<Role::SOURCE>()) rank(a.template number<Role::SOURCE>());
    else if constexpr (A::template has<Role::TARGET>()) rank(a.template number<Role::TARGET>());
    if constexpr (A::template has<Role::TAG>()) current.tag = a.template number<Role::TAG>();
    else if constexpr (A::template has<Role::SENDTAG>()) current.tag = a.template number<Role::SENDTAG>();
    if constexpr (A::template has<Role::COUNT>() && A::template has<Role::TYPE>()) {
      std::int64_t size = remembered_size(thread, a.template word<Role::TYPE>());
      if (size >= 0) current.bytes = size * a.template count<Role::COUNT>();
      b.known.type_size = size;
    }
  }

  [[gnu::always_inline]] static void substitute_status(const A &a, Word *words, Before &b) {
    if constexpr ((receives || is_io) && A::template has<Role::STATUS>()) {
      b.status = a.template word<Role::STATUS>();
      if (b.status == family.status_ignore) {
        b.status = reinterpret_cast<Word>(b.own_status);
        words[info.find(Role::STATUS)] = b.status;
      }
    }
  }

  static void forget([[maybe_unused]] Thread *thread, const A &a, Before &b) {
    if constexpr (rule == Rule::TYPE_FREE) __atomic_fetch_add(&type_epoch, 1, __ATOMIC_RELEASE);
    if constexpr (rule == Rule::COMM_FREE) {
      Word handle = handle_behind(a.template pointer<Role::COMM_INOUT>());
      keep(b.comm);  // until it is booked
      forget_communicator(handle);
    }
    if constexpr (rule == Rule::WIN_FREE) b.comm = unbind_handle(handle_behind(a.template pointer<Role::WIN_INOUT>()));
    if constexpr (rule == Rule::FILE_CLOSE) b.comm = unbind_handle(file_behind(a.template pointer<Role::FH_INOUT>()));
    if constexpr (rule == Rule::MRECV) {
      Word message = handle_behind(a.template pointer<Role::MESSAGE_INOUT>());
      if (trace_block) b.probed = take_probe(message);
      b.comm = unbind_handle(message);
    }
    if constexpr (rule == Rule::REQUEST_FREE) {
      if (thread) free_operation(*thread, handle_behind(a.template pointer<Role::REQUEST>()));  // else the library's own thread and request
    }
  }

  static Word file_behind(const void *pointer) { return pointer ? *static_cast<const Word *>(pointer) : 0; }

  [[gnu::always_inline]] static void book(Thread &thread, const A &a, Before &b, int result, std::uint64_t begin, std::uint64_t end) {
    std::uint64_t duration = end - begin;
    if constexpr (A::template has<Role::COMM>()) {
      if (!b.comm && result == 0 && family.id != wire::Family::unknown) b.comm = any_communicator(thread, as_handle(a.template word<Role::COMM>()));
    }
    if constexpr (rule == Rule::START || rule == Rule::STARTALL) {
      if (result == 0 && family.id != wire::Family::unknown && book_starts(thread, a, begin, end)) {
        if (!paused) note_time(thread, begin, end);
        return;
      }
    }
    Note note{make_key(C, b.comm ? b.comm->index : wire::none_comm, thread.site), duration, duration, 1, 0, 0, 0, result != 0};
    if (result == 0 && family.id != wire::Family::unknown) measure(thread, a, b, note);
    if (paused) return;
    const wire::Entry *entry = note_entry(thread, note);
    trace(thread, b, note, entry, begin, end);
    note_duration(thread, C, duration);
    note_time(thread, begin, end);
  }

  [[gnu::always_inline]] static void trace(Thread &thread, const Before &b, const Note &note, const wire::Entry *entry, std::uint64_t begin,
                                           std::uint64_t end) {
    if (__builtin_expect(!thread.trace.on, true)) return;
    Started started{0, 0};
    if constexpr (rule == Rule::MRECV) started = b.probed;
    trace_event(thread, wire::TraceKind::call, entry, note.key, begin, end, started);
    if constexpr (exchanges && A::template has<Role::STATUS>()) {
      if (!b.status || note.error) return;
      const char *status = reinterpret_cast<const char *>(b.status);
      std::int32_t source = status_int(status, family.source_at);
      if (source >= 0) trace_received(thread, world_rank(b.comm, source), status_int(status, family.tag_at), note.received, begin);
    }
  }

  [[gnu::always_inline]] static void measure(Thread &thread, const A &a, Before &b, Note &note) {
    Traffic traffic = Meter<C>(thread, a.words, b.comm, b.known).measure();
    note.key.peer = traffic.peer;
    note.key.root = traffic.root;
    note.key.tag = traffic.tag;
    if (traffic.moves) note.key.bytes = traffic.posted >= 0 ? traffic.posted : static_cast<std::int64_t>(traffic.sent ? traffic.sent : traffic.received);
    if constexpr (info.mode == wire::Mode::BLOCKING) {
      note.sent = traffic.sent;
      note.received = traffic.received;
      if constexpr (receives) received(b, traffic, note);
      if constexpr (is_io) moved(b, note);
    } else {
      if constexpr (info.mode == wire::Mode::NONBLOCKING) note.sent = traffic.sent;
      if constexpr (creates_request) remember(thread, a, b, traffic, note);
    }
  }

  /// A blocking receive: what arrived, and from whom.
  static void received(const Before &b, const Traffic &traffic, Note &note) {
    if (!b.status) return;
    const char *status = reinterpret_cast<const char *>(b.status);
    std::int32_t source = status_int(status, family.source_at);
    if (source < 0) {  // MPI_PROC_NULL
      if constexpr (rule == Rule::RECV || rule == Rule::MRECV) note.key.bytes = 0;
      return;
    }
    note.received = status_received(status);
    if constexpr (rule == Rule::RECV || rule == Rule::MRECV) {
      note.key.peer = world_rank(b.comm, source);
      note.key.tag = status_int(status, family.tag_at);
      note.key.bytes = static_cast<std::int64_t>(note.received);
    } else {
      note.key.bytes = static_cast<std::int64_t>(traffic.sent ? traffic.sent : note.received);
    }
  }

  static void moved(const Before &b, Note &note) {
    if (!b.status) return;
    std::uint64_t bytes = status_bytes(reinterpret_cast<const char *>(b.status));
    (rule == Rule::READ ? note.received : note.sent) = bytes;
    note.key.bytes = static_cast<std::int64_t>(bytes);
  }

  static constexpr Flow flow() {
    if (rule == Rule::RECV || rule == Rule::MRECV) return Flow::from_status;
    if (rule == Rule::SENDRECV || rule == Rule::SENDRECV_REPLACE) return Flow::exchanged;
    if (rule == Rule::READ) return Flow::read;
    if (rule == Rule::WRITE) return Flow::written;
    if (rule == Rule::SEND || rule == Rule::PSEND || rule == Rule::PUT || rule == Rule::NOTHING || rule == Rule::COMM_CREATE) return Flow::nothing;
    return Flow::fixed;
  }

  /// Keeps the operation behind a new request for its completion.
  static void remember(Thread &thread, const A &a, const Before &b, const Traffic &traffic, Note &note) {
    Word handle = handle_behind(a.template pointer<Role::REQUEST_OUT>());
    if (handle == family.null_request) return;
    if constexpr (is_io) note.key.bytes = wire::none;
    Operation *place = new_operation(thread);
    if (!place) return;
    Operation &operation = *place;
    operation.handle = handle;
    // A source that was named is translated already.
    constexpr bool asks_status = flow() == Flow::from_status || flow() == Flow::exchanged;
    operation.comm = asks_status && b.comm && b.comm->to_world && (flow() == Flow::exchanged || traffic.peer < 0) ? b.comm : nullptr;
    operation.comm_index = b.comm ? b.comm->index : wire::none_comm;
    operation.bytes = note.key.bytes;
    operation.sends = traffic.sent != 0;  // then that is what `bytes` says
    operation.received = rule == Rule::PRECV && traffic.posted > 0 ? static_cast<std::uint64_t>(traffic.posted) : traffic.received;
    operation.peer = traffic.peer;
    operation.tag = traffic.tag;
    operation.root = traffic.root;
    operation.call = static_cast<std::uint16_t>(C);
    operation.flow = flow();
    operation.persistent = info.mode == wire::Mode::PERSISTENT;
    operation.active = !operation.persistent;
    operation.foreign = false;
    operation.started = next_event(thread);
    add_operation(thread, place);
  }

  /// Starts of persistent operations book what they send, each on its own; the time is shared as in a wait.
  static bool book_starts(Thread &thread, const A &a, std::uint64_t begin, std::uint64_t end) {
    std::uint64_t duration = end - begin;
    std::int64_t count = 1;
    const void *requests;
    if constexpr (rule == Rule::STARTALL) {
      count = a.template number<Role::N>();
      requests = a.template pointer<Role::REQUESTS>();
    } else {
      requests = a.template pointer<Role::REQUEST>();
    }
    bool first = true;
    for (std::int64_t i = 0; i < count; ++i) {
      const Operation *started = start_operation(thread, handle_at(requests, i), next_event(thread));
      if (!started) continue;
      const Operation &operation = *started;
      const std::uint64_t sent = operation.sends ? static_cast<std::uint64_t>(operation.bytes) : 0;
      Note note{make_key(C, operation.comm_index, thread.site), duration, duration / static_cast<std::uint64_t>(count), first, 1, sent, 0, false};
      if (first) note.share = duration - note.share * static_cast<std::uint64_t>(count - 1);
      note.key.request_call = operation.call;
      note.key.peer = operation.peer;
      note.key.root = operation.root;
      note.key.tag = operation.tag;
      note.key.bytes = operation.bytes;
      if (!paused) {
        const wire::Entry *entry = note_entry(thread, note);
        trace_event(thread, first ? wire::TraceKind::call : wire::TraceKind::further, entry, note.key, begin, end);
      }
      first = false;
    }
    if (first) return false;
    if (!paused) note_duration(thread, C, duration);
    return true;
  }

  /// Handles that appeared or went.
  static void keep_books(Thread &thread, const A &a, Before &b) {
    if constexpr (rule == Rule::COMM_CREATE) created(thread, a, b);
    if constexpr (rule == Rule::COMM_NAME) {
      if (b.comm && a.template pointer<Role::STRING>()) rename_communicator(*b.comm, static_cast<const char *>(a.template pointer<Role::STRING>()));
    }
    if constexpr (rule == Rule::WIN_CREATE) bind_handle(handle_behind(a.template pointer<Role::WIN_OUT>()), b.comm);
    if constexpr (rule == Rule::FILE_OPEN) bind_handle(file_behind(a.template pointer<Role::FH_OUT>()), b.comm);
    if constexpr (rule == Rule::MPROBE) {
      bool found = true;
      if constexpr (A::template has<Role::FLAG>()) found = *static_cast<const int *>(a.template pointer<Role::FLAG>()) != 0;
      Word message = handle_behind(a.template pointer<Role::MESSAGE_OUT>());
      if (found && message != family.message_no_proc) {
        bind_handle(message, b.comm);
        if (thread.trace.on && !paused) keep_probe(message, {thread.trace.total, static_cast<std::uint16_t>(thread.trace.thread)});
      }
    }
    if constexpr (rule == Rule::COMM_FREE || rule == Rule::WIN_FREE || rule == Rule::FILE_CLOSE || rule == Rule::MRECV) drop(b.comm);
  }

  static void created(Thread &thread, const A &a, const Before &b) {
    Word handle = handle_behind(a.template pointer<Role::COMM_OUT>());
    if constexpr (info.mode == wire::Mode::NONBLOCKING)
      duplicated_communicator(b.comm, handle);
    else if constexpr (C == Call::MPI_Comm_create_group)
      created_communicator(thread, b.comm, handle, false, static_cast<std::uint32_t>(a.words[2]));
    else if constexpr (C == Call::MPI_Intercomm_create)  // the two sides have different local communicators: only the tag is common
      created_communicator(thread, nullptr, handle, false, static_cast<std::uint32_t>(a.words[4]));
    else if constexpr (C == Call::MPI_Comm_accept || C == Call::MPI_Comm_connect)  // likewise, and there is nothing in common
      created_communicator(thread, nullptr, handle, false, 0);
    else if constexpr (!A::template has<Role::COMM>())
      created_communicator(thread, nullptr, handle, false, 0);
    else
      created_communicator(thread, b.comm, handle, true, 0);
  }
};

/// While the library's own MPI_Finalize runs, what it calls back (delete functions of attributes, MPI 4.1, 11.2.4) are the
/// program's calls and count. A tool's MPI_Finalize around it is nested like any other call of a tool: then the program's calls
/// begin where the tool calls PMPI_Finalize.
class OutermostAgain {
 public:
  explicit OutermostAgain(bool applies) : thread_(applies ? self : nullptr) {
    if (!thread_) return;
    guard_ = thread_->guard;
    cookie_ = thread_->cookie;
    cookie_place_ = thread_->cookie_place;
    thread_->guard = 0;
  }
  ~OutermostAgain() {
    if (!thread_) return;
    thread_->guard = guard_;
    thread_->cookie = cookie_;
    thread_->cookie_place = cookie_place_;
  }
  OutermostAgain(const OutermostAgain &) = delete;
  OutermostAgain &operator=(const OutermostAgain &) = delete;

 private:
  Thread *thread_;
  std::uintptr_t guard_ = 0;
  std::uint64_t cookie_ = 0;
  const std::uint64_t *cookie_place_ = nullptr;
};

/// Body of an exported name. The fast path is up to the real call and back; everything unusual is in prepare().
template <Call C, bool Profiling, class... Words>
[[gnu::always_inline]] inline int pass(const void *caller, Words... arguments) {
  using Real = int (*)(Words...);
  constexpr int call = static_cast<int>(C);
  const void *frame = __builtin_frame_address(0);
  Thread *thread = self;
  void *function = (*fast_functions)[call][Profiling];
  if (__builtin_expect(!thread || !function || thread->guard != 0 || inside_library(caller), false)) {
    Prepared prepared = prepare(C, Profiling, caller, frame);
    function = prepared.function;
    thread = prepared.thread;
    if (!thread) {
      Word words[sizeof...(Words) + 1] = {arguments..., 0};
      if constexpr (wire::info(C).rule == Rule::ABORT) nested_abort(static_cast<int>(words[1]), caller);
      Recording<C>::forget_only(words);
      OutermostAgain callbacks(wire::info(C).rule == Rule::FINALIZE && inside_library(function));
      return reinterpret_cast<Real>(function)(arguments...);
    }
  }
  if (__builtin_expect(thread->sites != nullptr, false)) locate(*thread, caller, frame);
  Word words[sizeof...(Words) + 1] = {arguments..., 0};
  volatile std::uint64_t cookie;
  if (wire::info(C).rule != Rule::FINALIZE || !inside_library(function)) {  // see OutermostAgain
    thread->guard = reinterpret_cast<std::uintptr_t>(frame);
    cookie = ++thread->cookie;
    thread->cookie_place = const_cast<const std::uint64_t *>(&cookie);
  }
  typename Recording<C>::Before before;
  Recording<C>::before(*thread, words, before);
  std::uint64_t begin = now();
  enter_call(*thread, C, begin);
  int result = [&]<std::size_t... I>(std::index_sequence<I...>) { return reinterpret_cast<Real>(function)(static_cast<Words>(words[I])...); }(std::index_sequence_for<Words...>());
  std::uint64_t end = without_clock(begin, now());
  leave_call(*thread);
  Recording<C>::after(*thread, words, before, result, begin, end);
  settle_call(*thread);
  if (__builtin_expect(thread->finalizing, false)) resume_finalize(*thread);
  thread->guard = 0;
  return result;
}

}  // namespace scope::preload
