// 2 ranks. Requests that end in other ways than a wait. A rank: Isend 1,000 (4,000 B) each freed while active, Request_free
// 1,002, Recv 1,000 (4,000 B); Irecv, Cancel and Wait 1,000 each with 0 B received; Startall 10, persistent 40 B each way,
// completed by Testsome among null requests. Prints how often a rank called Testsome, in one line. Memory does not grow.
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 1000 };

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, x = 0, room[8], count, indices[4], calls = 0, bad = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int other = 1 - rank;
  MPI_Request request;
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Isend(&x, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Recv(room, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Status status;
    int cancelled;
    MPI_Irecv(room, 8, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    bad |= !cancelled;
  }
  MPI_Request p[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Send_init(&x, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &p[0]);
  MPI_Recv_init(room, 8, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &p[1]);
  for (int i = 0; i < 10; ++i) {
    MPI_Startall(2, p);
    for (int done = 0; done < 2; ++calls) {
      MPI_Testsome(4, p, &count, indices, MPI_STATUSES_IGNORE);
      if (count != MPI_UNDEFINED) done += count;
    }
  }
  MPI_Request_free(&p[0]);
  MPI_Request_free(&p[1]);
  MPI_Testsome(4, p, &count, indices, MPI_STATUSES_IGNORE);
  bad |= count != MPI_UNDEFINED;
  ++calls;
  int all[2];
  MPI_Gather(&calls, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("testsome %d %d\n", all[0], all[1]);
  MPI_Finalize();
  return bad;
}
