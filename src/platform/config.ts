import { resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { brandedHeaders, brandPattern, defaultBrand } from '../contract/headers.ts'
import { isRedisUrl } from '../kit/database/redis.ts'
import {
  hostNames,
  keyring,
  parseEnvironment,
  port,
  processes,
  publicUrl,
  seconds,
} from '../kit/process/environment.ts'
import { jsonFile } from '../kit/process/json-setting.ts'
import { logLevels } from '../kit/process/log.ts'
import { assertStrong } from '../kit/process/weak-settings.ts'
import { otlpHeaders, samplingRatio, tracingSettings } from '../kit/tracing/tracing-settings.ts'
import { examplePrices, PricesFile } from './billing/domain/prices.ts'
import { RuntimesFile, runtimesByImage } from './gateway/domain/runtime.ts'
import { ToolPolicyFile } from './gateway/domain/tool-policy.ts'
import { catalogue, readIntegrations } from './gateway/integrations/catalogue.ts'

const perMinute = () => z.coerce.number('must be a number').int().min(1)

const Environment = z.object({
  /** The port to listen on. */
  PORT: port().default(3100),
  /** The address to listen on. */
  HOST: z.string().default('0.0.0.0'),
  /** How many processes share the port. */
  WEB_CONCURRENCY: processes().default(1),
  /** Where callers reach this program; it stands in the addresses of workloads. */
  PUBLIC_URL: publicUrl().optional(),
  /** Where the control plane is, without `/v0`, and where jobs are started, where that is not PUBLIC_URL. */
  API_URL: publicUrl().optional(),
  /** Where workloads are called, where that is not PUBLIC_URL. */
  INFERENCE_URL: publicUrl().optional(),
  /** Where people sign in and tokens are given out, where that is not PUBLIC_URL: the issuer of every token. */
  AUTH_URL: publicUrl().optional(),
  /** Where sandboxes have hosts of their own, `sbx-<sandbox>-<workspace>.local.<domain>`; their addresses then say so. */
  SANDBOX_DOMAIN: z
    .string()
    .max(180)
    .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'must be a domain name, in lower case and without a port')
    .optional(),
  /** Further names that requests may come to, without ports; `.example.com` is everything below it. */
  ALLOWED_HOSTS: hostNames().default([]),
  /** PostgreSQL, 15 or newer. */
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' }),
  /** Redis, for the memory of agents' threads; without it, requests that name a thread are refused. */
  REDIS_URL: z.string().refine(isRedisUrl, 'must be a redis:// address').optional(),
  /** `id:key,…`, each key 32 random bytes: seals secrets at rest and cursors. The first is used for new ones. */
  ENCRYPTION_KEYS: keyring(),
  /** The word in branded header names. */
  BRAND: z.string().regex(brandPattern, 'must be letters, digits and hyphens').default(defaultBrand),
  /** A JSON file with integrations that functions can act at, beside the shipped ones: the same as onboarding's. */
  INTEGRATIONS_FILE: jsonFile(z.lazy(readIntegrations)).optional(),
  /** A JSON file that says which tools functions offer, by integration and workspace, and how often they may be called. */
  TOOL_POLICY_FILE: jsonFile(ToolPolicyFile).optional(),
  /** A JSON file that maps image names to what runs them here: an HTTP address, or a command line for jobs. */
  RUNTIMES_FILE: jsonFile(RuntimesFile).optional(),
  /** A JSON file with prices in USD per unit and the days they begin; without it, examples hold. */
  PRICES_FILE: jsonFile(PricesFile).optional(),
  /** How large an image counts as, in MB: on one machine images are names, and nobody can weigh them. */
  IMAGE_MB: z.coerce.number('must be a number').min(0).max(1_000_000).default(256),
  /** Where sandboxes, volumes and drives keep their files, and usage waits for the second until it is stored. */
  DATA_FOLDER: z.string().default('.data/platform'),
  /** How many tasks of jobs this process runs at a time; 0 leaves them to others. */
  JOB_TASKS: z.coerce.number('must be a number').int().min(0).max(1_000).default(8),
  /** How many of them may be of one workspace: some last for days, and others must not wait for them. */
  JOB_TASKS_PER_WORKSPACE: z.coerce.number('must be a number').int().min(1).max(1_000).optional(),
  /** `allow` runs commands of tenants without confinement where there is no bubblewrap; otherwise they are refused. */
  UNCONFINED_WORKLOADS: z.enum(['allow'], { error: 'may only be "allow"' }).optional(),
  /** `delegated`: the control group this program is started in is its own, to limit commands of tenants by groups in it. */
  CONTROL_GROUP: z.enum(['delegated'], { error: 'may only be "delegated"' }).optional(),
  /** How many requests one credential may send in a minute. */
  RATE_KEY_PER_MINUTE: perMinute().default(600),
  /** How many wrong credentials one visitor may send in a minute, and how many passwords in a quarter of an hour. */
  RATE_FAILED_PER_MINUTE: perMinute().default(20),
  /** How many apps one visitor may register in an hour; a client on the web registers for all its users from one place. */
  RATE_REGISTRATIONS_PER_HOUR: perMinute().default(100),
  /** Addresses or networks of the proxies whose X-Forwarded-For is believed. */
  TRUST_PROXY: z.string().default('loopback'),
  /** How long the gateway waits while no data comes: of a body, of an answer, and between two pieces of either. */
  GATEWAY_SILENT_SECONDS: seconds().default(100),
  /** How long a body, an MCP answer and an asynchronous answer of an agent may take at the gateway altogether. */
  GATEWAY_LONGEST_SECONDS: seconds().default(900),
  /** `host:port,…`: callbacks that may be sent although their address is private or without TLS. */
  EGRESS_ALLOW: z.string().default(''),
  /** The same for the APIs of models, whose answers tenants read. */
  MODEL_EGRESS_ALLOW: z.string().default(''),
  /** The same for documents by which apps introduce themselves (`client_id` is then an address). */
  CLIENT_DOCUMENT_EGRESS_ALLOW: z.string().default(''),
  /** The same for vendors' MCP servers that functions pass requests on to, and for where their grants are refreshed. */
  MCP_EGRESS_ALLOW: z.string().default(''),
  /** `https://host,…`: origins of pages that may call the MCP servers of functions from a browser. */
  MCP_BROWSER_ORIGINS: origins().default([]),
  /** Where dedicated egress addresses are taken from, as CIDR; the defaults are the ranges kept for documentation. */
  EGRESS_IPV4_RANGE: addressRange('ipv4').prefault('203.0.113.0/24'),
  EGRESS_IPV6_RANGE: addressRange('ipv6').prefault('2001:db8:e9e5::/64'),
  /** Whether the server makes requests as Express wants them; false leaves that to Express, at twice the CPU time. */
  REQUEST_CLASSES: z.enum(['true', 'false'], 'must be true or false').default('true'),
  /** A second port that answers /metrics for Prometheus; without it there is none. */
  METRICS_PORT: port().optional(),
  /** Where traces are sent to; without it there are none. */
  OTEL_EXPORTER_OTLP_ENDPOINT: publicUrl().optional(),
  /** Sent along with them. */
  OTEL_EXPORTER_OTLP_HEADERS: otlpHeaders().default({}),
  /** The share of traces that begin here and are recorded. */
  OTEL_TRACES_SAMPLER_ARG: samplingRatio().default(0.1),
  LOG_LEVEL: z.enum(logLevels).default('info'),
  /** How long running requests may take to end when the program is asked to stop. */
  SHUTDOWN_SECONDS: seconds().default(20),
})

/** As browsers send them. */
function origins() {
  const isOrigin = (entry: string) => URL.canParse(entry) && new URL(entry).origin === entry
  return z
    .string()
    .transform((text) => list(text))
    .refine((entries) => entries.every(isOrigin), 'must be a list of origins, https://app.example for example')
}

const list = (text: string) => text.split(/[\s,]+/).filter((entry) => entry !== '')

/** At most 65,534 addresses are used of a range, however large it is; its first and its last are nobody's. */
function addressRange(family: 'ipv4' | 'ipv6') {
  const example = { ipv4: '192.0.2.0/24', ipv6: '2001:db8::/64' }[family]
  const parser = { ipv4: ipaddr.IPv4, ipv6: ipaddr.IPv6 }[family]
  return z
    .string()
    .refine((text) => parser.isValidCIDR(text), `must be a range of addresses, ${example} for example`)
    .transform((text) => {
      const [address, prefix] = parser.parseCIDR(text)
      const bits = address.toByteArray().length * 8
      // From the beginning of the range, whichever of its addresses it is named by.
      const base = parser.networkAddressFromCIDR(text).toString()
      return { base, size: Math.max(Math.min(2 ** (bits - prefix), 65_536) - 2, 0) }
    })
}

export type Config = ReturnType<typeof readConfig>

/** Throws one error that names every bad variable, so a broken deploy is repaired in one round. */
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
      // Inside a network of containers the onboarding program reaches it without TLS.
      addresses: {},
      trustProxy: list(read.TRUST_PROXY),
      notForProduction: {},
    },
    env,
  )
  return {
    host: read.HOST,
    processes: read.WEB_CONCURRENCY,
    port: read.PORT,
    requestClasses: read.REQUEST_CLASSES === 'true',
    addresses: { ...addresses, sandboxDomain: read.SANDBOX_DOMAIN },
    allowedHosts: [...read.ALLOWED_HOSTS, ...(read.SANDBOX_DOMAIN ? [`.${read.SANDBOX_DOMAIN}`] : [])],
    /** Browsers that came by TLS once are told to stay with it. */
    isSecure: Object.values(addresses).some((address) => address.startsWith('https:')),
    databaseUrl: read.DATABASE_URL,
    redisUrl: read.REDIS_URL,
    encryptionKeys: read.ENCRYPTION_KEYS,
    headers: brandedHeaders(read.BRAND),
    integrations: catalogue(read.INTEGRATIONS_FILE ?? []),
    toolRules: read.TOOL_POLICY_FILE?.rules ?? [],
    runtimes: runtimesByImage(read.RUNTIMES_FILE?.runtimes ?? []),
    prices: read.PRICES_FILE?.prices ?? examplePrices,
    imageMb: read.IMAGE_MB,
    dataFolder: resolve(read.DATA_FOLDER),
    jobTasks: {
      atATime: read.JOB_TASKS,
      perWorkspace: read.JOB_TASKS_PER_WORKSPACE ?? Math.max(1, Math.ceil(read.JOB_TASKS / 2)),
    },
    unconfinedWorkloads: read.UNCONFINED_WORKLOADS === 'allow',
    ownsControlGroup: read.CONTROL_GROUP === 'delegated',
    rates: {
      keyPerMinute: read.RATE_KEY_PER_MINUTE,
      failedPerMinute: read.RATE_FAILED_PER_MINUTE,
      registrationsPerHour: read.RATE_REGISTRATIONS_PER_HOUR,
    },
    trustProxy: list(read.TRUST_PROXY),
    gateway: { silentMs: read.GATEWAY_SILENT_SECONDS * 1000, longestMs: read.GATEWAY_LONGEST_SECONDS * 1000 },
    egressAllow: list(read.EGRESS_ALLOW),
    modelEgressAllow: list(read.MODEL_EGRESS_ALLOW),
    clientDocumentEgressAllow: list(read.CLIENT_DOCUMENT_EGRESS_ALLOW),
    mcpEgressAllow: list(read.MCP_EGRESS_ALLOW),
    mcpBrowserOrigins: read.MCP_BROWSER_ORIGINS,
    egressRanges: { IPv4: read.EGRESS_IPV4_RANGE, IPv6: read.EGRESS_IPV6_RANGE },
    metricsPort: read.METRICS_PORT,
    tracing: tracingSettings(read),
    logLevel: read.LOG_LEVEL,
    shutdownMs: read.SHUTDOWN_SECONDS * 1000,
  } as const
}

/** For commands that only need the database. */
export function readDatabaseUrl(env: NodeJS.ProcessEnv): string {
  return parseEnvironment(Environment.pick({ DATABASE_URL: true }), env).DATABASE_URL
}

/** For the commands that also open what is sealed. */
export function readEncryptionKeys(env: NodeJS.ProcessEnv) {
  return parseEnvironment(Environment.pick({ ENCRYPTION_KEYS: true }), env).ENCRYPTION_KEYS
}
