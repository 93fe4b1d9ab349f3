#!/bin/sh
# Backs up a running system: backup.sh FOLDER creates FOLDER/<time> and completes FOLDER/objects. Writes continue during the backup. The
# exit status is 4 if the backup is complete, but an object has changed in the store.
#
# ESD_POSTGRES         command prefix that runs PostgreSQL programs as administrator (default: docker compose exec -T postgres)
# ESD_OBJECTS          command that runs objects.ts with the URL and keys of the store (default: the container "objects" of compose)
# COMPOSE              compose command of these defaults (default: docker compose)
# ESD_TEXTFILE_FOLDER  folder of the textfile collector of node_exporter, for the metric esd_backup_exit_status (default: no metric)
set -eu
folder=${1:?Usage: backup.sh FOLDER}
compose=${COMPOSE:-docker compose}
postgres=${ESD_POSTGRES:-$compose exec -T postgres}
buckets='esd-images esd-exports'
attempts=30

write_metric() {
  printf '# TYPE esd_backup_exit_status gauge\nesd_backup_exit_status %s\n' "$1" >"$ESD_TEXTFILE_FOLDER/esd_backup.part"
  chmod 644 "$ESD_TEXTFILE_FOLDER/esd_backup.part"
  mv "$ESD_TEXTFILE_FOLDER/esd_backup.part" "$ESD_TEXTFILE_FOLDER/esd_backup.prom"
}
if [ -n "${ESD_TEXTFILE_FOLDER:-}" ]; then
  trap 'write_metric $?' EXIT
  # Otherwise a signal ends the shell without the metric.
  trap 'exit 1' HUP INT TERM
fi

# The dumps contain email addresses and password hashes.
umask 077

mkdir -p "$folder/objects"
folder=$(cd "$folder" && pwd)
name=$(date -u +%Y-%m-%dT%H-%M-%SZ)
work=$folder/$name.part
mkdir "$work"

dump() {
  echo "$1"
  $postgres pg_dump -U postgres --format=custom --dbname="$1" </dev/null >"$work/$1.dump"
}
# Prints the number of running freezes and the id of the last step of any freeze.
freezes() {
  $postgres psql -U postgres -X -At -d esd_dataset -c \
    "select count(*) filter (where state = 'BUILDING'), (select max(id) from release_change) from release" </dev/null
}

# A freeze changes esd_export and esd_dataset. The dumps are consistent if no freeze took a step between them.
while :; do
  before=$(freezes)
  case $before in
    0\|*)
      dump esd_export
      dump esd_dataset
      [ "$(freezes)" != "$before" ] || break
      ;;
  esac
  attempts=$((attempts - 1))
  [ $attempts -gt 0 ] || { echo 'A freeze has been running for 5 minutes or more. Try again later.' >&2; exit 1; }
  echo 'waiting for a freeze to finish'
  sleep 10
done
# The publisher is dumped after the consumer: events that esd_dataset has not received are then in the outbox of esd_submission.
dump esd_submission
dump esd_identity
dump esd_media

# Objects are copied after the rows that reference them.
status=0
if [ -n "${ESD_OBJECTS:-}" ]; then
  $ESD_OBJECTS backup "$work" "$folder/objects" $buckets || status=$?
else
  $compose run --rm --no-deps -T --user "$(id -u):$(id -g)" -v "$folder:/backup" objects \
    tools/deploy/objects.ts backup "/backup/$name.part" /backup/objects $buckets || status=$?
fi
case $status in 0 | 4) ;; *) exit "$status" ;; esac
(cd "$work" && sha256sum -- *.dump esd-*.sha256 >databases.sha256)
mv "$work" "$folder/$name"
echo "$folder/$name"
exit "$status"
