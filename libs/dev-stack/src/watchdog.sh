# Runs a command that ends when the launcher is gone, even by kill -9.
#
#   sh -c "$(cat watchdog.sh)" watchdog SIGNAL SECONDS COMMAND [ARGUMENT...]
#
# File descriptor 3 is the read end of a pipe whose other end only the launcher holds. The command replaces this shell, so
# its process id and exit status are its own. A small watcher waits on the pipe: a line means that the command has ended by
# itself; end of file means that the launcher is gone, and then the command gets SIGNAL, and SIGKILL after SECONDS.
signal=$1
tenths=$(($2 * 10))
pid=$$
shift 2
# The watcher is started from a subshell that ends at once, so that the command never sees a child that is not its own.
(
  (
    read -r _ <&3 && exit 0
    kill -s "$signal" "$pid"
    while [ "$tenths" -gt 0 ] && kill -0 "$pid"; do
      sleep 0.1
      tenths=$((tenths - 1))
    done
    kill -s KILL "$pid"
  ) </dev/null >/dev/null 2>&1 &
)
exec "$@" 3<&-
