/* Error handlers of communicators, windows and files: which handler is called with what, handlers that call MPI, and
 * the results of wrong arguments with MPI_ERRORS_RETURN. Any number of ranks. */
#include "say.h"

static int me, size, calls, inside;

/* A handler may use MPI, here even the communicator that it is called for. */
static void use_mpi(MPI_Comm comm) {
    int rank = -1, sent = 3, received = -1;
    if (inside++ == 0) {
        MPI_Comm_rank(comm, &rank);
        MPI_Sendrecv(&sent, 1, MPI_INT, 0, 1, &received, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        say("in the handler: rank %d received %d", rank, received);
    }
    inside--;
}

static void comm_handler(MPI_Comm* comm, int* code, ...) {
    calls++;
    int name = *comm == MPI_COMM_WORLD ? 1 : *comm == MPI_COMM_SELF ? 2 : *comm == MPI_COMM_NULL ? 3 : 4;
    say("comm handler: comm %d", name);
    say_code("comm handler", *code);
    use_mpi(MPI_COMM_WORLD);
}

static void other_handler(MPI_Comm* comm, int* code, ...) {
    calls++;
    (void)comm;
    say_code("the other handler", *code);
}

static void win_handler(MPI_Win* win, int* code, ...) {
    calls++;
    say("win handler: null %d", *win == MPI_WIN_NULL);
    say_code("win handler", *code);
    use_mpi(MPI_COMM_WORLD);
}

static void file_handler(MPI_File* file, int* code, ...) {
    calls++;
    say("file handler: null %d", *file == MPI_FILE_NULL);
    say_code("file handler", *code);
    use_mpi(MPI_COMM_WORLD);
}

static void say_calls(void) {
    say("handlers called %d times", calls);
    calls = 0;
}

static void wrong_point_to_point(MPI_Comm comm) {
    int value = 1, flag;
    MPI_Status status = untouched_status();
    MPI_Request request = MPI_REQUEST_NULL;
    TRY(MPI_Send(&value, 1, MPI_INT, size, 1, comm));
    TRY(MPI_Send(&value, 1, MPI_INT, -17, 1, comm));
    TRY(MPI_Send(&value, 1, MPI_INT, 0, -5, comm));
    TRY(MPI_Send(&value, -1, MPI_INT, 0, 1, comm));
    TRY(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 1, comm));
    TRY(MPI_Isend(&value, 1, MPI_INT, size + 7, 1, comm, &request));
    say("request null %d", request == MPI_REQUEST_NULL);
    TRY(MPI_Recv(&value, 1, MPI_INT, size, 1, comm, &status));
    say_status("a wrong receive", &status, MPI_INT);
    TRY(MPI_Irecv(&value, -1, MPI_INT, 0, 1, comm, &request));
    TRY(MPI_Sendrecv(&value, 1, MPI_INT, me, 1, &value, 1, MPI_INT, size, 1, comm, &status));
    TRY(MPI_Probe(size + 1, 1, comm, &status));
    TRY(MPI_Iprobe(-9, 1, comm, &flag, &status));
    TRY(MPI_Send_init(&value, 1, MPI_INT, size, 1, comm, &request));
    say_calls();
}

static void wrong_collectives(MPI_Comm comm) {
    int value = 1, other = 2;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm made;
    TRY(MPI_Bcast(&value, 1, MPI_INT, size, comm));
    TRY(MPI_Bcast(&value, -1, MPI_INT, 0, comm));
    TRY(MPI_Reduce(&value, &other, 1, MPI_INT, MPI_OP_NULL, 0, comm));
    TRY(MPI_Allreduce(&value, &other, 1, MPI_DATATYPE_NULL, MPI_SUM, comm));
    TRY(MPI_Ibcast(&value, 1, MPI_INT, -3, comm, &request));
    say("request null %d", request == MPI_REQUEST_NULL);
    TRY(MPI_Comm_split(comm, -8, 0, &made));
    TRY(MPI_Cart_create(comm, 1, &(int){size + 5}, &(int){0}, 0, &made));
    say_calls();
}

static void wrong_handles(void) {
    int value = 1, length;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Datatype type;
    MPI_Comm null = MPI_COMM_NULL;
    MPI_Aint extent, lower;
    TRY(MPI_Comm_rank(MPI_COMM_NULL, &value));
    TRY(MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_NULL));
    TRY(MPI_Barrier(MPI_COMM_NULL));
    TRY(MPI_Comm_free(&null));
    TRY(MPI_Type_get_extent(MPI_DATATYPE_NULL, &lower, &extent));
    TRY(MPI_Type_contiguous(-1, MPI_INT, &type));
    TRY(MPI_Type_contiguous(2, MPI_INT, &type));
    TRY(MPI_Send(&value, 0, type, MPI_PROC_NULL, 1, MPI_COMM_WORLD));
    TRY(MPI_Send(&value, 1, type, me, 1, MPI_COMM_WORLD));
    TRY(MPI_Type_free(&type));
    TRY(MPI_Group_size(MPI_GROUP_NULL, &value));
    TRY(MPI_Error_string(-4, text, &length));
    say_calls();
}

static void replaced(MPI_Errhandler first, MPI_Errhandler second) {
    MPI_Comm comm, copy;
    MPI_Errhandler got;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_get_errhandler(comm, &got);
    say("a duplicate inherits: %d", got == first);
    MPI_Errhandler_free(&got);
    TRY(MPI_Comm_set_errhandler(comm, second));
    MPI_Comm_get_errhandler(comm, &got);
    say("set: %d", got == second);
    TRY(MPI_Errhandler_free(&got));
    say("freed: null %d", got == MPI_ERRHANDLER_NULL);
    wrong_point_to_point(comm);
    MPI_Comm_dup(comm, &copy);
    TRY(MPI_Comm_call_errhandler(copy, MPI_ERR_OTHER));
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    TRY(MPI_Comm_call_errhandler(copy, MPI_ERR_OTHER));
    wrong_collectives(copy);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
}

static void on_windows(void) {
    int memory = 0;
    MPI_Win win;
    MPI_Errhandler handler, got;
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_create_errhandler(win_handler, &handler);
    TRY(MPI_Win_set_errhandler(win, handler));
    MPI_Win_get_errhandler(win, &got);
    say("the same: %d", got == handler);
    MPI_Errhandler_free(&got);
    MPI_Errhandler_free(&handler);
    TRY(MPI_Put(&me, 1, MPI_INT, size, 0, 1, MPI_INT, win));
    TRY(MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win));
    TRY(MPI_Win_call_errhandler(win, MPI_ERR_WIN));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    TRY(MPI_Put(&me, 1, MPI_INT, size, 0, 1, MPI_INT, win));
    TRY(MPI_Win_call_errhandler(win, MPI_ERR_WIN));
    TRY(MPI_Win_fence(0, MPI_WIN_NULL));
    MPI_Win_free(&win);
    say_calls();
}

static void on_files(void) {
    MPI_File file;
    MPI_Errhandler handler, got;
    int value;
    TRY(MPI_File_open(MPI_COMM_SELF, "no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    MPI_File_create_errhandler(file_handler, &handler);
    TRY(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    TRY(MPI_File_open(MPI_COMM_SELF, "no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    MPI_File_get_errhandler(MPI_FILE_NULL, &got);
    say("the same: %d", got == handler);
    MPI_Errhandler_free(&got);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    char name[32];
    snprintf(name, sizeof name, "handlers.%d", me);
    TRY(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
    MPI_File_set_errhandler(file, handler);
    MPI_Errhandler_free(&handler);
    TRY(MPI_File_read(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    TRY(MPI_File_seek(file, -20, MPI_SEEK_SET));
    TRY(MPI_File_call_errhandler(file, MPI_ERR_FILE));
    TRY(MPI_File_close(&file));
    TRY(MPI_File_delete("no/such/file", MPI_INFO_NULL));
    say_calls();
}

static void own_errors(void) {
    int class, code, found, length, *last, flag;
    char text[MPI_MAX_ERROR_STRING];
    TRY(MPI_Add_error_class(&class));
    TRY(MPI_Add_error_code(class, &code));
    TRY(MPI_Add_error_string(code, "the beat was lost"));
    TRY(MPI_Error_class(code, &found));
    say("class the same: %d", found == class);
    TRY(MPI_Error_string(code, text, &length));
    say("%s (%d)", text, length);
    TRY(MPI_Comm_call_errhandler(MPI_COMM_WORLD, code));
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
    say("last used code is ours: %d", flag && *last >= code);
    say_calls();
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    me = said_rank;
    size = size_of(MPI_COMM_WORLD);
    wrong_point_to_point(MPI_COMM_WORLD);
    wrong_collectives(MPI_COMM_WORLD);
    wrong_handles();
    MPI_Errhandler first, second;
    MPI_Comm_create_errhandler(comm_handler, &first);
    MPI_Comm_create_errhandler(other_handler, &second);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, first);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, first);
    wrong_point_to_point(MPI_COMM_WORLD);
    wrong_collectives(MPI_COMM_WORLD);
    wrong_handles();
    replaced(first, second);
    own_errors();
    on_windows();
    on_files();
    MPI_Errhandler_free(&first);
    MPI_Errhandler_free(&second);
    say_out();
    MPI_Finalize();
    return 0;
}
