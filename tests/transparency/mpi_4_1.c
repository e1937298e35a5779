/* What MPI 4.1 added: buffers of communicators and sessions, MPI_BUFFER_AUTOMATIC, flushing, requests looked at by
 * several, fields of statuses. Buffers have just the size that the messages need untraced. */
#include "say.h"

enum { ints = 100, messages = 3 };

static MPI_Comm world;
static int other; /* the rank of the partner */

static void fill(int* data, int seed) {
    for (int i = 0; i < ints; i++) data[i] = 1000 * seed + i;
}

static int sum_of(const int* data) {
    int sum = 0;
    for (int i = 0; i < ints; i++) sum += data[i];
    return sum;
}

static int room(MPI_Comm comm) {
    int size;
    MPI_Pack_size(ints, MPI_INT, comm, &size);
    return messages * (size + MPI_BSEND_OVERHEAD);
}

static void exchange(const char* what, MPI_Comm comm) {
    static int data[messages][ints], got[ints];
    MPI_Status status;
    for (int i = 0; i < messages; i++) {
        fill(data[i], said_rank + i);
        MPI_Bsend(data[i], ints, MPI_INT, other, i, comm);
    }
    for (int i = 0; i < messages; i++) {
        int count;
        MPI_Recv(got, ints, MPI_INT, other, i, comm, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        say("%s %d: %d ints from %d, sum %d", what, i, count, status.MPI_SOURCE, sum_of(got));
    }
}

static void detached(const char* what, const void* given, const void* back, MPI_Count size) {
    say("%s: detached %s of %d bytes", what, back == given ? "what was attached" : "something else", (int)size);
}

static void buffers(void) {
    MPI_Comm first, second;
    MPI_Comm_dup(world, &first);
    MPI_Comm_dup(world, &second);
    const int size = room(world);
    char *of_process = malloc((size_t)size), *of_first = malloc((size_t)size), *of_second = malloc((size_t)size);
    void* back = NULL;
    int length = 0;
    MPI_Count long_length = 0;
    TRY(MPI_Buffer_attach(of_process, size));
    TRY(MPI_Comm_attach_buffer(first, of_first, size));
    TRY(MPI_Comm_attach_buffer_c(second, of_second, size));
    exchange("first", first);
    exchange("process", world);
    exchange("second", second);
    exchange("first again", first);
    TRY(MPI_Comm_flush_buffer(first));
    TRY(MPI_Buffer_flush());
    MPI_Request request;
    TRY(MPI_Comm_iflush_buffer(second, &request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Comm_detach_buffer(first, &back, &length));
    detached("first", of_first, back, length);
    TRY(MPI_Comm_detach_buffer_c(second, &back, &long_length));
    detached("second", of_second, back, long_length);
    TRY(MPI_Buffer_detach(&back, &length));
    detached("process", of_process, back, length);
    TRY(MPI_Comm_attach_buffer(first, MPI_BUFFER_AUTOMATIC, 0));
    exchange("automatic", first);
    TRY(MPI_Comm_detach_buffer(first, &back, &length));
    say("automatic: %s", back == MPI_BUFFER_AUTOMATIC ? "the same" : "something else");
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
    free(of_process);
    free(of_first);
    free(of_second);
}

static void buffer_of_session(void) {
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    void* back = NULL;
    int length = 0;
    TRY(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    TRY(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
    TRY(MPI_Comm_create_from_group(group, "buffers", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    const int size = room(comm);
    char* buffer = malloc((size_t)size);
    TRY(MPI_Session_attach_buffer(session, buffer, size));
    exchange("session", comm);
    TRY(MPI_Session_flush_buffer(session));
    TRY(MPI_Session_detach_buffer(session, &back, &length));
    detached("session", buffer, back, length);
    MPI_Group_free(&group);
    MPI_Comm_free(&comm);
    TRY(MPI_Session_finalize(&session));
    free(buffer);
}

/* A request that was found complete has its data, and completes again. */
static void seen(int way) {
    static int data[ints], got[messages][ints];
    MPI_Request requests[messages + 1];
    MPI_Status statuses[messages + 1];
    int flag = 0, index = untouched, outcount = 0, indices[messages + 1], found = 0;
    for (int i = 0; i < messages; i++) MPI_Irecv(got[i], ints, MPI_INT, other, i, world, &requests[i]);
    requests[messages] = MPI_REQUEST_NULL;
    MPI_Barrier(world);
    for (int i = 0; i < messages; i++) {
        fill(data, 10 * way + said_rank + i);
        MPI_Send(data, ints, MPI_INT, other, i, world);
    }
    while (found < (1 << messages) - 1) {
        if (way == 0) {
            MPI_Request_get_status_all(messages + 1, requests, &flag, statuses);
            if (flag) found = (1 << messages) - 1;
        } else if (way == 1) { /* the first that is complete: they are looked at from the end on */
            const int from = found == 0 ? 2 : found == 4 ? 1 : 0;
            MPI_Request_get_status_any(1, requests + from, &index, &flag, &statuses[from]);
            if (flag) found |= 1 << (from + index);
        } else {
            MPI_Iprobe(other, messages, world, &flag, MPI_STATUS_IGNORE); /* MPICH 4.2 goes on in that only */
            MPI_Request_get_status_some(messages + 1, requests, &outcount, indices, MPI_STATUSES_IGNORE);
            for (int i = 0; i < outcount; i++) found |= 1 << indices[i];
        }
    }
    for (int i = 0; i < messages; i++) {
        say("way %d, seen %d: sum %d, request %s", way, i, sum_of(got[i]),
            requests[i] == MPI_REQUEST_NULL ? "gone" : "there");
        int count = -1;
        if (way < 2) MPI_Get_count(&statuses[i], MPI_INT, &count);
        if (way < 2) say("status: %d ints from %d, tag %d", count, statuses[i].MPI_SOURCE, statuses[i].MPI_TAG);
    }
    MPI_Request_get_status_all(messages + 1, requests, &flag, MPI_STATUSES_IGNORE);
    say("all: %d", flag);
    TRY(MPI_Waitall(messages + 1, requests, statuses));
    for (int i = 0; i < messages; i++) {
        int count;
        MPI_Get_count(&statuses[i], MPI_INT, &count);
        say("way %d, complete %d: %d ints, sum %d", way, i, count, sum_of(got[i]));
    }
    MPI_Request_get_status_some(messages + 1, requests, &outcount, indices, statuses);
    say("none is active: %s", outcount == MPI_UNDEFINED ? "undefined" : "a number");
    MPI_Request_get_status_any(messages + 1, requests, &index, &flag, &statuses[0]);
    say("any of none: %d, %s", flag, index == MPI_UNDEFINED ? "undefined" : "a number");
}

static void fields(void) {
    MPI_Status status = untouched_status();
    int value = untouched, count = untouched;
    MPI_Count long_count = untouched;
    TRY(MPI_Status_set_source(&status, 3));
    TRY(MPI_Status_set_tag(&status, 4));
    TRY(MPI_Status_set_error(&status, MPI_ERR_OTHER));
    TRY(MPI_Status_set_elements_c(&status, MPI_INT, 5));
    TRY(MPI_Status_set_cancelled(&status, 0));
    TRY(MPI_Status_get_source(&status, &value));
    say("source %d %d", value, status.MPI_SOURCE);
    TRY(MPI_Status_get_tag(&status, &value));
    say("tag %d %d", value, status.MPI_TAG);
    TRY(MPI_Status_get_error(&status, &value));
    say("error %d", value == MPI_ERR_OTHER && status.MPI_ERROR == MPI_ERR_OTHER);
    TRY(MPI_Get_count(&status, MPI_INT, &count));
    TRY(MPI_Get_elements_c(&status, MPI_INT, &long_count));
    say("elements %d %d", count, (int)long_count);
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    TRY(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair));
    say("double and int: %d", pair == MPI_DOUBLE_INT);
    int family = 0, code = 0;
    TRY(MPI_Add_error_class(&family));
    TRY(MPI_Add_error_code(family, &code));
    TRY(MPI_Add_error_string(code, "of the program"));
    TRY(MPI_Remove_error_string(code));
    TRY(MPI_Remove_error_code(code));
    TRY(MPI_Remove_error_class(family));
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    other = said_rank ^ 1;
    buffers();
    buffer_of_session();
    for (int way = 0; way < 3; way++) seen(way);
    fields();
    MPI_Comm_free(&world);
    say_out();
    MPI_Finalize();
    return 0;
}
