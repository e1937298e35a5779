/* MPI-IO: every family of reading and writing, views of derived types, pointers, sizes, atomicity and errors. Files are
 * made in the current folder, which differs for each run. Any number of ranks. */
#include "say.h"

enum { ints = 8, bytes = ints * sizeof(int) };

static int me, size;
static int out[ints], in[ints];
static MPI_File file;

static void fresh(int add) {
    for (int i = 0; i < ints; i++) {
        out[i] = me * 1000 + add + i;
        in[i] = -1;
    }
}

static void wrote(const char* what, int code, const MPI_Status* status) {
    int count = -1;
    say_code(what, code);
    MPI_Get_count(status, MPI_INT, &count);
    say("%s: %d ints", what, count);
}

static void read_back(const char* what, int code, const MPI_Status* status) {
    wrote(what, code, status);
    say_ints(what, in, ints);
    fresh(0);
}

static void explicit_offsets(void) {
    MPI_Status status = untouched_status();
    MPI_Request request;
    const MPI_Offset mine = (MPI_Offset)me * bytes;
    fresh(1);
    wrote("write_at", MPI_File_write_at(file, mine, out, ints, MPI_INT, &status), &status);
    read_back("read_at", MPI_File_read_at(file, mine, in, ints, MPI_INT, &status), &status);
    fresh(2);
    wrote("write_at_all", MPI_File_write_at_all(file, mine, out, ints, MPI_INT, &status), &status);
    read_back("read_at_all", MPI_File_read_at_all(file, mine, in, ints, MPI_INT, &status), &status);
    fresh(3);
    TRY(MPI_File_iwrite_at(file, mine, out, ints, MPI_INT, &request));
    wrote("iwrite_at", MPI_Wait(&request, &status), &status);
    TRY(MPI_File_iread_at(file, mine, in, ints, MPI_INT, &request));
    read_back("iread_at", MPI_Wait(&request, &status), &status);
    fresh(4);
    TRY(MPI_File_iwrite_at_all(file, mine, out, ints, MPI_INT, &request));
    wrote("iwrite_at_all", MPI_Wait(&request, &status), &status);
    TRY(MPI_File_iread_at_all(file, mine, in, ints, MPI_INT, &request));
    read_back("iread_at_all", MPI_Wait(&request, &status), &status);
    fresh(5);
    TRY(MPI_File_write_at_all_begin(file, mine, out, ints, MPI_INT));
    wrote("write_at_all_end", MPI_File_write_at_all_end(file, out, &status), &status);
    TRY(MPI_File_read_at_all_begin(file, mine, in, ints, MPI_INT));
    read_back("read_at_all_end", MPI_File_read_at_all_end(file, in, &status), &status);
}

static void to_mine(void) { TRY(MPI_File_seek(file, (MPI_Offset)me * bytes, MPI_SEEK_SET)); }

static void individual_pointers(void) {
    MPI_Status status = untouched_status();
    MPI_Request request;
    MPI_Offset place = -1, displacement = -1;
    fresh(11);
    to_mine();
    wrote("write", MPI_File_write(file, out, ints, MPI_INT, &status), &status);
    TRY(MPI_File_get_position(file, &place));
    TRY(MPI_File_get_byte_offset(file, place, &displacement));
    say("at %lld, byte %lld", (long long)place, (long long)displacement);
    to_mine();
    read_back("read", MPI_File_read(file, in, ints, MPI_INT, &status), &status);
    fresh(12);
    to_mine();
    wrote("write_all", MPI_File_write_all(file, out, ints, MPI_INT, &status), &status);
    TRY(MPI_File_seek(file, -bytes, MPI_SEEK_CUR)); /* for the call; Open MPI 4.1 is elsewhere then */
    to_mine();
    read_back("read_all", MPI_File_read_all(file, in, ints, MPI_INT, &status), &status);
    fresh(13);
    to_mine();
    TRY(MPI_File_iwrite(file, out, ints, MPI_INT, &request));
    wrote("iwrite", MPI_Wait(&request, &status), &status);
    to_mine();
    TRY(MPI_File_iread(file, in, ints, MPI_INT, &request));
    read_back("iread", MPI_Wait(&request, &status), &status);
    fresh(14);
    to_mine();
    TRY(MPI_File_iwrite_all(file, out, ints, MPI_INT, &request));
    wrote("iwrite_all", MPI_Wait(&request, &status), &status);
    to_mine();
    TRY(MPI_File_iread_all(file, in, ints, MPI_INT, &request));
    read_back("iread_all", MPI_Wait(&request, &status), &status);
    to_mine();
    TRY(MPI_File_write_all_begin(file, out, ints, MPI_INT));
    wrote("write_all_end", MPI_File_write_all_end(file, out, &status), &status);
    to_mine();
    TRY(MPI_File_read_all_begin(file, in, ints, MPI_INT));
    read_back("read_all_end", MPI_File_read_all_end(file, in, &status), &status);
}

/* Which rank is first with a shared pointer is chance. So all write the same, and only rank 0 uses the unordered
 * functions. */
static void shared_pointer(void) {
    MPI_Status status = untouched_status();
    MPI_Request request;
    MPI_Offset place = -1;
    TRY(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    fresh(21);
    wrote("write_ordered", MPI_File_write_ordered(file, out, ints, MPI_INT, &status), &status);
    TRY(MPI_File_get_position_shared(file, &place));
    say("shared pointer at %lld", (long long)place);
    MPI_Barrier(MPI_COMM_WORLD);
    TRY(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    read_back("read_ordered", MPI_File_read_ordered(file, in, ints, MPI_INT, &status), &status);
    TRY(MPI_File_write_ordered_begin(file, out, ints, MPI_INT));
    wrote("write_ordered_end", MPI_File_write_ordered_end(file, out, &status), &status);
    MPI_Barrier(MPI_COMM_WORLD);
    TRY(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    TRY(MPI_File_read_ordered_begin(file, in, ints, MPI_INT));
    read_back("read_ordered_end", MPI_File_read_ordered_end(file, in, &status), &status);
    TRY(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    if (me == 0) {
        wrote("write_shared", MPI_File_write_shared(file, out, ints, MPI_INT, &status), &status);
        TRY(MPI_File_iwrite_shared(file, out, ints, MPI_INT, &request));
        wrote("iwrite_shared", MPI_Wait(&request, &status), &status);
    }
    TRY(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    if (me == 0) {
        read_back("read_shared", MPI_File_read_shared(file, in, ints, MPI_INT, &status), &status);
        TRY(MPI_File_iread_shared(file, in, ints, MPI_INT, &request));
        read_back("iread_shared", MPI_Wait(&request, &status), &status);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Every rank sees every size-th pair of ints. */
static void views(void) {
    MPI_Status status = untouched_status();
    MPI_Datatype pairs, etype, filetype;
    MPI_Offset displacement = -1;
    char representation[MPI_MAX_DATAREP_STRING] = "";
    MPI_Aint extent = -1;
    MPI_Type_create_resized(MPI_2INT, 0, (MPI_Aint)size * 8, &pairs);
    MPI_Type_commit(&pairs);
    TRY(MPI_File_set_view(file, me * 8, MPI_INT, pairs, "native", MPI_INFO_NULL));
    TRY(MPI_File_get_view(file, &displacement, &etype, &filetype, representation));
    say("view: at %lld, %s, etype is int %d", (long long)displacement, representation, etype == MPI_INT);
    if (filetype != pairs) MPI_Type_free(&filetype);
    fresh(31);
    wrote("write_at_all, view", MPI_File_write_at_all(file, 0, out, ints, MPI_INT, &status), &status);
    read_back("read_at_all, view", MPI_File_read_at_all(file, 0, in, ints, MPI_INT, &status), &status);
    TRY(MPI_File_get_type_extent(file, MPI_INT, &extent));
    say("extent %d", (int)extent);
    TRY(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    read_back("read_at, no view", MPI_File_read_at(file, 0, in, ints, MPI_INT, &status), &status);
    MPI_Type_free(&pairs);
}

static void properties(void) {
    MPI_Offset length = -1;
    MPI_Group group;
    MPI_Info info;
    int mode = 0, members = -1;
    MPI_Status status = untouched_status();
    TRY(MPI_File_sync(file));
    TRY(MPI_File_set_size(file, 4096));
    TRY(MPI_File_preallocate(file, 8192));
    TRY(MPI_File_get_size(file, &length));
    TRY(MPI_File_get_amode(file, &mode));
    TRY(MPI_File_get_group(file, &group));
    MPI_Group_size(group, &members);
    MPI_Group_free(&group);
    TRY(MPI_File_get_info(file, &info));
    TRY(MPI_File_set_info(file, info));
    MPI_Info_free(&info);
    say("%lld bytes, mode %d, members %d", (long long)length, mode, members);
    read_back("behind the end", MPI_File_read_at(file, 1 << 20, in, ints, MPI_INT, &status), &status);
}

/* On a file of one rank, because Open MPI sometimes rejects it on a common file. */
static void atomic(void) {
    MPI_File own;
    char name[16];
    int flag = 7;
    snprintf(name, sizeof name, "own.%d", me);
    TRY(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &own));
    TRY(MPI_File_set_atomicity(own, 1));
    TRY(MPI_File_get_atomicity(own, &flag));
    say("atomic %d", flag);
    TRY(MPI_File_close(&own));
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    me = said_rank;
    size = size_of(MPI_COMM_WORLD);
    const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
    TRY(MPI_File_open(MPI_COMM_WORLD, "common", mode, MPI_INFO_NULL, &file));
    TRY(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    explicit_offsets();
    individual_pointers();
    shared_pointer();
    views();
    properties();
    atomic();
    TRY(MPI_File_close(&file));
    say("null %d", file == MPI_FILE_NULL);
    TRY(MPI_File_open(MPI_COMM_SELF, "missing", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) TRY(MPI_File_delete("common", MPI_INFO_NULL));
    MPI_Barrier(MPI_COMM_WORLD);
    TRY(MPI_File_delete("common", MPI_INFO_NULL));
    say_out();
    MPI_Finalize();
    return 0;
}
