import { z } from 'zod'
import { brandPattern, defaultBrand } from '../contract/headers.ts'
import { Secret } from '../kit/crypto/secret.ts'
import { poolers } from '../kit/database/pooler.ts'
import { isRedisUrl } from '../kit/database/redis.ts'
import { databaseAddress } from '../kit/database/servers.ts'
import { exportFolder, exportSettings, webhookSecrets } from '../kit/export/export-settings.ts'
import {
  drainSeconds,
  hostNames,
  hostsWithPorts,
  keyring,
  networks,
  origins,
  parseEnvironment,
  port,
  publicUrl,
  seconds,
  secretKey,
  urlTemplate,
} from '../kit/process/environment.ts'
import { jsonFile } from '../kit/process/json-setting.ts'
import { logLevels } from '../kit/process/log.ts'
import { StartError } from '../kit/process/start-error.ts'
import { assertStrong } from '../kit/process/weak-settings.ts'
import { otlpHeaders, samplingRatio, tracingSettings } from '../kit/tracing/tracing-settings.ts'
import { type ConsoleRole, consoleRoles, type RoleNames } from './domain/console.ts'
import { type ConfiguredIntegration, isRefreshedTwice, refreshedTwice } from './domain/integration.ts'
import { ratesOf } from './domain/rate-limit.ts'
import { apiKeyPrefix } from './domain/tenant.ts'
import { readIntegrations } from './integrations/integrations-file.ts'

/** Demo only: replaces Redis by the memory of this process. */
export const inProcess = 'memory:'

const perMinute = () => z.coerce.number('must be a number').int().min(1)

/** `viewer:word,agent:word,admin:word` in any order. A role without a word can't be assigned. */
const roleNames = () =>
  z.string().transform((text, context): RoleNames => {
    const pairs = text.split(',').map((pair) => pair.trim().split(/:(.*)/s) as [ConsoleRole, string | undefined])
    const names = Object.fromEntries(pairs)
    if (
      pairs.every(([role, word]) => consoleRoles.includes(role) && word) &&
      Object.keys(names).length === pairs.length
    )
      return { viewer: '', agent: '', admin: '', ...names }
    context.addIssue('must be a list of role:word with the roles viewer, agent and admin')
    return z.NEVER
  })

const Environment = z.object({
  PORT: port().default(3000),
  HOST: z.string().default('0.0.0.0'),
  PUBLIC_URL: publicUrl(),
  ALLOWED_HOSTS: hostNames().default([]),
  INSECURE_HTTP_HOSTS: hostNames().default([]),
  DATABASE_URL: databaseAddress,
  REDIS_URL: z
    .string()
    .refine(
      (url) => url === inProcess || isRedisUrl(url),
      'must be a redis://, redis+sentinel:// or redis+cluster:// address, or rediss… for TLS',
    ),
  ENCRYPTION_KEYS: keyring(),
  SIGNING_KEY: secretKey(),
  PLATFORM_URL: publicUrl(),
  PLATFORM_API_KEY: z
    .string()
    .min(1)
    .refine(
      (key) => !key.startsWith(apiKeyPrefix),
      `is a key of this program (${apiKeyPrefix}…): it needs one of the platform`,
    ),
  PLATFORM_FUNCTION_ORIGINS: origins().default([]),
  BRAND: z.string().regex(brandPattern, 'must only have letters, digits and hyphens').default(defaultBrand),
  INTEGRATIONS_FILE: jsonFile(z.lazy(readIntegrations)).optional(),
  SETTINGS_KEY: z
    .string()
    .min(32, 'must have at least 32 characters, and be the same in both programs')
    .transform((text) => new Secret(text))
    .optional(),
  SUPPORT_URL: z.url({ protocol: /^(https|mailto)$/, error: 'must be an https or mailto address' }).optional(),
  CLIENT_NAME: z.string().min(1).max(100).optional(),
  CONNECT_COMPLETION: z.enum(['required', 'optional'], 'must be required or optional').default('required'),
  CONNECT_SESSION_SECONDS: seconds().max(1_800, 'must be at most 1800').default(900),
  WAITING_CODE_SECONDS: seconds().max(600, 'must be at most 600').default(120),
  VERIFY_FUNCTIONS: z.enum(['true', 'false'], 'must be true or false').default('true'),
  KEEP_GRANTS: z.enum(['true', 'false'], 'must be true or false').default('true'),
  PLATFORM_CONNECTION_PUT: z.enum(['true', 'false'], 'must be true or false').default('true'),
  PLATFORM_REFRESHES: z.enum(['true', 'false'], 'must be true or false').default('true'),
  PLATFORM_REPAIR_PAGES: z.enum(['true', 'false'], 'must be true or false').default('true'),
  HEALTH_CHECK_SECONDS: seconds().default(6 * 60 * 60),
  CONSOLE_ISSUER: z.url({ protocol: /^https?$/, error: 'must be an http(s) address' }).optional(),
  CONSOLE_CLIENT_ID: z.string().optional(),
  CONSOLE_CLIENT_SECRET: z.string().optional(),
  CONSOLE_SCOPES: z
    .string()
    .regex(/(^| )openid( |$)/, 'must have openid among its words')
    .default('openid'),
  CONSOLE_ROLE_CLAIM: z.string().default('roles'),
  CONSOLE_ROLES: roleNames().default({ viewer: 'causeway-viewer', agent: 'causeway-agent', admin: 'causeway-admin' }),
  CONSOLE_SIGN_INS: z.coerce.number('must be a number').int().min(1).default(20),
  PLATFORM_CONSOLE_URL: publicUrl().optional(),
  TRACE_URL_TEMPLATE: urlTemplate('{trace}').optional(),
  LOGS_URL_TEMPLATE: urlTemplate('{link}').optional(),
  SAMPLE_DATA: z.literal('shown', 'may only be "shown"').optional(),
  RATE_API_PER_MINUTE: perMinute().default(6_000),
  RATE_MINT_PER_MINUTE: perMinute().default(60),
  RATE_BROWSER_PER_MINUTE: perMinute().default(30),
  ESCROW_DAYS: z.coerce.number('must be a number').int().min(1).max(365).default(7),
  AUDIT_EXPORT_FOLDER: exportFolder(),
  AUDIT_EXPORT_OTLP_ENDPOINT: publicUrl().optional(),
  AUDIT_EXPORT_WEBHOOK_URL: publicUrl().optional(),
  AUDIT_EXPORT_WEBHOOK_SECRETS: webhookSecrets(),
  AUDIT_DAYS: z.coerce.number('must be a number').int().min(30).optional(),
  BACKLOG_PER_TENANT: z.coerce.number('must be a number').int().min(1).default(500),
  IMPORT_ROWS_AT_ONCE: z.coerce.number('must be a number').int().min(1).max(200).default(32),
  START_WAIT_SECONDS: seconds().default(30),
  DRAIN_SECONDS: drainSeconds(),
  SWEEP_SECONDS: seconds().default(5),
  LEASE_SECONDS: seconds().max(600, 'must be at most 600').default(30),
  EGRESS_ALLOW: hostsWithPorts().default([]),
  WEBHOOK_EGRESS_ALLOW: hostsWithPorts().default([]),
  TRUST_PROXY: networks().default(['loopback']),
  DATABASE_CONNECTIONS: z.coerce.number('must be a number').int().min(1).max(500).default(10),
  DATABASE_POOLER: z.enum(poolers, 'may only be "transaction"').optional(),
  DATABASE_READ_URL: databaseAddress.optional(),
  BATCH_STATEMENTS: z.enum(['true', 'false'], 'must be true or false').default('true'),
  METRICS_PORT: port().optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: publicUrl().optional(),
  OTEL_EXPORTER_OTLP_HEADERS: otlpHeaders().default({}),
  OTEL_TRACES_SAMPLER_ARG: samplingRatio().default(0.1),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
})

export type Config = ReturnType<typeof readConfig>

/** Throws one error that names all invalid variables. */
export function readConfig(env: NodeJS.ProcessEnv) {
  const given = parseEnvironment(Environment, env)
  assertStrong(
    {
      keyring: given.ENCRYPTION_KEYS,
      signingKey: given.SIGNING_KEY,
      addresses: {
        PUBLIC_URL: [given.PUBLIC_URL],
        PLATFORM_URL: [given.PLATFORM_URL],
        PLATFORM_FUNCTION_ORIGINS: given.PLATFORM_FUNCTION_ORIGINS,
        CONSOLE_ISSUER: [given.CONSOLE_ISSUER],
        AUDIT_EXPORT_WEBHOOK_URL: [given.AUDIT_EXPORT_WEBHOOK_URL],
      },
      insecureHosts: given.INSECURE_HTTP_HOSTS,
      trustProxy: given.TRUST_PROXY,
      notForProduction: {
        REDIS_URL:
          given.REDIS_URL === inProcess ? 'memory: forgets sign-ins and links under way; name a Redis' : undefined,
      },
    },
    env,
  )
  if (given.PLATFORM_REFRESHES === 'true') assertOneRefresher(given.INTEGRATIONS_FILE ?? [])
  return {
    port: given.PORT,
    host: given.HOST,
    publicUrl: given.PUBLIC_URL,
    allowedHosts: given.ALLOWED_HOSTS,
    databaseUrl: given.DATABASE_URL,
    databaseConnections: given.DATABASE_CONNECTIONS,
    databasePooler: given.DATABASE_POOLER,
    databaseReadUrl: given.DATABASE_READ_URL,
    batchStatements: given.BATCH_STATEMENTS === 'true',
    redisUrl: given.REDIS_URL,
    encryptionKeys: given.ENCRYPTION_KEYS,
    signingKey: given.SIGNING_KEY,
    platform: {
      baseUrl: given.PLATFORM_URL,
      apiKey: new Secret(given.PLATFORM_API_KEY),
      brand: given.BRAND,
      functionOrigins: given.PLATFORM_FUNCTION_ORIGINS,
    },
    integrations: given.INTEGRATIONS_FILE ?? [],
    settingsKey: given.SETTINGS_KEY,
    platformRefreshes: given.PLATFORM_REFRESHES === 'true',
    supportUrl: given.SUPPORT_URL,
    clientName: given.CLIENT_NAME ?? new URL(given.PUBLIC_URL).host,
    completion: given.CONNECT_COMPLETION,
    sessionSeconds: given.CONNECT_SESSION_SECONDS,
    waitingCodeSeconds: given.WAITING_CODE_SECONDS,
    verifyFunctions: given.VERIFY_FUNCTIONS === 'true',
    keepGrants: given.KEEP_GRANTS === 'true',
    connectionPut: given.PLATFORM_CONNECTION_PUT === 'true',
    repairPages: given.PLATFORM_REPAIR_PAGES === 'true',
    healthSeconds: given.HEALTH_CHECK_SECONDS,
    console: consoleOf(given),
    platformConsoleUrl: given.PLATFORM_CONSOLE_URL,
    viewers: { trace: given.TRACE_URL_TEMPLATE, logs: given.LOGS_URL_TEMPLATE },
    showsSampleData: given.SAMPLE_DATA === 'shown',
    rates: ratesOf({
      api: given.RATE_API_PER_MINUTE,
      mint: given.RATE_MINT_PER_MINUTE,
      browser: given.RATE_BROWSER_PER_MINUTE,
      signIns: given.CONSOLE_SIGN_INS,
    }),
    escrowSeconds: given.ESCROW_DAYS * 24 * 60 * 60,
    auditDays: given.AUDIT_DAYS,
    auditExport: exportSettings('AUDIT_EXPORT', {
      folder: given.AUDIT_EXPORT_FOLDER,
      otlp: given.AUDIT_EXPORT_OTLP_ENDPOINT,
      headers: given.OTEL_EXPORTER_OTLP_HEADERS,
      url: given.AUDIT_EXPORT_WEBHOOK_URL,
      secrets: given.AUDIT_EXPORT_WEBHOOK_SECRETS,
    }),
    backlogPerTenant: given.BACKLOG_PER_TENANT,
    importsAtOnce: given.IMPORT_ROWS_AT_ONCE,
    startWaitMs: given.START_WAIT_SECONDS * 1_000,
    drainMs: given.DRAIN_SECONDS * 1_000,
    sweepSeconds: given.SWEEP_SECONDS,
    leaseSeconds: given.LEASE_SECONDS,
    egressAllow: given.EGRESS_ALLOW,
    webhookEgressAllow: given.WEBHOOK_EGRESS_ALLOW,
    trustProxy: given.TRUST_PROXY,
    metricsPort: given.METRICS_PORT,
    tracing: tracingSettings(given),
    logLevel: given.LOG_LEVEL,
  } as const
}

export const readDatabaseUrl = (env: NodeJS.ProcessEnv): string =>
  parseEnvironment(Environment.pick({ DATABASE_URL: true }), env).DATABASE_URL

function assertOneRefresher(integrations: readonly ConfiguredIntegration[]): void {
  const risky = integrations.filter(({ profile }) => isRefreshedTwice(profile))
  if (risky.length === 0) return
  throw new StartError(
    risky.map(({ profile }) => `INTEGRATIONS_FILE: ${profile.id} ${refreshedTwice} (PLATFORM_REFRESHES=false)`),
  )
}

/** Undefined: the console is off. Setting a client turns it on, with the platform's identity as the default issuer. */
function consoleOf(given: z.output<typeof Environment>) {
  const secret = given.CONSOLE_CLIENT_SECRET
  if (!given.CONSOLE_ISSUER && !given.CONSOLE_CLIENT_ID && !secret) return undefined
  return {
    issuer: given.CONSOLE_ISSUER ?? new URL(given.PLATFORM_URL).origin,
    clientId: given.CONSOLE_CLIENT_ID ?? 'causeway-console',
    clientSecret: secret ? new Secret(secret) : undefined,
    scopes: given.CONSOLE_SCOPES,
    roleClaim: given.CONSOLE_ROLE_CLAIM,
    roleNames: given.CONSOLE_ROLES,
  }
}
