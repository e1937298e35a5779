/* User-defined reductions that commute or not, work on derived types, or call MPI themselves, in every collective that
 * reduces; Op_free before the operation is used for the last time. Any number of ranks. */
#include "say.h"

enum { items = 5 };

/* An affine map x -> a x + b modulo a prime. Composition of such maps is associative and does not commute. */
struct Map {
    int a, b;
};

enum { prime = 10007 };

static int me, size, calls;
static MPI_Datatype map_type;

static void compose(void* in, void* inout, int* count, MPI_Datatype* type) {
    (void)type;
    calls++;
    struct Map *left = in, *right = inout;
    for (int i = 0; i < *count; i++) {
        const struct Map l = left[i], r = right[i];
        right[i] = (struct Map){l.a * r.a % prime, (r.a * l.b + r.b) % prime};
    }
}

/* The same, but it also asks MPI about the type that it was given and about itself. */
static void compose_asking(void* in, void* inout, int* count, MPI_Datatype* type) {
    MPI_Aint lower = -1, extent = -1;
    int bytes = -1, rank = -1, integers = 0, addresses, types, combiner;
    MPI_Type_get_extent(*type, &lower, &extent);
    MPI_Type_size(*type, &bytes);
    MPI_Type_get_envelope(*type, &integers, &addresses, &types, &combiner);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(lower == 0 && extent == sizeof(struct Map) && bytes == (int)sizeof(struct Map) && rank == me);
    CHECK(combiner != MPI_COMBINER_NAMED && *type == map_type);
    compose(in, inout, count, type);
}

/* The same, but it also sends itself a message. */
static void compose_sending(void* in, void* inout, int* count, MPI_Datatype* type) {
    int sent = *count, received = -1;
    MPI_Sendrecv(&sent, 1, MPI_INT, 0, 3, &received, 1, MPI_INT, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    CHECK(received == sent);
    compose(in, inout, count, type);
}

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
    (void)type;
    calls++;
    for (int i = 0; i < *count; i++) ((int*)inout)[i] += ((int*)in)[i];
}

static void fill(struct Map* maps, int count) {
    for (int i = 0; i < count; i++) maps[i] = (struct Map){(me * 7 + i * 3 + 2) % prime, (me * 5 + i * 11 + 1) % prime};
}

static void blocking(const char* name, MPI_Op op) {
    enum { most = 64 };
    struct Map mine[most], result[most];
    int counts[most];
    CHECK(size <= most);
    for (int rank = 0; rank < size; rank++) counts[rank] = 1;
    fill(mine, most);
    memset(result, 0, sizeof result);
    say("--- %s", name);
    TRY(MPI_Reduce(mine, result, items, map_type, op, 0, MPI_COMM_WORLD));
    say_bytes("reduce", result, sizeof result);
    TRY(MPI_Reduce(mine, result, items, map_type, op, size - 1, MPI_COMM_WORLD));
    say_bytes("reduce to the last", result, sizeof result);
    TRY(MPI_Allreduce(mine, result, items, map_type, op, MPI_COMM_WORLD));
    say_bytes("allreduce", result, sizeof result);
    TRY(MPI_Allreduce(MPI_IN_PLACE, result, items, map_type, op, MPI_COMM_WORLD));
    say_bytes("allreduce in place", result, sizeof result);
    TRY(MPI_Scan(mine, result, items, map_type, op, MPI_COMM_WORLD));
    say_bytes("scan", result, sizeof result);
    memset(result, 0, sizeof result);
    TRY(MPI_Exscan(mine, result, items, map_type, op, MPI_COMM_WORLD));
    if (me > 0) say_bytes("exscan", result, sizeof result);
    memset(result, 0, sizeof result);
    TRY(MPI_Reduce_scatter(mine, result, counts, map_type, op, MPI_COMM_WORLD));
    say_bytes("reduce_scatter", result, sizeof result);
    TRY(MPI_Reduce_scatter_block(mine, result, 1, map_type, op, MPI_COMM_WORLD));
    say_bytes("reduce_scatter_block", result, sizeof result);
    TRY(MPI_Reduce_local(mine, result, items, map_type, op));
    say_bytes("reduce_local", result, sizeof result);
}

/* The operation is freed while the reductions are under way. */
static void freed_in_between(MPI_User_function* function) {
    struct Map mine[items], results[3][items];
    MPI_Request requests[3];
    MPI_Op op;
    memset(results, 0, sizeof results);
    fill(mine, items);
    MPI_Op_create(function, 0, &op);
    TRY(MPI_Iallreduce(mine, results[0], items, map_type, op, MPI_COMM_WORLD, &requests[0]));
    TRY(MPI_Ireduce(mine, results[1], items, map_type, op, 0, MPI_COMM_WORLD, &requests[1]));
    TRY(MPI_Iscan(mine, results[2], items, map_type, op, MPI_COMM_WORLD, &requests[2]));
    TRY(MPI_Op_free(&op));
    say("freed: null %d", op == MPI_OP_NULL);
    TRY(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
    say_bytes("allreduce", results[0], sizeof results[0]);
    if (me == 0) say_bytes("reduce", results[1], sizeof results[1]);
    say_bytes("scan", results[2], sizeof results[2]);
}

static void commutative(void) {
    int values[items], sums[items], flag;
    MPI_Op op;
    for (int i = 0; i < items; i++) values[i] = me + i;
    TRY(MPI_Op_create(add, 1, &op));
    TRY(MPI_Op_commutative(op, &flag));
    say("commutative %d", flag);
    TRY(MPI_Op_commutative(MPI_SUM, &flag));
    say("commutative %d", flag);
    TRY(MPI_Allreduce(values, sums, items, MPI_INT, op, MPI_COMM_WORLD));
    say_ints("sums", sums, items);
    TRY(MPI_Reduce_local(values, sums, items, MPI_INT, op));
    say_ints("sums", sums, items);
    TRY(MPI_Reduce_local(values, sums, items, MPI_INT, MPI_MAX));
    say_ints("largest", sums, items);
    int many[2000], all[2000];
    for (int i = 0; i < 2000; i++) many[i] = me * i;
    TRY(MPI_Allreduce(many, all, 2000, MPI_INT, op, MPI_COMM_WORLD));
    say_bytes("many sums", all, sizeof all);
    TRY(MPI_Op_free(&op));
    TRY(MPI_Op_free(&op));
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    me = said_rank;
    size = size_of(MPI_COMM_WORLD);
    MPI_Type_contiguous(2, MPI_INT, &map_type);
    MPI_Type_commit(&map_type);
    MPI_User_function* const functions[] = {compose, compose_asking, compose_sending};
    const char* const names[] = {"compose", "compose, asking", "compose, sending"};
    for (int i = 0; i < 3; i++) {
        MPI_Op op;
        TRY(MPI_Op_create(functions[i], 0, &op));
        blocking(names[i], op);
        TRY(MPI_Op_free(&op));
        freed_in_between(functions[i]);
    }
    commutative();
    say("the functions were called: %d", calls > 0);
    MPI_Type_free(&map_type);
    say_out();
    MPI_Finalize();
    return 0;
}
