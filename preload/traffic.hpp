#pragma once
// What the arguments of a successful call say about traffic: share/doc/counting.md has the rules in words. Each procedure gets
// its own instance from its row of the table; only arguments that are significant on this rank are looked at.

#include "communicators.hpp"
#include "datatypes.hpp"
#include "family.hpp"

namespace scope::preload {

using wire::Call;
using wire::Role;
using wire::Rule;

struct Traffic {
  std::uint64_t sent = 0, received = 0;
  std::int32_t peer = wire::none, root = wire::none, tag = wire::none;
  bool moves = false;   ///< the call has a size, be it 0
  std::int64_t posted = wire::none;  ///< receives: size of the buffer
};

/// Arguments of call C by role.
template <Call C>
struct Arguments {
  static constexpr const wire::CallInfo &info = wire::info(C);
  const Word *words;

  template <Role R>
  static constexpr bool has() {
    return info.find(R) >= 0;
  }
  template <Role R>
  Word word() const {
    constexpr int at = info.find(R);
    static_assert(at >= 0);
    return words[at];
  }
  template <Role R>
  std::int32_t number() const {
    return static_cast<std::int32_t>(word<R>());
  }
  template <Role R>
  void *pointer() const {
    return reinterpret_cast<void *>(word<R>());
  }
  /// A count: int, or MPI_Count in the _c form. The upper half of an int argument's word is undefined.
  template <Role R>
  std::int64_t count() const {
    if constexpr (info.large || R == Role::BIGCOUNT) return static_cast<std::int64_t>(word<R>());
    return number<R>();
  }
  template <Role R>
  std::int64_t element(std::int64_t index) const {
    if constexpr (info.large) return static_cast<const std::int64_t *>(pointer<R>())[index];
    return static_cast<const std::int32_t *>(pointer<R>())[index];
  }
};

/// What was found out before the call (Recording::publish) and needs not be looked up again.
struct Known {
  static constexpr std::int32_t nothing = -2;
  std::int32_t peer = nothing;    ///< in MPI_COMM_WORLD, none
  std::int64_t type_size = -1;    ///< of the argument with Role::TYPE, bytes
};

template <Call C>
class Meter {
 public:
  Meter(Thread &thread, const Word *words, Communicator *comm, Known known) : thread_(thread), a_{words}, comm_(comm), known_(known) {}

  Traffic measure() {
    if constexpr (A::template has<Role::ROOT>()) root();
    if constexpr (rule == Rule::SEND || rule == Rule::PSEND) {
      send<Role::TAG>();
    } else if constexpr (rule == Rule::RECV || rule == Rule::PRECV) {
      posted_receive<Role::TAG>();
    } else if constexpr (rule == Rule::MRECV) {
      t_.moves = true;
      t_.posted = static_cast<std::int64_t>(simple());
    } else if constexpr (rule == Rule::SENDRECV || rule == Rule::SENDRECV_REPLACE) {
      send<Role::SENDTAG>();
    } else if constexpr (rule == Rule::PROBE || rule == Rule::MPROBE) {
      peer(a_.template number<Role::SOURCE>());
      if (t_.peer >= 0) tag(a_.template number<Role::TAG>());
    } else if constexpr (is_rma) {
      one_sided();
    } else if constexpr (is_collective) {
      t_.moves = true;
      if (comm_) collective();
    }
    return t_;
  }

 private:
  using A = Arguments<C>;
  static constexpr Rule rule = A::info.rule;
  static constexpr bool is_rma = rule == Rule::PUT || rule == Rule::GET || rule == Rule::GET_ACCUMULATE || rule == Rule::FETCH_AND_OP ||
                                 rule == Rule::COMPARE_AND_SWAP;
  static constexpr bool is_collective = rule >= Rule::BCAST && rule <= Rule::NEIGHBOR_ALLTOALLW;

  Thread &thread_;
  A a_;
  Communicator *comm_;
  Known known_;
  Traffic t_;

  static std::uint64_t times(std::int64_t count, std::int64_t size) { return count > 0 ? static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size) : 0; }
  std::uint64_t bytes(std::int64_t count, Word type) { return count > 0 ? times(count, type_size(thread_, type)) : 0; }
  /// Of the arguments with Role::COUNT and Role::TYPE.
  std::uint64_t simple() {
    const std::int64_t count = a_.template count<Role::COUNT>();
    if (__builtin_expect(known_.type_size >= 0, true)) return times(count, known_.type_size);
    return bytes(count, a_.template word<Role::TYPE>());
  }

  void peer(std::int32_t rank) {
    if (__builtin_expect(known_.peer != Known::nothing, true)) t_.peer = known_.peer;
    else t_.peer = rank >= 0 ? world_rank(comm_, rank) : wire::none;
  }
  void tag(std::int32_t value) { t_.tag = value >= 0 ? value : wire::none; }
  void root() {
    std::int32_t value = a_.template number<Role::ROOT>();
    t_.root = value >= 0 ? value : wire::none;
  }

  std::uint64_t buffer_bytes() {
    if constexpr (A::template has<Role::PARTITIONS>())
      return static_cast<std::uint64_t>(a_.template number<Role::PARTITIONS>()) * bytes(a_.template count<Role::BIGCOUNT>(), a_.template word<Role::TYPE>());
    else if constexpr (A::template has<Role::SENDCOUNT>())
      return bytes(a_.template count<Role::SENDCOUNT>(), a_.template word<Role::SENDTYPE>());
    else
      return simple();
  }

  template <Role TagRole>
  void send() {
    t_.moves = true;
    std::int32_t to = a_.template number<Role::DEST>();
    if (to == family.proc_null) return;
    peer(to);
    tag(a_.template number<TagRole>());
    t_.sent = buffer_bytes();
  }

  template <Role TagRole>
  void posted_receive() {
    t_.moves = true;
    std::int32_t from = a_.template number<Role::SOURCE>();
    t_.posted = 0;
    if (from == family.proc_null) return;
    peer(from);
    tag(a_.template number<TagRole>());
    t_.posted = static_cast<std::int64_t>(buffer_bytes());
  }

  void one_sided() {
    t_.moves = true;
    std::int32_t target = a_.template number<Role::TARGET>();
    if (target == family.proc_null) return;
    peer(target);
    auto origin = [this] {
      if constexpr (A::template has<Role::COUNT>())
        return simple();
      else
        return bytes(1, a_.template word<Role::TYPE>());
    };
    bool reads_only = false;  // MPI_NO_OP: the origin buffer is not significant (MPI 4.1, 12.3.4)
    if constexpr (A::template has<Role::OP>()) reads_only = as_handle(a_.template word<Role::OP>()) == family.op_no_op;
    if constexpr (rule == Rule::GET)
      t_.received = origin();
    else if (!reads_only)
      t_.sent = origin();
    if constexpr (rule == Rule::GET_ACCUMULATE) t_.received = bytes(a_.template count<Role::RECVCOUNT>(), a_.template word<Role::RECVTYPE>());
    if constexpr (rule == Rule::FETCH_AND_OP || rule == Rule::COMPARE_AND_SWAP) t_.received = origin();
  }

  /// Ranks that a rank exchanges blocks with: the remote group's in an intercommunicator, which has no own block.
  std::int64_t partners() const { return comm_->inter ? comm_->remote_size : comm_->size; }
  bool is_root() const { return comm_->inter ? root_argument() == family.root : root_argument() == comm_->rank; }
  /// Takes part as one of the many: everyone in an intracommunicator, the group opposite the root in an intercommunicator.
  bool is_member() const { return !comm_->inter || root_argument() >= 0; }
  std::int32_t root_argument() const { return a_.template number<Role::ROOT>(); }
  bool in_place_send() const { return a_.template word<Role::SENDBUF>() == family.in_place; }
  bool in_place_receive() const { return a_.template word<Role::RECVBUF>() == family.in_place; }

  std::uint64_t send_block() { return bytes(a_.template count<Role::SENDCOUNT>(), a_.template word<Role::SENDTYPE>()); }
  std::uint64_t receive_block() { return bytes(a_.template count<Role::RECVCOUNT>(), a_.template word<Role::RECVTYPE>()); }
  std::uint64_t receive_block_of(std::int64_t rank) { return bytes(a_.template element<Role::RECVCOUNTS>(rank), receive_type()); }
  Word receive_type() const {
    if constexpr (A::template has<Role::RECVTYPE>())
      return a_.template word<Role::RECVTYPE>();
    else
      return a_.template word<Role::TYPE>();
  }

  /// Sum over blocks with counts of their own, all of one type; `skip` marks neighbours that are MPI_PROC_NULL.
  template <Role Counts>
  std::uint64_t sum(std::int64_t blocks, Word type, const std::uint8_t *skip = nullptr) {
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < blocks; ++i)
      if (!skip || !skip[i]) count += a_.template element<Counts>(i);
    return bytes(count, type);
  }
  template <Role Counts, Role Types>
  std::uint64_t sum_typed(std::int64_t blocks, const std::uint8_t *skip = nullptr) {
    std::uint64_t total = 0;
    for (std::int64_t i = 0; i < blocks; ++i)
      if (!skip || !skip[i]) total += bytes(a_.template element<Counts>(i), handle_at(a_.template pointer<Types>(), i));
    return total;
  }
  static std::uint64_t significant(std::int32_t degree, const std::uint8_t *skip) {
    std::uint64_t ends = 0;
    for (std::int32_t i = 0; i < degree; ++i) ends += !skip || !skip[i];
    return ends;
  }

  void collective() {
    if constexpr (rule == Rule::BCAST) {
      if (is_root())
        t_.sent = simple();
      else if (is_member())
        t_.received = simple();
    } else if constexpr (rule == Rule::REDUCE) {
      if (is_member()) t_.sent = simple();
      if (is_root()) t_.received = simple();
    } else if constexpr (rule == Rule::ALLREDUCE) {
      t_.sent = t_.received = simple();
    } else if constexpr (rule == Rule::EXSCAN) {
      t_.sent = simple();
      if (comm_->rank > 0) t_.received = simple();  // undefined on rank 0 (MPI 4.1, 6.11.2)
    } else if constexpr (rule == Rule::GATHER || rule == Rule::GATHERV) {
      gather();
    } else if constexpr (rule == Rule::SCATTER || rule == Rule::SCATTERV) {
      scatter();
    } else if constexpr (rule == Rule::REDUCE_SCATTER) {
      t_.sent = sum<Role::RECVCOUNTS>(comm_->size, receive_type());
      t_.received = receive_block_of(comm_->rank);
    } else if constexpr (rule == Rule::REDUCE_SCATTER_BLOCK) {
      t_.received = bytes(a_.template count<Role::RECVCOUNT>(), receive_type());
      t_.sent = t_.received * static_cast<std::uint64_t>(comm_->size);
    } else if constexpr (rule >= Rule::NEIGHBOR_ALLGATHER) {
      neighbours();
    } else {
      all_to_all();
    }
  }

  void gather() {
    if constexpr (rule == Rule::GATHER) {
      if (is_member()) t_.sent = is_root() && in_place_send() ? receive_block() : send_block();
      if (is_root()) t_.received = receive_block() * static_cast<std::uint64_t>(partners());
    } else {
      if (is_member()) t_.sent = is_root() && in_place_send() ? receive_block_of(comm_->rank) : send_block();
      if (is_root()) t_.received = sum<Role::RECVCOUNTS>(partners(), receive_type());
    }
  }

  void scatter() {
    Word send_type = a_.template word<Role::SENDTYPE>();
    if constexpr (rule == Rule::SCATTER) {
      if (is_root()) t_.sent = send_block() * static_cast<std::uint64_t>(partners());
      if (is_member()) t_.received = is_root() && in_place_receive() ? send_block() : receive_block();
    } else {
      if (is_root()) t_.sent = sum<Role::SENDCOUNTS>(partners(), send_type);
      if (is_member()) t_.received = is_root() && in_place_receive() ? bytes(a_.template element<Role::SENDCOUNTS>(comm_->rank), send_type) : receive_block();
    }
  }

  void all_to_all() {
    std::int64_t n = partners();
    if constexpr (rule == Rule::ALLGATHER) {
      t_.sent = in_place_send() ? receive_block() : send_block();
      t_.received = receive_block() * static_cast<std::uint64_t>(n);
    } else if constexpr (rule == Rule::ALLGATHERV) {
      t_.sent = in_place_send() ? receive_block_of(comm_->rank) : send_block();
      t_.received = sum<Role::RECVCOUNTS>(n, receive_type());
    } else if constexpr (rule == Rule::ALLTOALL) {
      t_.received = receive_block() * static_cast<std::uint64_t>(n);
      t_.sent = in_place_send() ? t_.received : send_block() * static_cast<std::uint64_t>(n);
    } else if constexpr (rule == Rule::ALLTOALLV) {
      t_.received = sum<Role::RECVCOUNTS>(n, receive_type());
      t_.sent = in_place_send() ? t_.received : sum<Role::SENDCOUNTS>(n, a_.template word<Role::SENDTYPE>());
    } else if constexpr (rule == Rule::ALLTOALLW) {
      t_.received = sum_typed<Role::RECVCOUNTS, Role::RECVTYPES>(n);
      t_.sent = in_place_send() ? t_.received : sum_typed<Role::SENDCOUNTS, Role::SENDTYPES>(n);
    }
  }

  void neighbours() {
    const Topology *topology = topology_of(*comm_);
    if (!topology) return;
    [[maybe_unused]] std::uint64_t out = significant(topology->out_degree, topology->out_null);
    [[maybe_unused]] std::uint64_t in = significant(topology->in_degree, topology->in_null);
    if constexpr (rule == Rule::NEIGHBOR_ALLGATHER || rule == Rule::NEIGHBOR_ALLTOALL) {
      if (out) t_.sent = send_block() * out;
      if (in) t_.received = receive_block() * in;
    } else if constexpr (rule == Rule::NEIGHBOR_ALLGATHERV) {
      if (out) t_.sent = send_block() * out;
      t_.received = sum<Role::RECVCOUNTS>(topology->in_degree, receive_type(), topology->in_null);
    } else if constexpr (rule == Rule::NEIGHBOR_ALLTOALLV) {
      t_.sent = sum<Role::SENDCOUNTS>(topology->out_degree, a_.template word<Role::SENDTYPE>(), topology->out_null);
      t_.received = sum<Role::RECVCOUNTS>(topology->in_degree, receive_type(), topology->in_null);
    } else {
      t_.sent = sum_typed<Role::SENDCOUNTS, Role::SENDTYPES>(topology->out_degree, topology->out_null);
      t_.received = sum_typed<Role::RECVCOUNTS, Role::RECVTYPES>(topology->in_degree, topology->in_null);
    }
  }
};

}  // namespace scope::preload
