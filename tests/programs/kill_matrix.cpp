// 2 ranks: kill_matrix CAUSE MOMENT one|all NOTES. Rank 1, or both, end by CAUSE at MOMENT; tests/e2e/test_kill_matrix.py has
// the table of what must be counted. NOTES is a file of 4 KiB of zeros, through which the ranks see where the other one is, so
// that nothing depends on time.
//
// MOMENT      calls that have returned by then, on both ranks             where the other rank is, with "one"
// before      none                                                        in MPI_Init
// init        none: in MPI_Init, when it reads the environment            in MPI_Init
// compute     Init, Comm_create_keyval, Comm_set_attr, Barrier 10         in MPI_Recv, of a message that nobody sends
// blocked     the same: in MPI_Recv, after 10 ms of its CPU time          in MPI_Recv
// finalize    and Comm_rank 3: in MPI_Finalize, in a delete callback      in MPI_Finalize, Comm_rank 3
// finalized   and Finalize                                                ended with 0
//
// CAUSE       exit and _exit with code 3, abort, segv, kill, term, xcpu (signals), mpi_abort (code 3), exception (not caught),
//             memory (no more address space: operator new throws), cgroup (writes to memory until the kernel ends it),
//             mpi_error: before and finalized: a call that is not allowed then; compute and finalize: MPI_Send to a rank that
//             there is none; blocked: MPI_Recv of a message that is too long (its MPI_Send returned)
#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <stdexcept>
#include <string>

namespace {

enum Place { nowhere, in_init, in_call, in_finalize, through_finalize };
struct Notes {
  volatile std::int32_t place[2], pid[2];
};
Notes *notes;
std::string cause, moment;
int rank;
bool dies;       // this rank does
bool watch_init; // getenv is to look
int message[2];
char *reserve;

void wait_until(int who, Place place) {
  while (notes->place[who] < place) usleep(300);
}

bool is(const char *name) { return cause == name; }

void use_up_address_space() {
  rlimit limit{0, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
  while (true) *static_cast<char *volatile *>(&reserve) = new char[1 << 20];
}

void use_up_memory() {
  constexpr std::size_t step = 1 << 22;
  while (true) {
    void *more = mmap(nullptr, step, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (more == MAP_FAILED) _exit(99);
    std::memset(more, 1, step);
  }
}

void wrong_call() {
  if (moment == "before" || moment == "finalized") MPI_Comm_rank(MPI_COMM_WORLD, message);
  else MPI_Send(message, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
}

void die() {
  if (is("exit")) exit(3);
  if (is("_exit")) _exit(3);
  if (is("abort")) abort();
  if (is("segv")) *static_cast<volatile int *>(nullptr) = 1;
  if (is("kill")) kill(getpid(), SIGKILL);
  if (is("term")) kill(getpid(), SIGTERM);
  if (is("xcpu")) kill(getpid(), SIGXCPU);
  if (is("mpi_abort")) MPI_Abort(MPI_COMM_WORLD, 3);
  if (is("mpi_error")) wrong_call();
  if (is("exception")) throw std::runtime_error("nobody catches this");
  if (is("memory")) use_up_address_space();
  if (is("cgroup")) use_up_memory();
  pause();
}

/// The other rank is where the comment above says.
void die_when_other_is(Place place) {
  wait_until(1 - rank, place);
  die();
}

/// Ends this thread's wait in a call, or notes that it is in one: on the thread itself, after 10 ms of its CPU time.
void tick(int) {
  notes->place[rank] = in_call;
  if (dies && moment == "blocked") die_when_other_is(in_call);
}

void start_ticking() {
  signal(SIGPROF, tick);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
  event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
  timer_t timer;
  timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer);
  itimerspec once{};
  once.it_value.tv_nsec = 10'000'000;
  timer_settime(timer, 0, &once, nullptr);
}

int in_delete_callback(MPI_Comm, int, void *, void *) {
  int own;
  for (int i = 0; i < 3; ++i) MPI_Comm_rank(MPI_COMM_WORLD, &own);
  notes->place[rank] = in_finalize;
  if (dies && moment == "finalize") die_when_other_is(in_finalize);
  return MPI_SUCCESS;
}

void wait_in_call() {
  start_ticking();
  MPI_Recv(message, 1, MPI_INT, 1 - rank, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void fail_in_call() {
  notes->place[rank] = in_call;
  wait_until(1 - rank, in_call);
  MPI_Recv(message, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void open_notes(const char *path) {
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) _exit(98);
  notes = static_cast<Notes *>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  close(file);
  notes->pid[rank] = getpid();
}

/// Hydra keeps the dead as zombies for as long as others run.
bool runs(int pid) {
  char text[512];
  int file = open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  ssize_t got = file < 0 ? 0 : read(file, text, sizeof text);
  if (file >= 0) close(file);
  return got > 0 && std::string(text, static_cast<std::size_t>(got)).find(") Z ") == std::string::npos;
}

void wait_for_end_of_other() {
  wait_until(1 - rank, through_finalize);
  while (runs(notes->pid[1 - rank])) usleep(300);
}

}  // namespace

/// Both MPIs read the environment inside MPI_Init, through this one: the program's own definition comes first.
extern "C" char *getenv(const char *name) {
  if (watch_init) {
    watch_init = false;
    notes->place[rank] = in_init;
    if (dies && moment == "init") die_when_other_is(in_init);
  }
  std::size_t length = std::strlen(name);
  for (char **entry = environ; entry && *entry; ++entry)
    if (std::strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') return *entry + length + 1;
  return nullptr;
}

int main(int argc, char **argv) {
  if (argc != 5) return 97;
  alarm(30);  // never for ever
  rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  cause = argv[1], moment = argv[2];
  const char *own = getenv("OMPI_COMM_WORLD_RANK");
  if (!own) own = getenv("PMI_RANK");
  rank = own && *own == '1';
  dies = rank == 1 || !std::strcmp(argv[3], "all");
  open_notes(argv[4]);
  bool both = !std::strcmp(argv[3], "all");
  if (dies && moment == "before") {
    notes->place[rank] = in_init;
    die_when_other_is(in_init);
  }
  watch_init = true;
  MPI_Init(&argc, &argv);
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, in_delete_callback, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  for (int i = 0; i < 10; ++i) MPI_Barrier(MPI_COMM_WORLD);
  if (moment == "blocked" && cause == "mpi_error") {
    if (both || !dies) MPI_Send(message, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    if (dies) fail_in_call();
  }
  if (moment == "compute" && dies) {
    if (both) notes->place[rank] = in_call;
    die_when_other_is(in_call);
  }
  if (moment == "compute" || moment == "blocked") wait_in_call();
  MPI_Finalize();
  notes->place[rank] = through_finalize;
  if (!dies) return 0;
  if (both) wait_until(1 - rank, through_finalize);
  else wait_for_end_of_other();
  die();
  return 0;
}
