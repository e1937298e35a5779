/* Datatypes: every constructor, all queries, and what a type moves in a message, in MPI_Pack and in the external form;
 * MPI_BOTTOM with absolute addresses. Each rank talks to itself. */
#include "say.h"
#include <stddef.h>

enum { room = 96 };

static int me;

static void say_contents(MPI_Datatype type, int integers, int addresses, int types) {
    int numbers[64];
    MPI_Aint places[16];
    MPI_Datatype kinds[16];
    int shown[16];
    /* With exactly as much space as needed: with more, Open MPI 4.1 crashes. */
    TRY(MPI_Type_get_contents(type, integers, addresses, types, numbers, places, kinds));
    say_ints("integers", numbers, integers);
    for (int i = 0; i < addresses; i++) shown[i] = (int)places[i];
    say_ints("addresses", shown, addresses);
    for (int i = 0; i < types; i++) {
        int a, b, c, combiner, bytes;
        MPI_Type_size(kinds[i], &bytes);
        MPI_Type_get_envelope(kinds[i], &a, &b, &c, &combiner);
        say("made of %d bytes, named %d", bytes, combiner == MPI_COMBINER_NAMED);
        if (combiner != MPI_COMBINER_NAMED) MPI_Type_free(&kinds[i]);
    }
}

static void say_type(const char* what, MPI_Datatype type) {
    int bytes = -1, integers = -1, addresses = -1, types = -1, combiner = -1, length = -1;
    MPI_Aint lower = -1, extent = -1, true_lower = -1, true_extent = -1;
    MPI_Count count = -1, lower_x, extent_x;
    char name[MPI_MAX_OBJECT_NAME] = "";
    MPI_Type_size(type, &bytes);
    MPI_Type_size_x(type, &count);
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_get_extent_x(type, &lower_x, &extent_x);
    MPI_Type_get_true_extent(type, &true_lower, &true_extent);
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    MPI_Type_get_name(type, name, &length);
    say("%s: size %d %d lower %d %d extent %d %d true %d %d envelope %d %d %d %d name \"%s\"", what, bytes, (int)count,
        (int)lower, (int)lower_x, (int)extent, (int)extent_x, (int)true_lower, (int)true_extent, integers, addresses,
        types, combiner, name);
    if (combiner != MPI_COMBINER_NAMED) say_contents(type, integers, addresses, types);
}

/* Sends one element to this rank as the type and as bytes, and through a packed buffer. */
static void move(const char* what, MPI_Datatype type) {
    char out[room * 8], in[room * 8], packed[room * 8];
    int bytes, place = 0, needed = -1;
    MPI_Status status = untouched_status();
    for (int i = 0; i < room * 8; i++) out[i] = (char)(me + i);
    memset(in, 0, sizeof in);
    MPI_Type_size(type, &bytes);
    TRY(MPI_Sendrecv(out, 1, type, me, 1, in, 1, type, me, 1, MPI_COMM_WORLD, &status));
    say_status(what, &status, type);
    say_bytes("moved", in, sizeof in);
    memset(packed, 0, sizeof packed);
    memset(in, 0, sizeof in);
    TRY(MPI_Pack_size(1, type, MPI_COMM_WORLD, &needed));
    TRY(MPI_Pack(out, 1, type, packed, sizeof packed, &place, MPI_COMM_WORLD));
    say("room %d of %d, needed at least that: %d", place, bytes, needed >= place);
    status = untouched_status();
    TRY(MPI_Sendrecv(packed, place, MPI_PACKED, me, 2, in, 1, type, me, 2, MPI_COMM_WORLD, &status));
    say_status("packed", &status, MPI_PACKED);
    say_bytes("unpacked", in, sizeof in);
    place = 0;
    memset(in, 0, sizeof in);
    TRY(MPI_Unpack(packed, sizeof packed, &place, in, 1, type, MPI_COMM_WORLD));
    say_bytes("unpacked", in, sizeof in);
}

static void done(const char* what, int code, MPI_Datatype* type) {
    say_code(what, code);
    say_code("commit", MPI_Type_commit(type));
    say_type(what, *type);
    move(what, *type);
    say_code("free", MPI_Type_free(type));
    say("null %d", *type == MPI_DATATYPE_NULL);
}

static void constructors(void) {
    int lengths[3] = {1, 2, 1}, places[3] = {0, 3, 8}, sizes[2] = {4, 6}, parts[2] = {2, 3}, starts[2] = {1, 2};
    MPI_Aint bytes[3] = {0, 16, 40};
    MPI_Datatype members[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR}, type, inner;
    done("contiguous", MPI_Type_contiguous(5, MPI_INT, &type), &type);
    done("vector", MPI_Type_vector(3, 2, 4, MPI_INT, &type), &type);
    done("hvector", MPI_Type_create_hvector(3, 2, 20, MPI_INT, &type), &type);
    done("indexed", MPI_Type_indexed(3, lengths, places, MPI_INT, &type), &type);
    done("hindexed", MPI_Type_create_hindexed(3, lengths, bytes, MPI_INT, &type), &type);
    done("indexed_block", MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &type), &type);
    done("hindexed_block", MPI_Type_create_hindexed_block(3, 2, bytes, MPI_INT, &type), &type);
    done("struct", MPI_Type_create_struct(3, lengths, bytes, members, &type), &type);
    done("subarray", MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type), &type);
    done("resized", MPI_Type_create_resized(MPI_INT, -4, 16, &type), &type);
    done("dup", MPI_Type_dup(MPI_DOUBLE_INT, &type), &type);
    int grid[2] = {2, 2}, spread[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    int blocks[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
    done("darray", MPI_Type_create_darray(4, 1, 2, sizes, spread, blocks, grid, MPI_ORDER_FORTRAN, MPI_INT, &type),
         &type);
    MPI_Type_vector(2, 1, 2, MPI_INT, &inner);
    done("nested", MPI_Type_contiguous(2, inner, &type), &type);
    MPI_Type_free(&inner);
    /* Not moved, because MPICH 4.0 divides by zero. */
    TRY(MPI_Type_contiguous(0, MPI_INT, &type));
    say_type("empty", type);
    MPI_Type_free(&type);
}

static void predefined(void) {
    const MPI_Datatype types[] = {MPI_CHAR, MPI_INT,    MPI_LONG_LONG,  MPI_DOUBLE, MPI_LONG_DOUBLE,
                                  MPI_BYTE, MPI_PACKED, MPI_DOUBLE_INT, MPI_2INT,   MPI_C_DOUBLE_COMPLEX,
                                  MPI_AINT, MPI_COUNT,  MPI_INT64_T};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) say_type("predefined", types[i]);
    MPI_Datatype found = MPI_DATATYPE_NULL;
    TRY(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 4, &found));
    say_type("matched", found);
    TRY(MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &found));
}

/* Two variables anywhere in memory form one message. */
static void absolute(void) {
    static int first = 5, second = 6;
    static double between[3] = {1.5, 2.5, 3.5};
    int lengths[3] = {1, 3, 1}, got[2] = {0};
    double numbers[3] = {0};
    MPI_Aint places[3], back[3];
    MPI_Datatype kinds[3] = {MPI_INT, MPI_DOUBLE, MPI_INT}, from, to;
    MPI_Status status = untouched_status();
    TRY(MPI_Get_address(&first, &places[0]));
    TRY(MPI_Get_address(between, &places[1]));
    TRY(MPI_Get_address(&second, &places[2]));
    say("apart %d", MPI_Aint_diff(places[2], places[0]) == (char*)&second - (char*)&first);
    MPI_Get_address(&got[0], &back[0]);
    MPI_Get_address(numbers, &back[1]);
    MPI_Get_address(&got[1], &back[2]);
    MPI_Type_create_struct(3, lengths, places, kinds, &from);
    MPI_Type_create_struct(3, lengths, back, kinds, &to);
    MPI_Type_commit(&from);
    MPI_Type_commit(&to);
    TRY(MPI_Sendrecv(MPI_BOTTOM, 1, from, me, 3, MPI_BOTTOM, 1, to, me, 3, MPI_COMM_WORLD, &status));
    say_status("absolute", &status, to);
    say("got %d %d %.1f %.1f %.1f", got[0], got[1], numbers[0], numbers[1], numbers[2]);
    TRY(MPI_Bcast(MPI_BOTTOM, 1, from, 0, MPI_COMM_SELF));
    MPI_Type_set_name(from, "absolute");
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length;
    MPI_Type_get_name(from, name, &length);
    say("name \"%s\"", name);
    MPI_Type_free(&from);
    MPI_Type_free(&to);
}

static void external(void) {
    char packed[64] = "";
    int values[3] = {1, 2, me}, got[3] = {0};
    MPI_Aint place = 0, needed = -1;
    TRY(MPI_Pack_external_size("external32", 3, MPI_INT, &needed));
    TRY(MPI_Pack_external("external32", values, 3, MPI_INT, packed, sizeof packed, &place));
    say("needed %d used %d", (int)needed, (int)place);
    say_bytes("external", packed, 12);
    place = 0;
    TRY(MPI_Unpack_external("external32", packed, sizeof packed, &place, got, 3, MPI_INT));
    say_ints("got", got, 3);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    me = said_rank;
    constructors();
    predefined();
    absolute();
    external();
    say_out();
    MPI_Finalize();
    return 0;
}
