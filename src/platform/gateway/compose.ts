import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import type pg from 'pg'
import { sharedLoad } from '../../kit/cache/shared-load.ts'
import { ttlCache } from '../../kit/cache/ttl-cache.ts'
import type { OpaqueCursors } from '../../kit/crypto/opaque-cursor.ts'
import type { SealedBox } from '../../kit/crypto/sealed-box.ts'
import type { RedisClient } from '../../kit/database/redis.ts'
import type { RequestDurations } from '../../kit/http/request-metrics.ts'
import { securityHeaderValues } from '../../kit/http/security-headers.ts'
import { describeError, type Log } from '../../kit/process/log.ts'
import type { Metrics } from '../../kit/process/metrics.ts'
import { closeAll } from '../../kit/process/program.ts'
import { attempt, type LoopReports, repeat } from '../../kit/process/repeat.ts'
import { type RateLimit, rateLimit } from '../../kit/rates/rate-limit.ts'
import type { Tracing } from '../../kit/tracing/tracing.ts'
import type { Config } from '../config.ts'
import type { Confinement } from '../shared/adapters/confinement/confinement.ts'
import { diskSpool } from '../shared/adapters/usage-spool.ts'
import type { Caller } from '../shared/domain/caller.ts'
import type { PlatformEvent } from '../shared/domain/log-events.ts'
import { platformMetrics } from '../shared/domain/metrics.ts'
import type { Guards } from '../shared/http/operation.ts'
import { postgresUsage } from '../shared/postgres/usage-events.ts'
import { postgresAccessTokens } from './adapters/access-tokens.ts'
import { postgresAsyncRequests } from './adapters/async-requests.ts'
import { callbackSender } from './adapters/callbacks.ts'
import { postgresGrantProblems } from './adapters/grant-problems.ts'
import { modelServers, upstreams } from './adapters/http-runtime.ts'
import { postgresMcpEvents, postgresMcpSessions } from './adapters/mcp-sessions.ts'
import { observedThirdParty, toolCallObserver } from './adapters/observed-calls.ts'
import { postgresRemovedFolders } from './adapters/removed-folders.ts'
import { runtimesOf } from './adapters/runtimes.ts'
import { confinedSandboxCommands } from './adapters/sandbox-commands.ts'
import { diskSandboxFiles } from './adapters/sandbox-files.ts'
import { thirdParty } from './adapters/third-party.ts'
import { redisThreadMemory } from './adapters/thread-memory.ts'
import { postgresToolCalls } from './adapters/tool-calls.ts'
import { postgresToolLists } from './adapters/tool-lists.ts'
import { lazyVendorMcp } from './adapters/vendor-mcp/lazy-vendor-mcp.ts'
import type { ControlPlane, ResourceChanges } from './domain/ports.ts'
import { type GetAccessToken, getAccessToken } from './flows/access-token.ts'
import { answerLater } from './flows/answer-later.ts'
import { openModel } from './flows/call-model-api.ts'
import { callTool } from './flows/call-tool.ts'
import { fireAgents } from './flows/fire-agents.ts'
import { callForwardedTool } from './flows/forwarded-tools.ts'
import { grantNotes } from './flows/grant-notes.ts'
import { openFunction } from './flows/open-function.ts'
import { unattendedRequests } from './flows/outlast-caller.ts'
import { refreshIdleGrants } from './flows/refresh-idle-grants.ts'
import { removeFolders } from './flows/remove-folders.ts'
import { openAgent, threadedCall } from './flows/run-agent.ts'
import { openVendorServer } from './flows/vendor-server.ts'
import { serveAgents } from './http/agent-routes.ts'
import { gatewayAnswers } from './http/gateway-errors.ts'
import { gatewayOperations } from './http/gateway-operations.ts'
import { mcpRoutes } from './http/mcp-routes.ts'
import { serveModels } from './http/model-routes.ts'
import { sandboxRoutes } from './http/sandbox-routes.ts'
import { serveMcp } from './http/serve-mcp.ts'
import { workloadFastPath } from './http/workload-fast-path.ts'

export type GatewayAdapters = ReturnType<typeof openGatewayAdapters>

type Reports = { log: Log<PlatformEvent>; loops: LoopReports; processMetrics: Metrics; tracing: Tracing }
type Stores = {
  pool: pg.Pool
  redis: RedisClient | undefined
  vault: SealedBox
  confinement(): Promise<Confinement>
}

export function openGatewayAdapters(config: Config, { pool, redis, vault, confinement }: Stores, reports: Reports) {
  const outside = observedThirdParty(thirdParty({ mcpAllow: config.mcpEgressAllow }), reports)
  const vendors = lazyVendorMcp({ allow: config.mcpEgressAllow, ...config.gateway })
  const unspooled = reports.processMetrics.counter(platformMetrics.usageUnspooled)
  const spoolFolder = join(config.dataFolder, 'usage')
  const noteUnspooled = (error: unknown) => {
    unspooled.inc()
    reports.log('usage.unspooled', { code: describeError(error), detail: spoolFolder })
  }
  const usage = postgresUsage(pool, diskSpool(spoolFolder, { onError: noteUnspooled }), reports.loops)
  const toolCalls = postgresToolCalls(pool, { ...reports.loops, log: reports.log })
  const runtimes = runtimesOf(config.runtimes, upstreams({ silentForMs: config.gateway.silentMs }))
  const callbacks = callbackSender(config.egressAllow)
  const models = modelServers({ allow: config.modelEgressAllow, silentForMs: config.gateway.silentMs })
  return {
    accessTokens: postgresAccessTokens(pool, vault),
    asyncRequests: postgresAsyncRequests(pool, vault),
    thirdParty: outside,
    mcpSessions: postgresMcpSessions(pool),
    mcpEvents: postgresMcpEvents(pool),
    threads: redis && redisThreadMemory(redis),
    runtimes,
    modelServer: models.at,
    sandboxFiles: diskSandboxFiles(config.dataFolder),
    runSandboxCommand: confinedSandboxCommands(confinement),
    removedFolders: postgresRemovedFolders(pool),
    sendCallback: callbacks.send,
    mayCallBack: callbacks.mayCall,
    usage,
    toolCalls,
    toolLists: postgresToolLists(pool),
    grantProblems: postgresGrantProblems(pool),
    vendorMcp: vendors,
    closeGateway: closeAll(
      vendors.close,
      outside.close,
      runtimes.close,
      models.close,
      callbacks.close,
      usage.close,
      toolCalls.close,
    ),
  }
}

type Needs = GatewayAdapters &
  Reports & {
    changes: ResourceChanges
    cursors: OpaqueCursors
    now: () => Date
    pause: (ms: number) => Promise<void>
  }

type Others = { workloads: ControlPlane; openTo(caller: Caller): Promise<string[]> }

export function assembleGateway(config: Config, adapters: Needs, guards: Guards, { workloads, openTo }: Others) {
  const open = withTtlCache(openAgent({ ...adapters, ...workloads }), adapters.changes)
  const later = answerLater({
    ...adapters,
    ...workloads,
    ...config.gateway,
    headers: config.headers,
    openAgent: open,
    threadedCall: threadedCall(adapters),
  })
  const accessToken = getAccessToken({ ...adapters, workloads })
  const refreshIdle = refreshIdleGrants({ ...adapters, ...config, workloads, accessToken })
  const functionRoutes = functions(config, adapters, guards, { workloads, accessToken })
  const routes = sandboxes(config, adapters, guards, workloads)
  const unattended = unattendedRequests(adapters)
  const answers = gatewayAnswers(config.headers, adapters.log, adapters.now)
  const handlers = {
    agents: serveAgents(
      { ...adapters, openAgent: open, threadedCall: threadedCall(adapters), answerLater: later },
      guards,
    ),
    models: serveModels(
      { ...adapters, ...unattended },
      withTtlCache((...of) => openModel({ ...adapters, ...workloads }, ...of), adapters.changes),
      guards,
    ),
  }
  const always = alwaysSent(config)
  const fastPath = (app: RequestListener, durations: RequestDurations) =>
    workloadFastPath({ ...handlers, app, always, answers, durations, log: adapters.log })
  const turns = [
    sweeps(adapters),
    repeat('fire-agents', 5_000, fireAgents({ ...adapters, ...workloads }), adapters.loops),
    repeat('take-async-requests', 1_000, later.takeDue, adapters.loops),
    repeat('renew-async-requests', 5_000, later.renew, adapters.loops),
    repeat('refresh-idle-grants', idleSweepMs, refreshIdle, adapters.loops),
  ]
  const close = async () => {
    await Promise.all(turns.map((turn) => turn.stop()))
    unattended.stop()
    await later.stop(config.shutdownMs)
  }
  const operations = gatewayOperations({ ...adapters, workloads, openTo })
  return { routes, functionRoutes, answers, fastPath, operations, close }
}

function sweeps(adapters: Needs) {
  const { mcpSessions, mcpEvents, toolCalls, grantProblems, sandboxFiles: files, changes } = adapters
  const remove = removeFolders({ ...adapters, files })
  const stores = [mcpSessions, mcpEvents, toolCalls, grantProblems]
  const all = () => Promise.all([...stores.map((store) => store.sweep()), remove()])
  const turn = repeat('sweep-gateway', 60_000, all, adapters.loops)
  void attempt('sweep-gateway', all, adapters.loops)
  changes.listen(({ kind, removed }) => {
    if (removed && keepsFolder.has(kind)) void attempt('remove-folders', remove, adapters.loops)
  })
  return turn
}

const keepsFolder = new Set(['sandbox', 'volume', 'drive'])

const idleSweepMs = 60 * 60 * 1_000

function functions(
  config: Config,
  adapters: Needs,
  guards: Guards,
  { workloads, accessToken }: { workloads: ControlPlane; accessToken: GetAccessToken },
) {
  const notes = grantNotes({ ...adapters, workloads })
  const observed = toolCallObserver(adapters.processMetrics)
  const call = observed(callTool({ ...adapters, accessToken, grantNotes: notes }))
  const callForwarded = observed(callForwardedTool({ ...adapters, grantNotes: notes }))
  const vendorServer = openVendorServer({ ...adapters, accessToken, workloads, grantNotes: notes, callForwarded })
  const open = openFunction({ ...config, workloads, callTool: call, vendorServer, takeCall: callLimits(adapters.now) })
  return mcpRoutes({
    ports: adapters,
    openFunction: withSharedLoad(open),
    guards,
    serve: serveMcp({ ...guards, ...adapters, ...config.gateway, onSessionEnd: adapters.vendorMcp.endSession }),
    addresses: {
      gatewayUrl: config.addresses.inference,
      issuer: config.addresses.auth,
      welcome: config.mcpBrowserOrigins,
    },
  })
}

function callLimits(now: () => Date) {
  const limits = new Map<number, RateLimit>()
  return (key: string, perMinute: number) => {
    const limit = limits.get(perMinute) ?? rateLimit({ count: perMinute, perSeconds: 60, now })
    limits.set(perMinute, limit)
    return limit.take(key)
  }
}

function sandboxes(config: Config, adapters: Needs, guards: Guards, workloads: ControlPlane) {
  const { sandboxFiles: files, runSandboxCommand: runCommand } = adapters
  return sandboxRoutes({
    ports: { ...adapters, ...workloads, files, runCommand },
    guards,
    serve: serveMcp({ ...guards, ...adapters, ...config.gateway, onSessionEnd: async () => {} }),
    publicUrl: config.addresses.inference,
  })
}

/** Lower case, because workloads may send the same headers in any case. */
const alwaysSent = ({ isSecure }: Config) =>
  Object.fromEntries([...securityHeaderValues({ https: isSecure })].map(([name, value]) => [name.toLowerCase(), value]))

type Open<T> = (workspace: string, name: string) => Promise<T>

/** Another process sees a change within a second, this one at once. Missing workloads are not cached. */
function withTtlCache<T>(open: Open<T>, changes: ResourceChanges): Open<T> {
  const load = (key: string) => open(...(JSON.parse(key) as [string, string]))
  const known = ttlCache(load, { ttlMs: 1_000, capacity: 10_000 })
  const kinds = new Set(['agent', 'model', 'integrationconnection'])
  changes.listen(({ kind }) => kinds.has(kind) && known.clear())
  return (workspace, name) => known.get(JSON.stringify([workspace, name]))
}

function withSharedLoad<T>(open: Open<T>): Open<T> {
  const load = sharedLoad((key) => open(...(JSON.parse(key) as [string, string])))
  return (workspace, name) => load(JSON.stringify([workspace, name]))
}
