#!/bin/sh
# Miniflare starts workerd through this (runtime.ts). A terminal sends Ctrl-C to the whole process
# group: the launcher ends workerd itself, after it has cancelled what runs. Where setpriv is there
# (Linux), workerd also ends with a launcher that was killed.
trap '' INT HUP
if setpriv --pdeathsig KILL true 2>/dev/null; then
  exec setpriv --pdeathsig KILL "$STRIDE_WORKERD" "$@"
fi
exec "$STRIDE_WORKERD" "$@"
