#!/bin/sh
# Writes the S3 identities from the environment to a file and runs weed with the given arguments. The key of a service opens its bucket;
# the backup key opens both. All variables may contain the same key.
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
