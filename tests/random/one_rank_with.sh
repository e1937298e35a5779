#!/bin/sh
# one_rank_with.sh RANK LIBRARY PROGRAM ARGS...: starts a rank of a program, with a library before what is preloaded
# already if it is this rank.
chosen=$1 library=$2
shift 2
if [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = "$chosen" ]; then
    LD_PRELOAD=$library${LD_PRELOAD:+:$LD_PRELOAD}
    export LD_PRELOAD
fi
exec "$@"
