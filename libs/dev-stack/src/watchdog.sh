# Runs a command that ends when the launcher ends, even by kill -9.
#
#   sh -c "$(cat watchdog.sh)" watchdog SIGNAL SECONDS COMMAND [ARGUMENT...]
#
# File descriptor 3 is the read end of a pipe; only the launcher has the write end. The command replaces this shell, so its process id and
# exit status are its own. A watcher reads the pipe. A line means that the command has exited by itself. End of file means that the
# launcher has ended: the watcher then sends SIGNAL to the command, and SIGKILL after SECONDS.
signal=$1
tenths=$(($2 * 10))
pid=$$
shift 2
# A subshell that exits immediately starts the watcher, so that the watcher is not a child of the command.
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
