import { join, resolve } from 'node:path'
import { z } from 'zod'
import { isRedisUrl } from '../kit/database/redis.ts'
import { installedRoot } from '../kit/installed/installed-root.ts'
import { parseEnvironment, port } from '../kit/process/environment.ts'
import { logLevels } from '../kit/process/log.ts'
import { StartError } from '../kit/process/start-error.ts'

const Environment = z.object({
  DEMO_DATA_DIR: z.string().optional(),
  /** A PostgreSQL server instead of a private one. Its user must be allowed to create databases. */
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' }).optional(),
  /** A Redis server instead of a private one. */
  REDIS_URL: z.string().refine(isRedisUrl, 'must be a redis:// address').optional(),
  /** Lets the demo, whose passwords are public, use a server with other databases or a Redis with other keys. */
  DEMO_ON_SHARED_STORES: z.literal('allow', 'may only be "allow"').optional(),
  /** For machines without Redis: its data is kept in the processes and lost when they end. */
  CAUSEWAY_STORE: z.literal('in-process', 'must be in-process').optional(),
  /** Fixed ports. By default the usual ports are used if they are free. */
  PORTAL_PORT: port().optional(),
  ONBOARDING_PORT: port().optional(),
  PLATFORM_PORT: port().optional(),
  FILEBOX_PORT: port().optional(),
  /** Additional integrations, and the private addresses that they may use. */
  INTEGRATIONS_FILE: z.string().optional(),
  EGRESS_ALLOW: z.string().optional(),
  /** Webhook endpoints on this machine, as host:port. */
  WEBHOOK_EGRESS_ALLOW: z.string().optional(),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
})

export type Config = ReturnType<typeof readConfig>

/** `args`: the options after `npm start --`. */
export function readConfig(env: NodeJS.ProcessEnv, args: readonly string[] = []) {
  const read = parseEnvironment(Environment, env)
  const unknown = args.filter((each) => each !== '--sample')
  if (unknown.length > 0) throw new StartError(`unknown option ${unknown[0]}: npm start -- [--sample]`)
  return {
    folder: resolve(read.DEMO_DATA_DIR ?? join(installedRoot, '.data')),
    databaseUrl: read.DATABASE_URL,
    redisUrl: read.REDIS_URL,
    sharedStores: read.DEMO_ON_SHARED_STORES === 'allow',
    withoutRedis: read.CAUSEWAY_STORE === 'in-process' && !read.REDIS_URL,
    ports: {
      portal: read.PORTAL_PORT,
      onboarding: read.ONBOARDING_PORT,
      platform: read.PLATFORM_PORT,
      filebox: read.FILEBOX_PORT,
    },
    integrationsFile: read.INTEGRATIONS_FILE && resolve(read.INTEGRATIONS_FILE),
    egressAllow: read.EGRESS_ALLOW,
    webhookEgressAllow: read.WEBHOOK_EGRESS_ALLOW,
    withSample: args.includes('--sample'),
    logLevel: read.LOG_LEVEL,
  } as const
}
