/* Attributes on communicators, types and windows: callbacks that call MPI, copies that are refused, errors from delete
 * callbacks, and callbacks on MPI_COMM_SELF that communicate inside of MPI_Finalize. Any number of ranks. */
#include "say.h"

static int me, size;

static int copy_comm(MPI_Comm old, int key, void* extra, void* value, void* copied, int* flag) {
    int rank = -1, result = -1;
    (void)key;
    MPI_Comm_rank(old, &rank);
    MPI_Comm_compare(old, MPI_COMM_WORLD, &result);
    say("copy on a communicator: rank %d congruent %d extra %s value %d", rank, result == MPI_CONGRUENT, (char*)extra,
        *(int*)value);
    *(void**)copied = value;
    *flag = *(int*)value != 13; /* 13 is not copied */
    return *(int*)value == 14 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int delete_comm(MPI_Comm comm, int key, void* value, void* extra) {
    int members = -1, sent = 9, received = -1;
    (void)key;
    MPI_Comm_size(comm, &members);
    MPI_Sendrecv(&sent, 1, MPI_INT, 0, 1, &received, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    say("delete on a communicator: size %d received %d extra %s value %d", members, received, (char*)extra,
        *(int*)value);
    return *(int*)value == 15 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int copy_type(MPI_Datatype old, int key, void* extra, void* value, void* copied, int* flag) {
    int bytes = -1;
    (void)key, (void)extra;
    MPI_Type_size(old, &bytes);
    say("copy on a type: %d bytes value %d", bytes, *(int*)value);
    *(void**)copied = value;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_type(MPI_Datatype type, int key, void* value, void* extra) {
    MPI_Aint lower = -1, extent = -1;
    (void)key, (void)extra;
    MPI_Type_get_extent(type, &lower, &extent);
    say("delete on a type: extent %d value %d", (int)extent, *(int*)value);
    return MPI_SUCCESS;
}

static int delete_win(MPI_Win win, int key, void* value, void* extra) {
    MPI_Group group;
    int members = -1;
    (void)key, (void)extra;
    MPI_Win_get_group(win, &group);
    MPI_Group_size(group, &members);
    MPI_Group_free(&group);
    say("delete on a window: size %d value %d", members, *(int*)value);
    return MPI_SUCCESS;
}

static void say_attribute(const char* what, MPI_Comm comm, int key) {
    int *value = NULL, flag = 7;
    say_code(what, MPI_Comm_get_attr(comm, key, &value, &flag));
    say("%s: flag %d value %d", what, flag, flag ? *value : -1);
}

static void on_communicators(void) {
    static int values[] = {11, 12, 13, 14, 15};
    int keys[3], wrong = MPI_KEYVAL_INVALID;
    MPI_Comm comm, copy, other;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    TRY(MPI_Comm_create_keyval(copy_comm, delete_comm, &keys[0], "first"));
    TRY(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, delete_comm, &keys[1], "second"));
    TRY(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keys[2], NULL));
    for (int i = 0; i < 3; i++) TRY(MPI_Comm_set_attr(comm, keys[i], &values[i]));
    for (int i = 0; i < 3; i++) say_attribute("set", comm, keys[i]);
    TRY(MPI_Comm_set_attr(comm, keys[0], &values[1])); /* deletes the old value */
    TRY(MPI_Comm_dup(comm, &copy));
    for (int i = 0; i < 3; i++) say_attribute("copied", copy, keys[i]);
    TRY(MPI_Comm_delete_attr(copy, keys[0]));
    say_attribute("deleted", copy, keys[0]);
    TRY(MPI_Comm_free(&copy));
    TRY(MPI_Comm_set_attr(comm, keys[0], &values[2])); /* is not copied */
    TRY(MPI_Comm_idup(comm, &other, &request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    say_attribute("not handed on", other, keys[0]);
    TRY(MPI_Comm_free(&other));
    TRY(MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &other));
    TRY(MPI_Comm_free(&other));
    TRY(MPI_Comm_split(comm, 0, me, &other));
    say_attribute("after a split", other, keys[1]);
    TRY(MPI_Comm_free(&other));
    TRY(MPI_Comm_free_keyval(&keys[1]));
    say("freed key is invalid: %d", keys[1] == MPI_KEYVAL_INVALID);
    TRY(MPI_Comm_get_attr(comm, wrong, &values, &wrong));
    TRY(MPI_Comm_free(&comm));
    TRY(MPI_Comm_free_keyval(&keys[0]));
    TRY(MPI_Comm_free_keyval(&keys[2]));
}

/* An error from a callback stops the operation. The application sees the error and continues. */
static void refused(void) {
    static int no_copy = 14, no_delete = 15, fine = 16;
    int key;
    MPI_Comm comm, copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    TRY(MPI_Comm_create_keyval(copy_comm, delete_comm, &key, "refused"));
    TRY(MPI_Comm_set_attr(comm, key, &no_copy));
    TRY(MPI_Comm_dup(comm, &copy));
    say("copy is null: %d", copy == MPI_COMM_NULL);
    TRY(MPI_Comm_set_attr(comm, key, &no_delete));
    TRY(MPI_Comm_delete_attr(comm, key));
    say_attribute("delete refused", comm, key);
    TRY(MPI_Comm_set_attr(comm, key, &fine));
    say_attribute("set over it", comm, key);
    no_delete = fine;
    TRY(MPI_Comm_free(&comm));
    say("null: %d", comm == MPI_COMM_NULL);
    TRY(MPI_Comm_free_keyval(&key));
}

static void on_types(void) {
    static int value = 21;
    int key, flag, *got;
    MPI_Datatype type, copy;
    MPI_Type_vector(2, 1, 3, MPI_INT, &type);
    TRY(MPI_Type_create_keyval(copy_type, delete_type, &key, NULL));
    TRY(MPI_Type_set_attr(type, key, &value));
    TRY(MPI_Type_dup(type, &copy));
    TRY(MPI_Type_get_attr(copy, key, &got, &flag));
    say("type: flag %d value %d", flag, *got);
    TRY(MPI_Type_delete_attr(copy, key));
    TRY(MPI_Type_free(&copy));
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_free_keyval(&key));
}

static void on_windows(void) {
    static int value = 31;
    int key, flag, *got, *base;
    MPI_Win win;
    MPI_Win_allocate(sizeof(int) * 4, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    TRY(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_win, &key, NULL));
    TRY(MPI_Win_set_attr(win, key, &value));
    TRY(MPI_Win_get_attr(win, key, &got, &flag));
    say("window: flag %d value %d", flag, *got);
    void* found;
    MPI_Win_get_attr(win, MPI_WIN_BASE, &found, &flag);
    say("window base: flag %d same %d", flag, found == base);
    const int asked[] = {MPI_WIN_DISP_UNIT, MPI_WIN_CREATE_FLAVOR, MPI_WIN_MODEL};
    for (int i = 0; i < 3; i++) {
        MPI_Win_get_attr(win, asked[i], &got, &flag);
        say("window attribute %d: flag %d value %d", i, flag, flag ? *got : -1);
    }
    MPI_Aint* bytes;
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag);
    say("window size: flag %d value %d", flag, (int)*bytes);
    TRY(MPI_Win_free(&win));
    TRY(MPI_Win_free_keyval(&key));
}

static void predefined(void) {
    const int keys[] = {MPI_TAG_UB,        MPI_HOST,   MPI_IO,          MPI_WTIME_IS_GLOBAL,
                        MPI_UNIVERSE_SIZE, MPI_APPNUM, MPI_LASTUSEDCODE};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) say_attribute("predefined", MPI_COMM_WORLD, keys[i]);
    static int value = 1;
    TRY(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value));
    TRY(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_TAG_UB));
}

/* The last thing that a program can do with MPI: a message around the ring from inside of MPI_Finalize. */
static int at_finalize(MPI_Comm comm, int key, void* value, void* extra) {
    int sent = me * 10 + *(int*)value, received = -1, flag = 7, sum = 0;
    (void)comm, (void)key, (void)extra;
    MPI_Sendrecv(&sent, 1, MPI_INT, (me + 1) % size, 5, &received, 1, MPI_INT, (me + size - 1) % size, 5,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&sent, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalized(&flag);
    say("at finalize: value %d received %d sum %d finalized %d", *(int*)value, received, sum, flag);
    if (*(int*)value == 1) say_out(); /* this callback is called last */
    return MPI_SUCCESS;
}

int main(int argc, char** argv) {
    static int numbers[] = {1, 2, 3};
    int key, again;
    MPI_Init(&argc, &argv);
    say_begin();
    me = said_rank;
    size = size_of(MPI_COMM_WORLD);
    TRY(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, NULL));
    TRY(MPI_Comm_set_attr(MPI_COMM_SELF, key, &numbers[0]));
    on_communicators();
    refused();
    on_types();
    on_windows();
    predefined();
    TRY(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &again, NULL));
    TRY(MPI_Comm_set_attr(MPI_COMM_SELF, again, &numbers[1]));
    TRY(MPI_Comm_free_keyval(&again));
    TRY(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &again, NULL));
    TRY(MPI_Comm_set_attr(MPI_COMM_SELF, again, &numbers[2]));
    say_code("finalize", MPI_Finalize());
    return 0;
}
