/* Groups: every constructor, set operation and query. Any number of ranks. */
#include "say.h"

static int size;

static void say_group(const char* what, MPI_Group group) {
    int members = -1, rank = -1, translated[64], ranks[64];
    MPI_Group world;
    char text[16];
    if (group == MPI_GROUP_NULL) {
        say("%s: null", what);
        return;
    }
    MPI_Group_size(group, &members);
    MPI_Group_rank(group, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < members; i++) ranks[i] = i;
    MPI_Group_translate_ranks(group, members, ranks, world, translated);
    say("%s: %d members, rank %s, empty %d", what, members, said_int(rank, text), group == MPI_GROUP_EMPTY);
    say_ints("world ranks", translated, members);
    MPI_Group_free(&world);
}

static void done(const char* what, int code, MPI_Group* group) {
    say_code(what, code);
    say_group(what, *group);
    say_code("free", MPI_Group_free(group));
    say("null %d", *group == MPI_GROUP_NULL);
}

static void constructors(MPI_Group world) {
    MPI_Group made = MPI_GROUP_NULL;
    int first_last[2] = {size - 1, 0}, evens[1][3] = {{0, size - 1, 2}}, back[1][3] = {{size - 1, 0, -1}}, wrong = size;
    if (size > 1) done("incl", MPI_Group_incl(world, 2, first_last, &made), &made);
    done("excl", MPI_Group_excl(world, 1, first_last, &made), &made);
    done("range_incl", MPI_Group_range_incl(world, 1, evens, &made), &made);
    done("range_incl, back", MPI_Group_range_incl(world, 1, back, &made), &made);
    done("range_excl", MPI_Group_range_excl(world, 1, evens, &made), &made);
    done("incl of nobody", MPI_Group_incl(world, 0, NULL, &made), &made);
    TRY(MPI_Group_incl(world, 1, &wrong, &made));
}

static void sets(MPI_Group world) {
    MPI_Group self, evens, made;
    int range[1][3] = {{0, size - 1, 2}}, compared = -1;
    MPI_Comm_group(MPI_COMM_SELF, &self);
    MPI_Group_range_incl(world, 1, range, &evens);
    done("union", MPI_Group_union(self, evens, &made), &made);
    done("intersection", MPI_Group_intersection(world, evens, &made), &made);
    done("difference", MPI_Group_difference(world, evens, &made), &made);
    done("difference, empty", MPI_Group_difference(evens, world, &made), &made);
    TRY(MPI_Group_compare(world, world, &compared));
    say("compared %d", compared);
    TRY(MPI_Group_compare(world, evens, &compared));
    say("compared %d", compared);
    TRY(MPI_Group_compare(self, MPI_GROUP_EMPTY, &compared));
    say("compared %d", compared);
    int ranks[2] = {0, MPI_PROC_NULL}, translated[2] = {-7, -7};
    char texts[2][16];
    TRY(MPI_Group_translate_ranks(world, 2, ranks, self, translated));
    say("translated %s %s", said_int(translated[0], texts[0]), said_int(translated[1], texts[1]));
    MPI_Group_free(&self);
    MPI_Group_free(&evens);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    size = size_of(MPI_COMM_WORLD);
    MPI_Group world;
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    say_group("world", world);
    say_group("empty", MPI_GROUP_EMPTY);
    constructors(world);
    sets(world);
    MPI_Group_free(&world);
    say_out();
    MPI_Finalize();
    return 0;
}
