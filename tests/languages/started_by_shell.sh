#!/bin/sh
# started_by_shell.sh PROGRAM ARGS...: the ranks are started by a script, which does something before and after.
HERE=$(pwd)
export HERE
"$@"
status=$?
echo "ended with $status"
exit $status
