#!/bin/sh
# Backs up a running system: backup.sh FOLDER makes FOLDER/<time> and completes FOLDER/objects. Writes may go on meanwhile.
#
# ESD_POSTGRES  how to run PostgreSQL's programs as its administrator (default: docker compose exec -T postgres)
# ESD_OBJECTS   how to run objects.ts with the store's address and keys (default: in the container "objects" of compose)
# COMPOSE       the compose command of the defaults (default: docker compose)
set -eu
folder=${1:?backup.sh FOLDER}
compose=${COMPOSE:-docker compose}
postgres=${ESD_POSTGRES:-$compose exec -T postgres}
buckets='esd-images esd-exports'
attempts=30
# Addresses and hashes of passwords are nobody else's business.
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
# What is being frozen, and the last step of any freeze.
freezes() {
  $postgres psql -U postgres -X -At -d esd_dataset -c \
    "select count(*) filter (where state = 'BUILDING'), (select max(id) from release_change) from release" </dev/null
}

# A freeze changes esd_export and esd_dataset. They fit when none took a step between the two dumps.
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
  [ $attempts -gt 0 ] || { echo 'A version is being made all the time; try again later.' >&2; exit 1; }
  echo 'waiting for the end of a freeze'
  sleep 10
done
# The publisher is saved after the consumer: what esd_dataset has not received yet is in the outbox of esd_submission.
dump esd_submission
# Accounts and images come after the records that name them.
dump esd_identity
dump esd_media
(cd "$work" && sha256sum -- *.dump >databases.sha256)

# Objects come after the rows that name them.
if [ -n "${ESD_OBJECTS:-}" ]; then
  $ESD_OBJECTS backup "$work" "$folder/objects" $buckets
else
  $compose run --rm --no-deps -T --user "$(id -u):$(id -g)" -v "$folder:/backup" objects \
    tools/deploy/objects.ts backup "/backup/$name.part" /backup/objects $buckets
fi
mv "$work" "$folder/$name"
echo "$folder/$name"
