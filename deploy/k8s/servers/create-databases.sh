#!/bin/sh
# Makes each service's role and the database that only this role may connect to: run once by the PostgreSQL image, when it makes
# its data folder. The passwords never stand on a command line.
set -e

# Else every role may connect to these.
psql -q --no-psqlrc -v ON_ERROR_STOP=1 -U "${POSTGRES_USER:-postgres}" -d postgres \
  -c 'REVOKE CONNECT, TEMPORARY ON DATABASE postgres, template1 FROM PUBLIC'

for service in IDENTITY SUBMISSION DATASET MEDIA EXPORT; do
  variable="ESD_DATABASE_PASSWORD_$service"
  eval ": \"\${$variable:?is missing}\""
  name="esd_$(echo "$service" | tr '[:upper:]' '[:lower:]')"
  psql -q --no-psqlrc -v ON_ERROR_STOP=1 -v name="$name" -v variable="$variable" -U "${POSTGRES_USER:-postgres}" -d postgres <<'SQL'
\getenv password :variable
CREATE ROLE :"name" LOGIN PASSWORD :'password';
CREATE DATABASE :"name" OWNER :"name";
REVOKE ALL ON DATABASE :"name" FROM PUBLIC;
SQL
done
