/* One-sided communication: every kind of window, every synchronization, and every operation with its request form.
 * Window attributes are in attributes.c, their error handlers in error_handlers.c. Any number of ranks. */
#include "say.h"

enum { slots = 16 };

static int me, size, right, left;

/* Open MPI's initial name of a window has the number of its communicator, which is different beside other windows. */
static void say_window(const char* what, MPI_Win win) {
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = -1, *kind, *model, flag, flag2, members = -1;
    MPI_Group group;
    MPI_Win_get_name(win, name, &length);
    for (char* digit = name; *digit; digit++)
        if (*digit >= '0' && *digit <= '9') *digit = '#';
    MPI_Win_get_group(win, &group);
    MPI_Group_size(group, &members);
    MPI_Group_free(&group);
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &kind, &flag);
    MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag2);
    say("%s: name \"%s\" kind %d model %d members %d", what, name, flag ? *kind : -1, flag2 ? *model : -1, members);
}

static void reset(int* memory, MPI_Win win) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, win);
    for (int i = 0; i < slots; i++) memory[i] = me * 100 + i;
    MPI_Win_unlock(me, win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void say_memory(const char* what, int* memory, MPI_Win win) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
    say_ints(what, memory, slots);
    MPI_Win_unlock(me, win);
    reset(memory, win);
}

static void fences(int* memory, MPI_Win win) {
    int values[4] = {me, me + 1, me + 2, me + 3}, got[4] = {-1, -1, -1, -1};
    TRY(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    TRY(MPI_Put(values, 2, MPI_INT, right, 0, 2, MPI_INT, win));
    TRY(MPI_Accumulate(values, 4, MPI_INT, right, 4, 4, MPI_INT, MPI_SUM, win));
    TRY(MPI_Put(values, 4, MPI_INT, MPI_PROC_NULL, 0, 4, MPI_INT, win));
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Get(got, 4, MPI_INT, left, 4, 4, MPI_INT, win));
    TRY(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    say_ints("got", got, 4);
    say_memory("fence", memory, win);
}

static void exposures(int* memory, MPI_Win win) {
    MPI_Group world, from, to;
    int value = me + 50, flag = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &left, &from);
    MPI_Group_incl(world, 1, &right, &to);
    for (int round = 0; round < 3; round++) {
        TRY(MPI_Win_post(from, 0, win));
        TRY(MPI_Win_start(to, 0, win));
        TRY(MPI_Put(&value, 1, MPI_INT, right, round, 1, MPI_INT, win));
        TRY(MPI_Win_complete(win));
        if (round % 2)
            for (flag = 0; !flag;) MPI_Win_test(win, &flag);
        else
            TRY(MPI_Win_wait(win));
    }
    MPI_Group_free(&world);
    MPI_Group_free(&from);
    MPI_Group_free(&to);
    say_memory("post", memory, win);
}

static void locks(int* memory, MPI_Win win) {
    int value = me + 70, got = -1, compare, result = -1;
    TRY(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win));
    TRY(MPI_Put(&value, 1, MPI_INT, right, 3, 1, MPI_INT, win));
    TRY(MPI_Win_flush(right, win));
    TRY(MPI_Get(&got, 1, MPI_INT, right, 3, 1, MPI_INT, win));
    TRY(MPI_Win_flush_local(right, win));
    say("got %d", got);
    TRY(MPI_Win_unlock(right, win));
    say_memory("lock", memory, win);
    TRY(MPI_Win_lock_all(0, win));
    TRY(MPI_Fetch_and_op(&value, &result, MPI_INT, right, 5, MPI_SUM, win));
    TRY(MPI_Win_flush(right, win));
    say("fetched %d", result);
    TRY(MPI_Fetch_and_op(NULL, &result, MPI_INT, right, 5, MPI_NO_OP, win));
    TRY(MPI_Win_flush_all(win));
    say("fetched %d", result);
    compare = right * 100 + 6;
    TRY(MPI_Compare_and_swap(&value, &compare, &result, MPI_INT, right, 6, win));
    TRY(MPI_Win_flush_local_all(win));
    TRY(MPI_Win_flush_all(win));
    say("swapped %d", result);
    int add[3] = {1, 2, 3}, old[3] = {-1, -1, -1};
    TRY(MPI_Get_accumulate(add, 3, MPI_INT, old, 3, MPI_INT, right, 8, 3, MPI_INT, MPI_REPLACE, win));
    TRY(MPI_Win_sync(win));
    TRY(MPI_Win_unlock_all(win));
    say_ints("old", old, 3);
    say_memory("lock_all", memory, win);
}

static void request_forms(int* memory, MPI_Win win) {
    int value[2] = {me, me + 9}, got[2] = {-1, -1}, old[2] = {-1, -1};
    MPI_Request requests[4];
    MPI_Status statuses[4];
    for (int i = 0; i < 4; i++) statuses[i] = untouched_status();
    TRY(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    TRY(MPI_Rput(value, 2, MPI_INT, right, 0, 2, MPI_INT, win, &requests[0]));
    TRY(MPI_Raccumulate(value, 2, MPI_INT, right, 2, 2, MPI_INT, MPI_SUM, win, &requests[1]));
    TRY(MPI_Rget_accumulate(value, 2, MPI_INT, old, 2, MPI_INT, right, 4, 2, MPI_INT, MPI_SUM, win, &requests[2]));
    TRY(MPI_Rget(got, 2, MPI_INT, right, 8, 2, MPI_INT, win, &requests[3]));
    TRY(MPI_Waitall(4, requests, statuses));
    for (int i = 0; i < 4; i++) say("null %d", requests[i] == MPI_REQUEST_NULL);
    say_ints("got", got, 2);
    say_ints("old", old, 2);
    TRY(MPI_Win_unlock_all(win));
    say_memory("request forms", memory, win);
}

static void everything(const char* kind, int* memory, MPI_Win win) {
    say("--- %s", kind);
    say_window(kind, win);
    MPI_Win_set_name(win, "slots");
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    say_window(kind, win);
    reset(memory, win);
    fences(memory, win);
    exposures(memory, win);
    locks(memory, win);
    request_forms(memory, win);
    MPI_Info info;
    TRY(MPI_Win_get_info(win, &info));
    TRY(MPI_Win_set_info(win, info));
    MPI_Info_free(&info);
    TRY(MPI_Win_free(&win));
    say("null %d", win == MPI_WIN_NULL);
}

static void shared_and_dynamic(void) {
    int *mine, *others, unit = -1, value = me + 5, got = -1;
    MPI_Aint bytes = -1, places[64], place;
    MPI_Win win;
    TRY(MPI_Win_allocate_shared(slots * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win));
    TRY(MPI_Win_shared_query(win, right, &bytes, &unit, &others));
    say("shared: %d bytes, unit %d", (int)bytes, unit);
    mine[0] = me + 1;
    MPI_Win_fence(0, win);
    say("my neighbor's: %d", others[0]);
    MPI_Win_fence(0, win);
    everything("allocate_shared", mine, win);

    static int attached[slots];
    TRY(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    say_window("dynamic", win);
    TRY(MPI_Win_attach(win, attached, sizeof attached));
    MPI_Get_address(&attached[2], &place);
    MPI_Allgather(&place, 1, MPI_AINT, places, 1, MPI_AINT, MPI_COMM_WORLD);
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Put(&value, 1, MPI_INT, right, places[right], 1, MPI_INT, win));
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Get(&got, 1, MPI_INT, right, MPI_Aint_add(places[right], 0), 1, MPI_INT, win));
    TRY(MPI_Win_fence(0, win));
    say("got %d, have %d", got, attached[2]);
    TRY(MPI_Win_detach(win, attached));
    TRY(MPI_Win_free(&win));
}

int main(int argc, char** argv) {
    static int memory[slots];
    int* base;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    say_begin();
    me = said_rank;
    size = size_of(MPI_COMM_WORLD);
    right = (me + 1) % size;
    left = (me + size - 1) % size;
    TRY(MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    everything("create", memory, win);
    TRY(MPI_Win_allocate(slots * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    everything("allocate", base, win);
    shared_and_dynamic();
    say_out();
    MPI_Finalize();
    return 0;
}
