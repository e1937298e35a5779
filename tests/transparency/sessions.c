/* Sessions (MPI 4): process sets, groups and communicators made from them; together with MPI_Init (argument `beside`),
 * and without it several sessions, one after the other and at the same time. Any number of ranks. */
#include "say.h"

static int beside, ranks;

static void use_session(const char* name, MPI_Session session) {
    int sets = -1, length = 0, flag = 7, one = 1, sum = -1;
    char set[MPI_MAX_PSET_NAME_LEN] = "", value[64] = "";
    MPI_Info info;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Errhandler handler;
    say("--- %s", name);
    TRY(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets));
    for (int i = 0; i < sets; i++) {
        length = (int)sizeof set;
        TRY(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, set));
        say("set %d: %s (%d)", i, set, length);
    }
    TRY(MPI_Session_get_pset_info(session, "mpi://WORLD", &info));
    TRY(MPI_Info_get(info, "mpi_size", 63, value, &flag));
    say("size: flag %d value %s", flag, value);
    MPI_Info_free(&info);
    TRY(MPI_Session_get_info(session, &info));
    TRY(MPI_Info_get(info, "thread_level", 63, value, &flag));
    say("level: flag %d value %s", flag, value);
    MPI_Info_free(&info);
    TRY(MPI_Session_get_errhandler(session, &handler));
    MPI_Errhandler_free(&handler);
    TRY(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
    MPI_Group_size(group, &ranks);
    TRY(MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    MPI_Comm_rank(comm, &said_rank);
    TRY(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    say("members %d sum %d", ranks, sum);
    TRY(MPI_Send(&one, 1, MPI_INT, ranks, 1, comm));
    TRY(MPI_Comm_free(&comm));
    TRY(MPI_Group_free(&group));
    TRY(MPI_Group_from_session_pset(session, "mpi://SELF", &group));
    TRY(MPI_Comm_create_from_group(group, "alone", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    TRY(MPI_Sendrecv(&one, 1, MPI_INT, 0, 1, &sum, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE));
    say("alone: %d", sum);
    TRY(MPI_Comm_free(&comm));
    TRY(MPI_Group_free(&group));
    /* Without MPI_Init, MPICH 4.0 does not use the session's own handler. */
    if (beside) TRY(MPI_Group_from_session_pset(session, "no://such", &group));
}

static MPI_Session begin_session(void) {
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", "MPI_THREAD_SINGLE");
    TRY(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
    MPI_Info_free(&info);
    return session;
}

static void say_state(void) {
    int initialized = 7, finalized = 7;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    say("initialized %d finalized %d", initialized, finalized);
}

int main(int argc, char** argv) {
    MPI_Session first, second;
    beside = argc > 1;
    if (beside) {
        MPI_Init(&argc, &argv);
        say_begin();
    }
    first = begin_session();
    say_state();
    use_session("first", first);
    second = begin_session();
    use_session("second", second);
    TRY(MPI_Session_finalize(&first));
    say("null %d", first == MPI_SESSION_NULL);
    use_session("second again", second);
    TRY(MPI_Session_finalize(&second));
    say_state();
    if (beside) {
        use_session("third", first = begin_session());
        TRY(MPI_Session_finalize(&first));
        TRY(MPI_Finalize());
        say_state();
    }
    say_by_files(ranks);
    return 0;
}
