/* Everything besides communication: Pcontrol, clocks, names, infos, memory, statuses made by hand, conversion of
 * handles to Fortran and back, the tools interface MPI_T, and deprecated functions. Any number of ranks. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "say.h"
#include <malloc.h>
#include <unistd.h>

static void clocks_and_names(void) {
    const double first = MPI_Wtime(), tick = MPI_Wtick();
    usleep(2000);
    const double second = MPI_Wtime();
    say("time went on %d, a tick is short %d", second - first > 0.0015, tick > 0 && tick < 0.01);
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length = -1;
    TRY(MPI_Get_processor_name(name, &length));
    say("processor \"%s\" (%d)", name, length);
    const int levels[] = {1, 2, -1, 77}; /* 0 stops the recording: vt/habits.c */
    for (int i = 0; i < 4; i++) TRY(MPI_Pcontrol(levels[i]));
    TRY(MPI_Pcontrol(3, "any", 4.5));
    TRY(MPI_Pcontrol(1));
}

static void infos(void) {
    MPI_Info info, copy;
    int keys = -1, length = -1, flag = 7;
    char key[MPI_MAX_INFO_KEY] = "", value[64] = "";
    TRY(MPI_Info_create(&info));
    TRY(MPI_Info_set(info, "beat", "four"));
    TRY(MPI_Info_set(info, "tempo", "andante"));
    TRY(MPI_Info_dup(info, &copy));
    TRY(MPI_Info_delete(info, "beat"));
    TRY(MPI_Info_delete(info, "beat"));
    TRY(MPI_Info_get_nkeys(copy, &keys));
    for (int i = 0; i < keys; i++) {
        TRY(MPI_Info_get_nthkey(copy, i, key));
        TRY(MPI_Info_get_valuelen(copy, key, &length, &flag));
        TRY(MPI_Info_get(copy, key, 63, value, &flag));
        say("%s: %s (%d, %d)", key, value, length, flag);
    }
    TRY(MPI_Info_get(info, "beat", 63, value, &flag));
    say("flag %d", flag);
#if MPI_VERSION >= 4
    length = 64;
    TRY(MPI_Info_get_string(copy, "tempo", &length, value, &flag));
    say("%s (%d, %d)", value, length, flag);
#endif
    TRY(MPI_Info_free(&copy));
    TRY(MPI_Info_free(&info));
    say("null %d", info == MPI_INFO_NULL);
    TRY(MPI_Info_get_nkeys(MPI_INFO_ENV, &keys));
}

static void memory(void) {
    int* base = NULL;
    TRY(MPI_Alloc_mem(1000 * sizeof(int), MPI_INFO_NULL, &base));
    for (int i = 0; i < 1000; i++) base[i] = i;
    say_bytes("memory", base, 1000 * sizeof(int));
    TRY(MPI_Free_mem(base));
}

/* The size from which malloc takes pieces from mmap changes when larger pieces are freed. With it changes where the
 * application's buffers are, and how fast they are sent. The first pieces may fit into free space. */
static void heap(void) {
    enum { sizes = 7, several = 16 };
    static void* pieces[sizes][several];
    for (int i = 0; i < sizes; i++) {
        const size_t size = (size_t)65536 << i, before = mallinfo2().hblks;
        for (int j = 0; j < several; j++) pieces[i][j] = malloc(size);
        say("pieces of %zu bytes are mapped: %d", size, mallinfo2().hblks > before);
    }
    for (int i = 0; i < sizes; i++)
        for (int j = 0; j < several; j++) free(pieces[i][j]);
}

static void own_statuses(void) {
    MPI_Status status, back;
    MPI_Fint fortran[16];
    memset(&status, 0, sizeof status);
    status.MPI_SOURCE = 3;
    status.MPI_TAG = 4;
    TRY(MPI_Status_set_elements(&status, MPI_INT, 5));
    TRY(MPI_Status_set_cancelled(&status, 0));
    say_status("own", &status, MPI_INT);
    TRY(MPI_Status_set_elements_x(&status, MPI_DOUBLE, 6));
    say_status("own, in doubles", &status, MPI_DOUBLE);
    TRY(MPI_Status_set_cancelled(&status, 1));
    TRY(MPI_Status_c2f(&status, fortran));
    memset(&back, 0, sizeof back);
    TRY(MPI_Status_f2c(fortran, &back));
    say_status("there and back", &back, MPI_DOUBLE);
}

static void to_fortran_and_back(void) {
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Group group;
    MPI_Request request;
    MPI_Info info;
    MPI_Op op = MPI_SUM;
    MPI_Errhandler handler = MPI_ERRORS_RETURN;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Win win = MPI_WIN_NULL;
    int value = 4, got = -1;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Comm_group(comm, &group);
    MPI_Info_create(&info);
    MPI_Irecv(&got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
    say("the same: %d %d %d %d %d %d %d %d %d", MPI_Comm_f2c(MPI_Comm_c2f(comm)) == comm,
        MPI_Type_f2c(MPI_Type_c2f(type)) == type, MPI_Group_f2c(MPI_Group_c2f(group)) == group,
        MPI_Request_f2c(MPI_Request_c2f(request)) == request, MPI_Info_f2c(MPI_Info_c2f(info)) == info,
        MPI_Op_f2c(MPI_Op_c2f(op)) == op, MPI_Errhandler_f2c(MPI_Errhandler_c2f(handler)) == handler,
        MPI_Message_f2c(MPI_Message_c2f(message)) == message, MPI_Win_f2c(MPI_Win_c2f(win)) == win);
    request = MPI_Request_f2c(MPI_Request_c2f(request));
    TRY(MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    say("got %d", got);
    MPI_Comm_free(&comm);
    MPI_Type_free(&type);
    MPI_Group_free(&group);
    MPI_Info_free(&info);
}

static void tools_interface(void) {
    int provided = -1, number = -1, index = -1;
    char name[256] = "";
    MPI_T_pvar_session session;
    say("MPI_T_init_thread: %d", MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    say("cvars: %d", MPI_T_cvar_get_num(&number));
    say("there are %d", number);
    for (int i = 0; i < number && i < 5; i++) {
        int length = sizeof name, verbosity, bind, scope;
        MPI_Datatype type;
        MPI_T_enum values;
        say("info: %d", MPI_T_cvar_get_info(i, name, &length, &verbosity, &type, &values, NULL, NULL, &bind, &scope));
        say("%s", name);
        say("index: %d", MPI_T_cvar_get_index(name, &index));
        say("index %d", index);
    }
    say("pvars: %d", MPI_T_pvar_get_num(&number));
    say("there are %d", number);
    say("categories: %d", MPI_T_category_get_num(&number));
    say("there are %d", number);
    say("session: %d", MPI_T_pvar_session_create(&session));
    say("session: %d", MPI_T_pvar_session_free(&session));
    say("MPI_T_finalize: %d", MPI_T_finalize());
}

static int delete_old(MPI_Comm comm, int key, void* value, void* extra) {
    (void)comm, (void)key, (void)extra;
    say("delete: %d", *(int*)value);
    return MPI_SUCCESS;
}

static void deprecated(void) {
    static int value = 8;
    int key = -1, *got, flag = 7;
    MPI_Comm comm, copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    TRY(MPI_Keyval_create(MPI_DUP_FN, delete_old, &key, NULL));
    TRY(MPI_Attr_put(comm, key, &value));
    TRY(MPI_Attr_get(comm, key, &got, &flag));
    say("flag %d value %d", flag, *got);
    MPI_Comm_dup(comm, &copy);
    TRY(MPI_Attr_delete(copy, key));
    TRY(MPI_Attr_get(copy, key, &got, &flag));
    say("flag %d", flag);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
    TRY(MPI_Keyval_free(&key));
#ifdef MPICH_VERSION /* Open MPI 4 does not have them any more */
    MPI_Datatype type;
    MPI_Aint place, extent;
    MPI_Errhandler handler;
    TRY(MPI_Address(&value, &place));
    TRY(MPI_Type_hvector(2, 1, 12, MPI_INT, &type));
    TRY(MPI_Type_extent(type, &extent));
    say("extent %d", (int)extent);
    MPI_Type_free(&type);
    TRY(MPI_Errhandler_get(MPI_COMM_WORLD, &handler));
    TRY(MPI_Errhandler_set(MPI_COMM_WORLD, handler));
    MPI_Errhandler_free(&handler);
#endif
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    clocks_and_names();
    infos();
    memory();
    heap();
    own_statuses();
    to_fortran_and_back();
    tools_interface();
    deprecated();
    say_out();
    MPI_Finalize();
    return 0;
}
