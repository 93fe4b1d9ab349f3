#!/bin/sh
# Starts the object store with the arguments given: writes down who may do what, from the environment, and runs weed. The key of
# each service opens its bucket, the one for backups both. The same key may stand for all, where none else was made.
set -eu
umask 077
configuration=${TMPDIR:-/tmp}/s3.json

identity() {
  printf '{"name": "%s", "credentials": [{"accessKey": "%s", "secretKey": "%s"}], "actions": [' "$1" "$2" "$3"
  separator=
  shift 3
  for bucket in "$@"; do
    for action in Read Write List Tagging; do
      printf '%s"%s:%s"' "$separator" "$action" "$bucket"
      separator=', '
    done
  done
  printf ']}'
}

{
  printf '{"identities": ['
  identity backup "$ESD_S3_ACCESS_KEY" "$ESD_S3_SECRET_KEY" esd-images esd-exports
  printf ', '
  identity media-svc "$ESD_S3_ACCESS_KEY_MEDIA" "$ESD_S3_SECRET_KEY_MEDIA" esd-images
  printf ', '
  identity export-svc "$ESD_S3_ACCESS_KEY_EXPORT" "$ESD_S3_SECRET_KEY_EXPORT" esd-exports
  printf ']}\n'
} >"$configuration"
exec weed "$@" -s3.config="$configuration"
