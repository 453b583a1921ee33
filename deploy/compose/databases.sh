# Run by the PostgreSQL image once, when its data folder is empty: a database with two roles for each program.
for name in onboarding platform; do
  upper=$(echo "$name" | tr '[:lower:]' '[:upper:]')
  NAME=$name OWNER_PASSWORD=$(printenv "${upper}_OWNER_PASSWORD") PASSWORD=$(printenv "${upper}_PASSWORD") \
    psql -q -v ON_ERROR_STOP=1 -U postgres -d postgres -f /etc/causeway/roles.sql
done
