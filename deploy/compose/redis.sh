# The settings go in by standard input, so that the password is on no command line. noeviction: a Redis that drops keys
# to save memory would drop sessions and OAuth states.
exec redis-server - <<END
dir /data
appendonly yes
maxmemory 192mb
maxmemory-policy noeviction
requirepass $REDISCLI_AUTH
END
