/* Dynamic processes; argv[1] names the case. `spawn` and `multiple` start this program again, with `ports` the two
 * halves of the job connect, `names` publishes the port, and `join` makes a communicator from a socket. At least two
 * ranks. */
#include "say.h"
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int me;

static void say_bridge(const char* what, MPI_Comm bridge) {
    int inter = 7, local = -1, remote = -1, sum = -1, one = 1;
    if (bridge == MPI_COMM_NULL) {
        say("%s: null", what);
        return;
    }
    MPI_Comm_test_inter(bridge, &inter);
    MPI_Comm_size(bridge, &local);
    MPI_Comm_remote_size(bridge, &remote);
    TRY(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, bridge));
    say("%s: inter %d local %d remote %d sum %d", what, inter, local, remote, sum);
}

/* What a child does: it sends a greeting, joins its parents for a while, and leaves. */
static int be_child(MPI_Comm parent, const char* word) {
    MPI_Comm merged;
    int appnum = -1, *found, flag, one = 1, sum = -1, length = (int)strlen(word) + 1;
    say_begin();
    say_bridge("parent", parent);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &found, &flag);
    if (flag) appnum = *found;
    MPI_Send(word, length, MPI_CHAR, 0, 10 + appnum, parent);
    MPI_Intercomm_merge(parent, 1, &merged);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, merged);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
}

static void meet_children(MPI_Comm children, int commands) {
    MPI_Comm merged;
    int remote = 0, one = 1, sum = -1;
    say_bridge("children", children);
    if (children == MPI_COMM_NULL) return; /* MPICH with UCX cannot do it */
    MPI_Comm_remote_size(children, &remote);
    for (int child = 0; me == 0 && child < remote; child++) {
        char word[64] = "";
        MPI_Status status = untouched_status();
        TRY(MPI_Recv(word, 64, MPI_CHAR, child, MPI_ANY_TAG, children, &status));
        say("child %d of %d commands says %s", child, commands, word);
        say_status("child", &status, MPI_CHAR);
    }
    TRY(MPI_Intercomm_merge(children, 0, &merged));
    TRY(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, merged));
    say("together: rank %d of %d, sum %d", rank_in(merged), size_of(merged), sum);
    MPI_Comm_free(&merged);
    TRY(MPI_Comm_disconnect(&children));
    say("null %d", children == MPI_COMM_NULL);
}

static void spawn(char* self) {
    char* words[] = {"child", "hello", NULL};
    int codes[2] = {-1, -1};
    MPI_Comm children = MPI_COMM_NULL;
    TRY(MPI_Comm_spawn(self, words, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, codes));
    say_ints("codes", codes, 2);
    meet_children(children, 1);
    TRY(MPI_Comm_spawn(self, words, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE));
    meet_children(children, 1);
}

static void spawn_multiple(char* self) {
    char *commands[2] = {self, self}, *hello[] = {"child", "hello", NULL}, *bye[] = {"child", "bye", NULL};
    char** words[2] = {hello, bye};
    const int counts[2] = {1, 1};
    const MPI_Info infos[2] = {MPI_INFO_NULL, MPI_INFO_NULL};
    int codes[2] = {-1, -1};
    MPI_Comm children = MPI_COMM_NULL;
    TRY(MPI_Comm_spawn_multiple(2, commands, words, counts, infos, 0, MPI_COMM_WORLD, &children, codes));
    say_ints("codes", codes, 2);
    meet_children(children, 2);
}

/* Even ranks accept, odd ranks connect. */
static void connect_halves(int publish) {
    char port[MPI_MAX_PORT_NAME] = "", other[MPI_MAX_PORT_NAME] = "";
    MPI_Comm half, bridge = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
    if (me == 0) {
        TRY(MPI_Open_port(MPI_INFO_NULL, port));
        say("port is something: %d", port[0] != 0);
        if (publish) TRY(MPI_Publish_name("tactus test", MPI_INFO_NULL, port));
    }
    if (publish) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (me == 1) TRY(MPI_Lookup_name("tactus test", MPI_INFO_NULL, port));
        if (me == 1) TRY(MPI_Lookup_name("never published", MPI_INFO_NULL, other));
    } else {
        MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
    if (me % 2 == 0) {
        TRY(MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &bridge));
    } else {
        TRY(MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &bridge));
    }
    say_bridge("connected", bridge);
    TRY(MPI_Comm_disconnect(&bridge));
    if (me == 0) {
        if (publish) TRY(MPI_Unpublish_name("tactus test", MPI_INFO_NULL, port));
        TRY(MPI_Close_port(port));
    }
    MPI_Comm_free(&half);
}

static void join(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, "joined");
    int listener, descriptor = -1;
    MPI_Comm bridge = MPI_COMM_NULL;
    if (me == 0) {
        listener = socket(AF_UNIX, SOCK_STREAM, 0);
        CHECK(bind(listener, (struct sockaddr*)&address, sizeof address) == 0 && listen(listener, 1) == 0);
        MPI_Barrier(MPI_COMM_WORLD);
        descriptor = accept(listener, NULL, NULL);
        close(listener);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        if (me == 1) {
            descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
            CHECK(connect(descriptor, (struct sockaddr*)&address, sizeof address) == 0);
        }
    }
    if (me < 2) {
        TRY(MPI_Comm_join(descriptor, &bridge));
        say_bridge("joined", bridge);
        if (bridge != MPI_COMM_NULL) TRY(MPI_Comm_disconnect(&bridge));
        close(descriptor);
    }
}

int main(int argc, char** argv) {
    MPI_Comm parent;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) return be_child(parent, argc > 2 ? argv[2] : "nothing");
    say_begin();
    me = said_rank;
    const char* what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "spawn") == 0) spawn(argv[0]);
    if (strcmp(what, "multiple") == 0) spawn_multiple(argv[0]);
    if (strcmp(what, "ports") == 0) connect_halves(0);
    if (strcmp(what, "names") == 0) connect_halves(1);
    if (strcmp(what, "join") == 0) join();
    say_out();
    MPI_Finalize();
    return 0;
}
