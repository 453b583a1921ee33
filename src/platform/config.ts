import { resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { brandedHeaders, brandPattern, defaultBrand } from '../contract/headers.ts'
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
} from '../kit/process/environment.ts'
import { jsonFile } from '../kit/process/json-setting.ts'
import { logLevels } from '../kit/process/log.ts'
import { StartError } from '../kit/process/start-error.ts'
import { assertStrong } from '../kit/process/weak-settings.ts'
import { otlpHeaders, samplingRatio, tracingSettings } from '../kit/tracing/tracing-settings.ts'
import { examplePrices, PricesFile } from './billing/domain/prices.ts'
import { RuntimesFile, runtimesByImage } from './gateway/domain/runtime.ts'
import { ToolPolicyFile } from './gateway/domain/tool-policy.ts'
import { catalogue, readIntegrations } from './gateway/integrations/catalogue.ts'
import { TrustedIssuersFile } from './identity/domain/identity-assertion.ts'

const defaultEngine = 'bubblewrap:'

/** Docker's API takes no credentials in its address. */
const engineUrls =
  /^(bubblewrap:|unix:\/\/\/[^?#\s]+|tcp:\/\/[\w.-]+(:\d+)?|kubernetes:([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)?)$/
const engineWords =
  'must be bubblewrap:, unix:///path/of/docker.sock, tcp://host:port, kubernetes: or kubernetes:namespace'

const imagePrefixes = () =>
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    )
    .refine((parts) => parts.every((part) => part === '*' || /^[a-z0-9.:-]+\/[a-z0-9._/-]*$/.test(part)), imageWords)

const imageWords = 'must be beginnings of image names with their registry, such as docker.io/library/, or *'

const perMinute = () => z.coerce.number('must be a number').int().min(1)

/** Longer than a command may take. */
const minIdleSeconds = 900
const idleSeconds = () =>
  z.coerce
    .number('must be a number of seconds')
    .int()
    .min(0)
    .refine((count) => count === 0 || count >= minIdleSeconds, `must be 0, or at least ${minIdleSeconds}`)

const Environment = z.object({
  PORT: port().default(3100),
  HOST: z.string().default('0.0.0.0'),
  PUBLIC_URL: publicUrl().optional(),
  API_URL: publicUrl().optional(),
  INFERENCE_URL: publicUrl().optional(),
  AUTH_URL: publicUrl().optional(),
  SANDBOX_DOMAIN: z
    .string()
    .max(180)
    .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'must be a lower-case domain name without a port')
    .optional(),
  ALLOWED_HOSTS: hostNames().default([]),
  INSECURE_HTTP_HOSTS: hostNames().default([]),
  DATABASE_URL: databaseAddress,
  DATABASE_POOLER: z.enum(poolers, 'may only be "transaction"').optional(),
  REDIS_URL: z.string().refine(isRedisUrl, 'must be a redis:// address').optional(),
  ENCRYPTION_KEYS: keyring(),
  BRAND: z.string().regex(brandPattern, 'must be letters, digits and hyphens').default(defaultBrand),
  INTEGRATIONS_FILE: jsonFile(z.lazy(readIntegrations)).optional(),
  TOOL_POLICY_FILE: jsonFile(ToolPolicyFile).optional(),
  SETTINGS_URL: publicUrl().optional(),
  SETTINGS_KEY: z.string().optional(),
  TRUSTED_ISSUERS_FILE: jsonFile(TrustedIssuersFile).optional(),
  RUNTIMES_FILE: jsonFile(RuntimesFile).optional(),
  PRICES_FILE: jsonFile(PricesFile).optional(),
  IMAGE_MB: z.coerce.number('must be a number').min(0).max(1_000_000).default(256),
  DATA_FOLDER: z.string().default('.data/platform'),
  JOB_TASKS: z.coerce.number('must be a number').int().min(0).max(1_000).default(8),
  JOB_TASKS_PER_WORKSPACE: z.coerce.number('must be a number').int().min(1).max(1_000).optional(),
  ENGINE_URL: z.string().regex(engineUrls, engineWords).default(defaultEngine),
  KUBECONFIG: z.string().optional(),
  ENGINE_IMAGES: imagePrefixes().prefault(''),
  ENGINE_SHARED_STORAGE: z.string().optional(),
  SANDBOX_IDLE_SECONDS: idleSeconds().default(900),
  UNCONFINED_WORKLOADS: z.enum(['allow'], { error: 'may only be "allow"' }).optional(),
  CONTROL_GROUP: z.enum(['delegated'], { error: 'may only be "delegated"' }).optional(),
  RATE_KEY_PER_MINUTE: perMinute().default(600),
  RATE_FAILED_PER_MINUTE: perMinute().default(20),
  RATE_PREVIEW_PER_MINUTE: perMinute().default(1_200),
  RATE_REGISTRATIONS_PER_HOUR: perMinute().default(100),
  REFRESH_GRACE_SECONDS: z.coerce.number('must be a number of seconds').int().min(0).max(600).default(60),
  TRUST_PROXY: networks().default(['loopback']),
  GATEWAY_SILENT_SECONDS: seconds().default(100),
  GATEWAY_LONGEST_SECONDS: seconds().default(900),
  EGRESS_ALLOW: hostsWithPorts().default([]),
  MODEL_EGRESS_ALLOW: hostsWithPorts().default([]),
  CLIENT_DOCUMENT_EGRESS_ALLOW: hostsWithPorts().default([]),
  MCP_EGRESS_ALLOW: hostsWithPorts().default([]),
  MCP_BROWSER_ORIGINS: origins().default([]),
  EGRESS_IPV4_RANGE: addressRange('ipv4').prefault('203.0.113.0/24'),
  EGRESS_IPV6_RANGE: addressRange('ipv6').prefault('2001:db8:e9e5::/64'),
  TOOL_CALL_EXPORT_FOLDER: exportFolder(),
  TOOL_CALL_EXPORT_OTLP_ENDPOINT: publicUrl().optional(),
  TOOL_CALL_EXPORT_WEBHOOK_URL: publicUrl().optional(),
  TOOL_CALL_EXPORT_WEBHOOK_SECRETS: webhookSecrets(),
  METRICS_PORT: port().optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: publicUrl().optional(),
  OTEL_EXPORTER_OTLP_HEADERS: otlpHeaders().default({}),
  OTEL_TRACES_SAMPLER_ARG: samplingRatio().default(0.1),
  LOG_LEVEL: z.enum(logLevels).default('info'),
  DRAIN_SECONDS: drainSeconds(),
  SHUTDOWN_SECONDS: seconds().default(20),
})

/** Uses at most 65,534 addresses of a range. The first and last address are reserved. */
function addressRange(family: 'ipv4' | 'ipv6') {
  const example = { ipv4: '192.0.2.0/24', ipv6: '2001:db8::/64' }[family]
  const parser = { ipv4: ipaddr.IPv4, ipv6: ipaddr.IPv6 }[family]
  return z
    .string()
    .refine((text) => parser.isValidCIDR(text), `must be a CIDR range, for example ${example}`)
    .transform((text) => {
      const [address, prefix] = parser.parseCIDR(text)
      const bits = address.toByteArray().length * 8
      const base = parser.networkAddressFromCIDR(text).toString()
      return { base, size: Math.max(Math.min(2 ** (bits - prefix), 65_536) - 2, 0) }
    })
}

export type Config = ReturnType<typeof readConfig>

export function readConfig(env: NodeJS.ProcessEnv) {
  const read = parseEnvironment(Environment, env)
  const whole = read.PUBLIC_URL ?? `http://127.0.0.1:${read.PORT}`
  const addresses = {
    api: read.API_URL ?? whole,
    inference: read.INFERENCE_URL ?? whole,
    auth: read.AUTH_URL ?? whole,
  }
  assertStrong(
    {
      keyring: read.ENCRYPTION_KEYS,
      addresses: {
        PUBLIC_URL: [read.PUBLIC_URL],
        API_URL: [read.API_URL],
        INFERENCE_URL: [read.INFERENCE_URL],
        AUTH_URL: [read.AUTH_URL],
        SETTINGS_URL: [read.SETTINGS_URL],
        TOOL_CALL_EXPORT_WEBHOOK_URL: [read.TOOL_CALL_EXPORT_WEBHOOK_URL],
      },
      insecureHosts: read.INSECURE_HTTP_HOSTS,
      trustProxy: read.TRUST_PROXY,
      notForProduction: {},
    },
    env,
  )
  if (read.ENGINE_URL !== defaultEngine && (read.PUBLIC_URL ?? read.API_URL) === undefined)
    throw new StartError(['PUBLIC_URL is missing: containers on the engine of ENGINE_URL are told apart by it'])
  const integrations = catalogue(read.INTEGRATIONS_FILE ?? [], read.TOOL_POLICY_FILE?.rules ?? [])
  return {
    host: read.HOST,
    port: read.PORT,
    addresses: { ...addresses, sandboxDomain: read.SANDBOX_DOMAIN },
    allowedHosts: [...read.ALLOWED_HOSTS, ...(read.SANDBOX_DOMAIN ? [`.${read.SANDBOX_DOMAIN}`] : [])],
    isSecure: Object.values(addresses).some((address) => address.startsWith('https:')),
    databaseUrl: read.DATABASE_URL,
    databasePooler: read.DATABASE_POOLER,
    redisUrl: read.REDIS_URL,
    encryptionKeys: read.ENCRYPTION_KEYS,
    headers: brandedHeaders(read.BRAND),
    integrations,
    policyOf: integrations.policyOf,
    clientPolicyOf: integrations.clientPolicyOf,
    settingsFeed: feedOf(read),
    trustedIssuers: read.TRUSTED_ISSUERS_FILE?.issuers ?? [],
    runtimes: runtimesByImage(read.RUNTIMES_FILE?.runtimes ?? []),
    prices: read.PRICES_FILE?.prices ?? examplePrices,
    imageMb: read.IMAGE_MB,
    dataFolder: resolve(read.DATA_FOLDER),
    jobTasks: {
      atATime: read.JOB_TASKS,
      perWorkspace: read.JOB_TASKS_PER_WORKSPACE ?? Math.max(1, Math.ceil(read.JOB_TASKS / 2)),
    },
    engineUrl: read.ENGINE_URL,
    kubeconfig: read.KUBECONFIG,
    engineImages: read.ENGINE_IMAGES,
    engineSharedStorage: read.ENGINE_SHARED_STORAGE,
    sandboxIdleSeconds: read.SANDBOX_IDLE_SECONDS,
    unconfinedWorkloads: read.UNCONFINED_WORKLOADS === 'allow',
    ownsControlGroup: read.CONTROL_GROUP === 'delegated',
    rates: {
      keyPerMinute: read.RATE_KEY_PER_MINUTE,
      failedPerMinute: read.RATE_FAILED_PER_MINUTE,
      previewPerMinute: read.RATE_PREVIEW_PER_MINUTE,
      registrationsPerHour: read.RATE_REGISTRATIONS_PER_HOUR,
    },
    refreshGraceSeconds: read.REFRESH_GRACE_SECONDS,
    trustProxy: read.TRUST_PROXY,
    gateway: { silentMs: read.GATEWAY_SILENT_SECONDS * 1000, maxMs: read.GATEWAY_LONGEST_SECONDS * 1000 },
    egressAllow: read.EGRESS_ALLOW,
    modelEgressAllow: read.MODEL_EGRESS_ALLOW,
    clientDocumentEgressAllow: read.CLIENT_DOCUMENT_EGRESS_ALLOW,
    mcpEgressAllow: read.MCP_EGRESS_ALLOW,
    mcpBrowserOrigins: read.MCP_BROWSER_ORIGINS,
    egressRanges: { IPv4: read.EGRESS_IPV4_RANGE, IPv6: read.EGRESS_IPV6_RANGE },
    toolCallExport: exportSettings('TOOL_CALL_EXPORT', {
      folder: read.TOOL_CALL_EXPORT_FOLDER,
      otlp: read.TOOL_CALL_EXPORT_OTLP_ENDPOINT,
      headers: read.OTEL_EXPORTER_OTLP_HEADERS,
      url: read.TOOL_CALL_EXPORT_WEBHOOK_URL,
      secrets: read.TOOL_CALL_EXPORT_WEBHOOK_SECRETS,
    }),
    metricsPort: read.METRICS_PORT,
    tracing: tracingSettings(read),
    logLevel: read.LOG_LEVEL,
    drainMs: read.DRAIN_SECONDS * 1000,
    shutdownMs: read.SHUTDOWN_SECONDS * 1000,
  } as const
}

/** Undefined: the files are all there is. */
function feedOf({ SETTINGS_URL: url, SETTINGS_KEY: key }: z.output<typeof Environment>) {
  if (url === undefined && key === undefined) return undefined
  if (url === undefined) throw new StartError(['SETTINGS_URL is missing: SETTINGS_KEY is only used with it'])
  if (key === undefined || key.length < 32) throw new StartError([settingsKeyWords])
  return { url, key: new Secret(key) }
}

const settingsKeyWords = 'SETTINGS_KEY must have at least 32 characters, and be the same in both programs'

export function readDatabase(env: NodeJS.ProcessEnv) {
  const read = parseEnvironment(Environment.pick({ DATABASE_URL: true, DATABASE_POOLER: true }), env)
  return { databaseUrl: read.DATABASE_URL, pooler: read.DATABASE_POOLER }
}

export function readEncryptionKeys(env: NodeJS.ProcessEnv) {
  return parseEnvironment(Environment.pick({ ENCRYPTION_KEYS: true }), env).ENCRYPTION_KEYS
}
