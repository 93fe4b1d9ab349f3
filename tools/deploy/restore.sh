#!/bin/sh
# Restores a backup of backup.sh: restore.sh FOLDER/<time>. PostgreSQL, NATS and the object store must run and be empty, with roles,
# databases and buckets. The services must not run. The exit status is 4 if everything is restored except objects that are missing or
# damaged in the backup. ESD_POSTGRES, ESD_OBJECTS and COMPOSE are as in backup.sh. ESD_STREAM is the command that runs stream.ts with the
# URL and password of NATS (default: a container of submission-svc).
set -eu
backup=$(cd "${1:?Usage: restore.sh FOLDER/TIME}" && pwd)
compose=${COMPOSE:-docker compose}
postgres=${ESD_POSTGRES:-$compose exec -T postgres}
stream=${ESD_STREAM:-$compose run --rm --no-deps -T submission-svc tools/deploy/stream.ts}
buckets='esd-images esd-exports'
databases='esd_identity esd_submission esd_dataset esd_media esd_export'

sql() { $postgres psql -U postgres -X -q -At -v ON_ERROR_STOP=1 -d "$1" -c "$2" </dev/null; }

(cd "$backup" && sha256sum --check --strict --quiet databases.sha256)
for database in $databases; do
  tables=$(sql "$database" "select count(*) from pg_tables where schemaname = 'public'")
  [ "$tables" = 0 ] || { echo "$database is not empty: $tables tables. Restore into new databases." >&2; exit 1; }
done
# Old events would be applied to new records with the same ids.
messages=$($stream count </dev/null)
if [ "$messages" != 0 ]; then
  echo "The event stream ESD is not empty: $messages messages. Stop the services, then delete them with: $stream purge" >&2
  exit 1
fi

status=0
if [ -n "${ESD_OBJECTS:-}" ]; then
  $ESD_OBJECTS restore "$backup" "${backup%/*}/objects" $buckets || status=$?
else
  $compose run --rm --no-deps -T --user "$(id -u):$(id -g)" -v "${backup%/*}:/backup:ro" objects \
    tools/deploy/objects.ts restore "/backup/${backup##*/}" /backup/objects $buckets || status=$?
fi
case $status in 0 | 4) ;; *) exit "$status" ;; esac
for database in $databases; do
  echo "$database"
  $postgres pg_restore -U postgres --dbname="$database" --no-owner --role="$database" --single-transaction \
    <"$backup/$database.dump"
done

# Dataset revisions after the backup are assigned again, to other contents. A new dataset id invalidates what clients have cached.
sql esd_dataset 'update dataset_head set dataset_id = gen_random_uuid()'
# The event stream is empty. The outboxes publish all events again, and consumers ignore those that they have processed.
for database in esd_identity esd_submission esd_export; do
  sql "$database" 'update outbox set published_at = null'
done
[ "$status" = 0 ] || echo 'Some objects are missing or damaged in the backup; they are listed above.' >&2
echo 'restored; start the services now'
exit "$status"
