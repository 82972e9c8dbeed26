#include "identity.hpp"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "family.hpp"
#include "procfs.hpp"

namespace scope::preload {

namespace {

constexpr std::size_t key_size = sizeof(wire::Header::world_key);
char job[key_size];         // key of the job that the environment names
char parent_job[key_size];
int job_size;               // its number of ranks, 0 unknown

int number(const char *text) { return text ? atoi(text) : 0; }

void append_clean(char *key, const char *text) {
  char part[2] = "";
  for (; *text; ++text) {
    bool plain = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || (*text >= '0' && *text <= '9') || *text == '.' || *text == '-';
    part[0] = plain ? *text : '_';
    append_text(key, key_size, part);
  }
}

/// srun --mpi=pmix names the job step ("slurm.pmix.42.0"), and its number of ranks in a variable of Slurm's own.
bool pmix_job() {
  const char *id = environment("PMIX_NAMESPACE");
  if (!id) return false;
  copy_text(job, key_size, "pmix-");
  append_clean(job, id);
  job_size = number(environment("SLURM_STEP_NUM_TASKS"));
  return true;
}

/// PMIX_NAMESPACE and OMPI_MCA_ess_base_jobid hold the job's id; OMPI_PARENT_PORT of a spawned one begins with its parent's
/// ("<job>.<rank>;tcp://...").
bool open_mpi_job() {
  const char *id = environment("OMPI_MCA_ess_base_jobid");
  if (!id) id = environment("PMIX_NAMESPACE");
  const char *size = environment("OMPI_COMM_WORLD_SIZE");
  if (!id || !size) return pmix_job();
  copy_text(job, key_size, "ompi-");
  append_clean(job, id);
  job_size = number(size);
  if (const char *port = environment("OMPI_PARENT_PORT")) {
    char parent[32];
    copy_text(parent, sizeof parent, port);
    parent[strcspn(parent, ".;")] = 0;
    copy_text(parent_job, key_size, "ompi-");
    append_clean(parent_job, parent);
  }
  return true;
}

unsigned parent_of(unsigned pid) {
  char path[40] = "/proc/", text[1024];
  append_number(path, sizeof path, pid);
  append_text(path, sizeof path, "/stat");
  if (read_text(path, text, sizeof text) <= 0) return 0;
  const char *end = strrchr(text, ')');  // then " S ppid"
  return end && strlen(end) > 4 ? static_cast<unsigned>(strtoul(end + 4, nullptr, 10)) : 0;
}

/// The argument behind an option in NUL-separated arguments; nullptr if it is not there.
const char *argument(const char *arguments, int length, const char *option) {
  for (const char *at = arguments; at < arguments + length; at += strlen(at) + 1)
    if (strcmp(at, option) == 0) {
      const char *value = at + strlen(at) + 1;
      return value < arguments + length ? value : nullptr;
    }
  return nullptr;
}

/// The nearest hydra proxy among the parents; a shell or a tool may stand between.
bool hydra_job() {
  static char arguments[8192];
  unsigned pid = static_cast<unsigned>(getppid());
  for (int generation = 0; pid > 1 && generation < 16; ++generation, pid = parent_of(pid)) {
    char path[40] = "/proc/";
    append_number(path, sizeof path, pid);
    append_text(path, sizeof path, "/cmdline");
    int length = read_text(path, arguments, sizeof arguments);
    if (length <= 0 || !strstr(arguments, "proxy")) continue;
    const char *port = argument(arguments, length, "--control-port");
    if (!port) continue;
    const char *group = argument(arguments, length, "--pgid");
    copy_text(job, key_size, "hydra-");
    append_clean(job, port);
    append_clean(job, "-");
    append_clean(job, group ? group : "0");
    return true;
  }
  return false;
}

bool pmi_job() {
  const char *size = environment("PMI_SIZE");
  if (!size) return pmix_job();
  job_size = number(size);
  if (hydra_job()) return true;
  const char *slurm_job = environment("SLURM_JOB_ID"), *step = environment("SLURM_STEP_ID");
  copy_text(job, key_size, "pmi-");
  append_clean(job, slurm_job ? slurm_job : "job");
  append_clean(job, "-");
  append_clean(job, step ? step : size);
  return true;
}

}  // namespace

void note_environment() {
  bool found = family.id == wire::Family::open_mpi ? open_mpi_job() : pmi_job();
  if (!found) job[0] = 0;
}

void find_world() {
  // Where the size is not known, a world of one rank may be a helper's: a key of its own is right for it in any case.
  bool is_job = job[0] && (job_size == 0 ? live->size > 1 : job_size == live->size);
  if (is_job) {
    copy_text(live->world_key, key_size, job);
    copy_text(live->parent_key, key_size, parent_job);
    return;
  }
  copy_text(live->world_key, key_size, "single-");
  append_clean(live->world_key, live->host);
  append_text(live->world_key, key_size, "-");
  append_number(live->world_key, key_size, live->pid);
  append_text(live->world_key, key_size, "-");
  append_number(live->world_key, key_size, live->start_time);
}

}  // namespace scope::preload
