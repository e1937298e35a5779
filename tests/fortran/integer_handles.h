! What mpif.h and the module mpi have in common: handles are integers, a status is an array of them.
#define COMM integer
#define GROUP integer
#define DATATYPE integer
#define REQUEST integer
#define MESSAGE integer
#define OP integer
#define ERRHANDLER integer
#define INFO integer
#define WIN integer
#define FILE_HANDLE integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define STATUSES(n) integer, dimension(MPI_STATUS_SIZE, n)
#define STATUS_AT(statuses, i) statuses(:, i)
#define SOURCE_OF(status) status(MPI_SOURCE)
#define TAG_OF(status) status(MPI_TAG)
#define ERROR_OF(status) status(MPI_ERROR)
#define ADDRESS integer(MPI_ADDRESS_KIND)
#define AS_INTEGER(handle) handle
