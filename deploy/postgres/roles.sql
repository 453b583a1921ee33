-- One program's database with two roles: NAME_owner creates and changes tables and is used by `migrate` alone, and
-- NAME reads and writes rows and is what the program runs as. Neither can enter another program's database, and the
-- second can neither change a table nor switch off the triggers that keep the audit log from being changed.
--
-- As a superuser, once for each program; psql 15 or newer, which reads the passwords from the environment, so that
-- they are on no command line:
--
--   NAME=onboarding OWNER_PASSWORD=… PASSWORD=… psql -v ON_ERROR_STOP=1 -d postgres -f deploy/postgres/roles.sql
\set ON_ERROR_STOP on
\getenv name NAME
\getenv owner_password OWNER_PASSWORD
\getenv password PASSWORD
\set owner :name _owner

create role :"owner" login password :'owner_password';
create role :"name" login password :'password';
create database :"name" owner :"owner";
revoke all on database :"name" from public;
grant connect on database :"name" to :"name";

\connect :"name"
revoke all on schema public from public;
grant usage on schema public to :"name";
-- For every table that a migration creates, now and in later releases.
alter default privileges for role :"owner" in schema public
  grant select, insert, update, delete on tables to :"name";
alter default privileges for role :"owner" in schema public
  grant usage, select on sequences to :"name";
