// Opt-in wrappers that make each MPI call a region whose name says what the call was: the twins of the Python package's
// mpi_wrappers. C++17, and the MPI of your program. `scope-profiler run --mpi-calls` sees all MPI calls without them; a call made
// through them counts once there, too.
//
//   auto comm = scope_profiler::profile_mpi_comm(MPI_COMM_WORLD);
//   comm.send(value, 1, 7);                           // a value: its bytes
//   comm.send(buffer, count, MPI_DOUBLE, 1, 7);       // as MPI_Send
//   auto request = comm.irecv(buffer, count, MPI_DOUBLE, 1, 7);
//   request.wait();                                   // "mpi:wait ... request=irecv"
//
// Every call returns what the MPI call returned (MPI_SUCCESS, or an error's code where the error handler returns), and ends its
// region however it is left. Including this file calls no MPI. Threads may use wrappers as they may use the communicator.
// While nothing is recorded, a wrapper is its MPI call and a branch. While something is, the size of a derived datatype is asked of
// MPI (MPI_Type_size_x, which a profile of all calls shows).
#ifndef SCOPE_PROFILER_MPI_HPP
#define SCOPE_PROFILER_MPI_HPP

#include <mpi.h>

#include <climits>
#include <cstddef>
#include <map>
#include <mutex>
#include <type_traits>
#include <utility>

#include "scope_profiler.hpp"
#include "scope_profiler_mpi_names.hpp"

namespace scope_profiler {

namespace detail {

inline bool recording() {
#ifdef SCOPE_DISABLE
  return false;
#else
  return __atomic_load_n(&scope_profiler_hooks_.begin_name, __ATOMIC_RELAXED) != nullptr;  // also before the first region, when it is not known yet
#endif
}

template <class T>
MPI_Datatype arithmetic_type() {
  using V = std::remove_cv_t<T>;
  static_assert(std::is_arithmetic_v<V>, "a reduction of values needs an arithmetic type; pass a buffer with its datatype otherwise");
  if constexpr (std::is_same_v<V, bool>) return MPI_CXX_BOOL;
  else if constexpr (std::is_same_v<V, float>) return MPI_FLOAT;
  else if constexpr (std::is_same_v<V, double>) return MPI_DOUBLE;
  else if constexpr (std::is_same_v<V, long double>) return MPI_LONG_DOUBLE;
  else if constexpr (std::is_signed_v<V>)
    return sizeof(V) == 1 ? MPI_INT8_T : sizeof(V) == 2 ? MPI_INT16_T : sizeof(V) == 4 ? MPI_INT32_T : MPI_INT64_T;
  else return sizeof(V) == 1 ? MPI_UINT8_T : sizeof(V) == 2 ? MPI_UINT16_T : sizeof(V) == 4 ? MPI_UINT32_T : MPI_UINT64_T;
}

/// Of the datatypes that most calls have, without a call of MPI; 0 for others.
inline std::int64_t known_size(MPI_Datatype type) {
  if (type == MPI_BYTE || type == MPI_CHAR || type == MPI_INT8_T || type == MPI_UINT8_T) return 1;
  if (type == MPI_INT || type == MPI_UNSIGNED) return sizeof(int);
  if (type == MPI_LONG || type == MPI_UNSIGNED_LONG) return sizeof(long);
  if (type == MPI_FLOAT) return sizeof(float);
  if (type == MPI_DOUBLE) return sizeof(double);
  if (type == MPI_INT32_T || type == MPI_UINT32_T) return 4;
  if (type == MPI_INT64_T || type == MPI_UINT64_T || type == MPI_LONG_LONG) return 8;
  return 0;
}

/// Numbers of communicators in this process. Raw handles that were freed elsewhere may be handed out again with the old number.
class Numbers {
 public:
  int of(MPI_Comm comm) {
    if (comm == MPI_COMM_NULL) return -1;
    if (comm == MPI_COMM_WORLD) return 0;
    if (comm == MPI_COMM_SELF) return 1;
    std::lock_guard<std::mutex> holding(lock_);
    auto [at, is_new] = known_.emplace(comm, next_);
    if (is_new) ++next_;
    return at->second;
  }
  void forget(MPI_Comm comm) {
    std::lock_guard<std::mutex> holding(lock_);
    known_.erase(comm);
  }

 private:
  std::mutex lock_;
  std::map<MPI_Comm, int> known_;
  int next_ = 2;
};
inline Numbers &numbers() {
  static Numbers all;
  return all;
}

/// MPI_ANY_SOURCE, MPI_PROC_NULL, MPI_ANY_TAG are "none" in a name.
inline int plain(int number) { return number < 0 ? -1 : number; }

/// The region of one call, while something is recorded.
class CallRegion {
 public:
  /// `describe` gives the MpiRegionMetadata; it is not called where nothing is recorded.
  template <class Describe>
  explicit CallRegion(const Describe &describe) {
    if (recording()) region_.emplace(format_mpi_region(describe()), __FILE__, __LINE__);
  }

 private:
  std::optional<DynamicRegion> region_;
};

}  // namespace detail

/// Bytes of a message, -1 when not known. A value of a trivially copyable type has its size, a container that holds such values
/// without gaps (std::vector, std::array, std::string) that of its values.
inline std::int64_t message_nbytes(std::nullptr_t) { return -1; }
inline std::int64_t message_nbytes(std::int64_t count, MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL || count < 0) return -1;
  std::int64_t size = detail::known_size(type);
  if (size == 0) {
    MPI_Count asked = 0;
    if (MPI_Type_size_x(type, &asked) != MPI_SUCCESS || asked == MPI_UNDEFINED || asked < 0) return -1;
    size = asked;
  }
  return size > 0 && count > INT64_MAX / size ? -1 : count * size;
}
template <class T>
auto message_nbytes(const T &values) -> decltype(values.data(), static_cast<std::int64_t>(values.size())) {
  using Value = std::remove_reference_t<decltype(*values.data())>;
  return std::is_trivially_copyable_v<Value> ? static_cast<std::int64_t>(values.size() * sizeof(Value)) : -1;
}
template <class T, class... None>
auto message_nbytes(const T &, None...) -> std::enable_if_t<sizeof...(None) == 0, std::int64_t> {
  return std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> ? static_cast<std::int64_t>(sizeof(T)) : -1;
}

/// A request of a profiled isend or irecv. Moves; whoever holds it last waits, as with MPI_Request.
class ProfiledMpiRequest {
 public:
  ProfiledMpiRequest() = default;
  ProfiledMpiRequest(MPI_Request request, MpiRegionMetadata call, int code = MPI_SUCCESS) : request_(request), call_(std::move(call)), code_(code) {}
  ProfiledMpiRequest(ProfiledMpiRequest &&other) noexcept { *this = std::move(other); }
  ProfiledMpiRequest &operator=(ProfiledMpiRequest &&other) noexcept {
    request_ = std::exchange(other.request_, MPI_REQUEST_NULL);
    call_ = std::move(other.call_);
    code_ = other.code_;
    return *this;
  }

  /// MPI_Wait. Its region carries bytes, peer, tag and communicator of the operation, and its name as request=.
  int wait(MPI_Status *status = MPI_STATUS_IGNORE) {
    detail::CallRegion region([this] {
      MpiRegionMetadata call = call_;
      call.request = call.operation;
      call.operation = call.kind = "wait";
      return call;
    });
    return MPI_Wait(&request_, status);
  }

  MPI_Request &request() { return request_; }  ///< MPI_REQUEST_NULL once it is complete
  int code() const { return code_; }           ///< what the call that made it returned

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
  MpiRegionMetadata call_;  ///< of the operation; empty where nothing is recorded
  int code_ = MPI_SUCCESS;
};

/// A communicator whose calls are regions. A value like the handle that it holds: copies are the same communicator.
class ProfiledMpiComm {
 public:
  explicit ProfiledMpiComm(MPI_Comm comm) : comm_(comm), id_(detail::numbers().of(comm)) {}

  MPI_Comm communicator() const { return comm_; }  ///< the raw one
  int id() const { return id_; }                   ///< comm= of the names
  bool is_null() const { return comm_ == MPI_COMM_NULL; }
  friend bool operator==(const ProfiledMpiComm &a, const ProfiledMpiComm &b) { return a.comm_ == b.comm_; }
  friend bool operator!=(const ProfiledMpiComm &a, const ProfiledMpiComm &b) { return a.comm_ != b.comm_; }

  // Typed buffers: arguments and results are those of the MPI call.
  int send(const void *buffer, int count, MPI_Datatype type, int destination, int tag) const {
    auto region = message("send", count, type, destination, tag);
    return MPI_Send(buffer, count, type, destination, tag, comm_);
  }
  int recv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Status *status = MPI_STATUS_IGNORE) const {
    auto region = message("recv", count, type, source, tag);
    return MPI_Recv(buffer, count, type, source, tag, comm_, status);
  }
  ProfiledMpiRequest isend(const void *buffer, int count, MPI_Datatype type, int destination, int tag) const {
    return begin("isend", count, type, destination, tag, [&](MPI_Request *request) { return MPI_Isend(buffer, count, type, destination, tag, comm_, request); });
  }
  ProfiledMpiRequest irecv(void *buffer, int count, MPI_Datatype type, int source, int tag) const {
    return begin("irecv", count, type, source, tag, [&](MPI_Request *request) { return MPI_Irecv(buffer, count, type, source, tag, comm_, request); });
  }
  int barrier() const {
    detail::CallRegion region([this] { return describe("barrier", "collective", 0, -1, -1, -1); });
    return MPI_Barrier(comm_);
  }
  int bcast(void *buffer, int count, MPI_Datatype type, int root) const {
    auto region = collective("bcast", count, type, root);
    return MPI_Bcast(buffer, count, type, root, comm_);
  }
  int allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op operation) const {
    auto region = collective("allreduce", count, type, -1);
    return MPI_Allreduce(send, receive, count, type, operation, comm_);
  }
  int reduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op operation, int root) const {
    auto region = collective("reduce", count, type, root);
    return MPI_Reduce(send, receive, count, type, operation, root, comm_);
  }

  // Values of trivially copyable types, as their bytes. Both sides need the same type and machine.
  template <class T>
  int send(const T &value, int destination, int tag = 0) const {
    return send(bytes_of(value), size_of<T>(), MPI_BYTE, destination, tag);
  }
  template <class T>
  int recv(T &value, int source, int tag = 0, MPI_Status *status = MPI_STATUS_IGNORE) const {
    return recv(bytes_of(value), size_of<T>(), MPI_BYTE, source, tag, status);
  }
  /// The value must stay where it is until the wait.
  template <class T>
  ProfiledMpiRequest isend(const T &value, int destination, int tag = 0) const {
    return isend(bytes_of(value), size_of<T>(), MPI_BYTE, destination, tag);
  }
  template <class T>
  ProfiledMpiRequest irecv(T &value, int source, int tag = 0) const {
    return irecv(bytes_of(value), size_of<T>(), MPI_BYTE, source, tag);
  }
  template <class T>
  int bcast(T &value, int root) const {
    return bcast(bytes_of(value), size_of<T>(), MPI_BYTE, root);
  }
  /// Numbers. `result` gets the reduction, on the root only with reduce.
  template <class T>
  int allreduce(const T &value, T &result, MPI_Op operation) const {
    return allreduce(&value, &result, 1, detail::arithmetic_type<T>(), operation);
  }
  template <class T>
  int reduce(const T &value, T &result, MPI_Op operation, int root) const {
    return reduce(&value, &result, 1, detail::arithmetic_type<T>(), operation, root);
  }

  // Communicators made from this one are profiled too; null where MPI gives MPI_COMM_NULL or an error.
  ProfiledMpiComm dup() const {
    return child([this](MPI_Comm *made) { return MPI_Comm_dup(comm_, made); });
  }
  ProfiledMpiComm split(int color, int key = 0) const {
    return child([&](MPI_Comm *made) { return MPI_Comm_split(comm_, color, key, made); });
  }
  ProfiledMpiComm split_type(int type, int key = 0, MPI_Info info = MPI_INFO_NULL) const {
    return child([&](MPI_Comm *made) { return MPI_Comm_split_type(comm_, type, key, info, made); });
  }
  ProfiledMpiComm create(MPI_Group group) const {
    return child([&](MPI_Comm *made) { return MPI_Comm_create(comm_, group, made); });
  }
  ProfiledMpiComm create_group(MPI_Group group, int tag = 0) const {
    return child([&](MPI_Comm *made) { return MPI_Comm_create_group(comm_, group, tag, made); });
  }

  /// MPI_Comm_free. Copies of this object must not be used afterwards.
  int free() {
    detail::numbers().forget(comm_);
    id_ = -1;
    return MPI_Comm_free(&comm_);
  }

 private:
  MpiRegionMetadata describe(const char *operation, const char *kind, std::int64_t bytes, int peer, int root, int tag) const {
    MpiRegionMetadata call;
    call.operation = operation;
    call.kind = kind;
    call.bytes = bytes;
    call.peer = detail::plain(peer);
    call.root = detail::plain(root);
    call.tag = detail::plain(tag);
    call.comm = id_;
    return call;
  }
  detail::CallRegion message(const char *operation, int count, MPI_Datatype type, int peer, int tag) const {
    return detail::CallRegion([&] { return describe(operation, "point-to-point", message_nbytes(count, type), peer, -1, tag); });
  }
  detail::CallRegion collective(const char *operation, int count, MPI_Datatype type, int root) const {
    return detail::CallRegion([&] { return describe(operation, "collective", message_nbytes(count, type), -1, root, -1); });
  }
  template <class Start>
  ProfiledMpiRequest begin(const char *operation, int count, MPI_Datatype type, int peer, int tag, Start start) const {
    MpiRegionMetadata call;
    if (detail::recording()) call = describe(operation, "point-to-point", message_nbytes(count, type), peer, -1, tag);
    detail::CallRegion region([&call] { return call; });
    MPI_Request request = MPI_REQUEST_NULL;
    int code = start(&request);
    return ProfiledMpiRequest(request, std::move(call), code);
  }
  template <class Make>
  static ProfiledMpiComm child(Make make) {
    MPI_Comm made = MPI_COMM_NULL;
    return ProfiledMpiComm(make(&made) == MPI_SUCCESS ? made : MPI_COMM_NULL);
  }
  template <class T>
  static constexpr int size_of() {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>, "only values of trivially copyable types can be sent as their bytes");
    static_assert(sizeof(T) <= INT_MAX, "the value is too large for one message");
    return static_cast<int>(sizeof(T));
  }
  template <class T>
  static const void *bytes_of(const T &value) {
    return static_cast<const void *>(&value);
  }
  template <class T>
  static void *bytes_of(T &value) {
    return static_cast<void *>(&value);
  }

  MPI_Comm comm_;
  int id_;
};

/// The communicator with its calls as regions. The same communicator gives an equal object with the same number; what is profiled
/// already is returned as it is.
inline ProfiledMpiComm profile_mpi_comm(MPI_Comm comm) { return ProfiledMpiComm(comm); }
inline ProfiledMpiComm &profile_mpi_comm(ProfiledMpiComm &comm) { return comm; }
inline const ProfiledMpiComm &profile_mpi_comm(const ProfiledMpiComm &comm) { return comm; }

}  // namespace scope_profiler

#endif
