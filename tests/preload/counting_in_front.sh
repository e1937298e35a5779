#!/bin/sh
# counting_in_front.sh LIBRARY FOLDER PROGRAM ARGS...: starts a program with a library before what is preloaded already,
# so that it sees each call before the tracer does. The counting library writes into the folder. A sanitizer's runtime
# refuses to be anything but the first.
counting=$1 COUNTING_DIR=$2
shift 2
case $LD_PRELOAD in
*/lib[at]san.so*:*) LD_PRELOAD=${LD_PRELOAD%%:*}:$counting:${LD_PRELOAD#*:} ;;
*) LD_PRELOAD=$counting${LD_PRELOAD:+:$LD_PRELOAD} ;;
esac
export LD_PRELOAD COUNTING_DIR
exec "$@"
