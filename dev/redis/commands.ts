// Which commands this front refuses although redis-server knows them: what Upstash's REST
// interface cannot do (it has no session to block, watch or subscribe on) and what would reach
// round the stand-in (configuration, debugging, shutting the server down). No I/O.

const NO_SESSION = 'a REST request has no session; send the commands together to /multi-exec';
const BLOCKING = 'blocking commands do not work over REST; use the form that returns at once';
const SUBSCRIPTION = 'the local Redis has no subscriptions; read again instead';
const ADMINISTRATION = 'it administers the server, which Upstash does by itself';

const REFUSED = new Map<string, string>(
  (
    [
      [NO_SESSION, 'MULTI EXEC DISCARD WATCH UNWATCH'],
      [BLOCKING, 'BLPOP BRPOP BRPOPLPUSH BLMOVE BLMPOP BZPOPMIN BZPOPMAX BZMPOP WAIT WAITAOF'],
      [
        SUBSCRIPTION,
        'SUBSCRIBE UNSUBSCRIBE PSUBSCRIBE PUNSUBSCRIBE SSUBSCRIBE SUNSUBSCRIBE MONITOR',
      ],
      [
        ADMINISTRATION,
        'ACL ASKING AUTH BGREWRITEAOF BGSAVE CLIENT CLUSTER CONFIG DEBUG FAILOVER HELLO LATENCY ' +
          'MIGRATE MODULE MOVE PFDEBUG PSYNC QUIT READONLY READWRITE REPLCONF REPLICAOF RESET ' +
          'RESTORE-ASKING SAVE SELECT SHUTDOWN SLAVEOF SLOWLOG SWAPDB SYNC',
      ],
    ] as const
  ).flatMap(([reason, names]) => names.split(' ').map((name) => [name, reason] as const)),
);

/** The name of a command, in upper case. */
export function commandName(args: Buffer[]): string {
  return (args[0]?.toString('latin1') ?? '').toUpperCase();
}

/** Why this command is refused, as a Redis error text; null when it may run. */
export function refusalOf(args: Buffer[]): string | null {
  const name = commandName(args);
  if (name === '') return 'ERR empty command';
  const reason = REFUSED.get(name) ?? refusedForm(name, args);
  return reason === null ? null : `ERR Command is not available: '${name}'. Reason: ${reason}`;
}

function refusedForm(name: string, args: Buffer[]): string | null {
  const words = args.slice(1).map((word) => word.toString('latin1').toUpperCase());
  if (name === 'XREAD' || name === 'XREADGROUP') {
    // Options stand before STREAMS; after it "BLOCK" may be the name of a stream.
    const options = words.slice(0, words.indexOf('STREAMS'));
    return options.includes('BLOCK') ? BLOCKING : null;
  }
  return name === 'SCRIPT' && words[0] === 'DEBUG' ? ADMINISTRATION : null;
}
