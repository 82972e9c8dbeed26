// 1 rank. A generalised request, completed by the program: Grequest_start 1, Grequest_complete 1, Wait 1, no bytes; then
// Request_get_status on an active Irecv (no bytes, the request stays), Send to itself of 12 B, Wait 12 B received.
#include <mpi.h>

static int query(void *state, MPI_Status *status) {
  (void)state;
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
static int release(void *state) {
  (void)state;
  return MPI_SUCCESS;
}
static int cancel(void *state, int complete) {
  (void)state;
  (void)complete;
  return MPI_SUCCESS;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Request request;
  int flag, out[3] = {1, 2, 3}, in[3];
  MPI_Grequest_start(query, release, cancel, 0, &request);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Irecv(in, 3, MPI_INT, 0, 4, MPI_COMM_SELF, &request);
  MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  MPI_Send(out, 3, MPI_INT, 0, 4, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return in[2] != 3;
}
