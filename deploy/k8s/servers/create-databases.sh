#!/bin/sh
# Creates a role per service and a database that only this role can connect to. The PostgreSQL image runs it once, when it creates its data
# folder. Passwords never appear on a command line.
set -e

# By default every role can connect to these databases.
psql -q --no-psqlrc -v ON_ERROR_STOP=1 -U "${POSTGRES_USER:-postgres}" -d postgres \
  -c 'REVOKE CONNECT, TEMPORARY ON DATABASE postgres, template1 FROM PUBLIC'

for service in IDENTITY SUBMISSION DATASET MEDIA EXPORT; do
  variable="ESD_DATABASE_PASSWORD_$service"
  eval ": \"\${$variable:?is missing; set it in the environment}\""
  name="esd_$(echo "$service" | tr '[:upper:]' '[:lower:]')"
  psql -q --no-psqlrc -v ON_ERROR_STOP=1 -v name="$name" -v variable="$variable" -U "${POSTGRES_USER:-postgres}" -d postgres <<'SQL'
\getenv password :variable
CREATE ROLE :"name" LOGIN PASSWORD :'password';
CREATE DATABASE :"name" OWNER :"name";
REVOKE ALL ON DATABASE :"name" FROM PUBLIC;
SQL
done
