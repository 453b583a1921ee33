import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import type { Request, Response } from 'express'
import type pg from 'pg'
import { type OpaqueCursors, opaqueCursors } from '../../kit/crypto/opaque-cursor.ts'
import type { SealedBox } from '../../kit/crypto/sealed-box.ts'
import type { RedisClient } from '../../kit/database/redis.ts'
import type { RequestDurations } from '../../kit/http/request-metrics.ts'
import { ignoreError } from '../../kit/process/ignore-error.ts'
import { describeError, type Log } from '../../kit/process/log.ts'
import type { Metrics } from '../../kit/process/metrics.ts'
import { closeAll } from '../../kit/process/program.ts'
import { type LoopReports, repeat } from '../../kit/process/repeat.ts'
import type { Tracing } from '../../kit/tracing/tracing.ts'
import type { Config } from '../config.ts'
import { diskSpool } from '../shared/adapters/usage-spool.ts'
import type { OpenAccounts } from '../shared/domain/account-door.ts'
import type { BrowserPeople, Caller } from '../shared/domain/caller.ts'
import type { Engine } from '../shared/domain/engine.ts'
import type { PlatformEvent } from '../shared/domain/log-events.ts'
import { platformMetrics } from '../shared/domain/metrics.ts'
import type { Guards } from '../shared/http/operation.ts'
import type { Sessions } from '../shared/http/own-pages.ts'
import { postgresUsage } from '../shared/postgres/usage-events.ts'
import { postgresAccessTokens } from './adapters/access-tokens.ts'
import { openAccountProxy } from './adapters/account-proxy/account-proxy.ts'
import { openApprovals } from './adapters/approvals/open-approvals.ts'
import { postgresAsyncRequests } from './adapters/async-requests.ts'
import { withSharedLoad, withTtlCache } from './adapters/cached-opening.ts'
import { callLimits } from './adapters/call-limits.ts'
import { callbackSender } from './adapters/callbacks.ts'
import { keepingContainers } from './adapters/containers/keeping-containers.ts'
import { postgresGrantProblems } from './adapters/grant-problems.ts'
import { modelServers, upstreams } from './adapters/http-runtime.ts'
import { postgresMcpEvents, postgresMcpSessions } from './adapters/mcp-sessions.ts'
import { observedThirdParty, toolCallObserver } from './adapters/observed-calls.ts'
import { relayServer } from './adapters/relay-server.ts'
import { postgresRepairs } from './adapters/repairs.ts'
import { runtimesOf } from './adapters/runtimes.ts'
import { sandboxAdapters } from './adapters/sandboxes/sandbox-adapters.ts'
import { sweepingStores } from './adapters/sweeping-stores.ts'
import { thirdParty } from './adapters/third-party.ts'
import { redisThreadMemory } from './adapters/thread-memory.ts'
import { postgresTokenUse } from './adapters/token-use.ts'
import { postgresToolCalls } from './adapters/tool-calls.ts'
import { postgresToolLists } from './adapters/tool-lists.ts'
import { lazyVendorMcp } from './adapters/vendor-mcp/lazy-vendor-mcp.ts'
import { openWaitingCalls } from './adapters/waiting-calls.ts'
import type { ControlPlane, ResourceChanges } from './domain/ports.ts'
import type { Recognize } from './domain/repair.ts'
import { type GetAccessToken, getLiveToken, tokensOf } from './flows/access-token.ts'
import { answerLater } from './flows/answer-later.ts'
import { openModel } from './flows/call-model-api.ts'
import { callTool } from './flows/call-tool.ts'
import { fireAgents } from './flows/fire-agents.ts'
import { callForwardedTool } from './flows/forwarded-tools.ts'
import { type GrantNotes, grantNotes } from './flows/grant-notes.ts'
import { keepContainers } from './flows/keep-containers.ts'
import { openFunction } from './flows/open-function.ts'
import { grantGaps } from './flows/open-repair.ts'
import { unattendedRequests } from './flows/outlast-caller.ts'
import { refreshIdleGrants } from './flows/refresh-idle-grants.ts'
import { openRelay } from './flows/relay/relay-request.ts'
import { removeFolders } from './flows/remove-folders.ts'
import { openAgent, threadedCall } from './flows/run-agent.ts'
import { type RunProcesses, runProcesses } from './flows/sandbox/run-processes.ts'
import { openFunctionImage } from './flows/servers/open-function-image.ts'
import type { PersonPorts } from './flows/servers/open-person.ts'
import { openVendorServer } from './flows/vendor-server.ts'
import { serveAgents } from './http/agent-routes.ts'
import { approvalPage, approvalPages } from './http/approval-pages.ts'
import { gatewayAnswers } from './http/gateway-errors.ts'
import { gatewayOperations } from './http/gateway-operations.ts'
import { serveMcpImage } from './http/mcp-image.ts'
import { mcpRoutes } from './http/mcp-routes.ts'
import { serveModels } from './http/model-routes.ts'
import { personRoutes } from './http/person-routes.ts'
import { commandAccounts } from './http/relay/account-requests.ts'
import { serveRelay } from './http/relay/relay-routes.ts'
import { repairPage, repairPages } from './http/repair-pages.ts'
import { sandboxRoutes } from './http/sandbox-routes.ts'
import { serveMcp } from './http/serve-mcp.ts'
import { type Completions, completions } from './http/streams/completions.ts'
import { tokenRoutes } from './http/token-routes.ts'
import { alwaysSent, workloadFastPath } from './http/workload-fast-path.ts'

type GatewayAdapters = ReturnType<typeof openGatewayAdapters>

type Reports = { log: Log<PlatformEvent>; loops: LoopReports; processMetrics: Metrics; tracing: Tracing }
type Stores = {
  pool: pg.Pool
  redis: RedisClient | undefined
  vault: SealedBox
  engine: Engine
}

export function openGatewayAdapters(config: Config, { pool, redis, vault, engine }: Stores, reports: Reports) {
  const relayed = relayServer({ silentForMs: config.gateway.silentMs })
  const parties = { ...thirdParty({ mcpAllow: config.mcpEgressAllow }), sendRelayed: relayed.send }
  const { sendRelayed, ...outside } = observedThirdParty(parties, reports)
  const states = opaqueCursors(config.encryptionKeys, 60 * 60)
  const waiting = openWaitingCalls(pool, states)
  const onPageDone = (session: string, id: string) =>
    void waiting.donePages.add(session, id).catch(ignoreError('the client may repeat its call without it'))
  const vendors = lazyVendorMcp({ allow: config.mcpEgressAllow, ...config.gateway, onPageDone })
  const unspooled = reports.processMetrics.counter(platformMetrics.usageUnspooled)
  const spoolFolder = join(config.dataFolder, 'usage')
  const noteUnspooled = (error: unknown) => {
    unspooled.inc()
    reports.log('usage.unspooled', { code: describeError(error), detail: spoolFolder })
  }
  const usage = postgresUsage(pool, diskSpool(spoolFolder, { onError: noteUnspooled }), reports.loops)
  const toolCalls = postgresToolCalls(pool, { ...reports.loops, log: reports.log })
  const sandboxParts = sandboxAdapters({ pool, engine }, config)
  const upstream = upstreams({ silentForMs: config.gateway.silentMs })
  const runtimes = runtimesOf(config.runtimes, upstream, sandboxParts.scaled?.serve)
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
    sendRelayed,
    ...sandboxParts,
    sendCallback: callbacks.send,
    mayCallBack: callbacks.mayCall,
    usage,
    tokenUse: postgresTokenUse(pool),
    toolCalls,
    toolLists: postgresToolLists(pool),
    grantProblems: postgresGrantProblems(pool),
    repairs: postgresRepairs(pool, () => randomBytes(16).toString('base64url')),
    ...openApprovals({ pool, vault, keyring: config.encryptionKeys, states }),
    vendorMcp: vendors,
    ...waiting,
    closeGateway: closeAll(
      vendors.close,
      outside.close,
      runtimes.close,
      relayed.close,
      sandboxParts.sandboxPorts.close,
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
    completions: Completions
    approvalPage(id: string): string
    repairPage(id: string): string
  }

type Others = PersonPorts & {
  workloads: ControlPlane
  isContainer(image: string): boolean
  openTo(caller: Caller): Promise<string[]>
  recognize: Recognize<Request, Response>
  peopleIn(callerId: string, req: Request, res: Response): Promise<BrowserPeople>
  sessions: Pick<Sessions, 'signInAddress'>
}

export function assembleGateway(
  config: Config,
  opened: Omit<Needs, 'completions' | 'approvalPage' | 'repairPage'>,
  guards: Guards,
  others: Others,
) {
  const { workloads, openTo } = others
  const publicUrl = config.addresses.auth
  const pages = {
    approvalPage: (id: string) => approvalPage(publicUrl, id),
    repairPage: (id: string) => repairPage(publicUrl, id),
  }
  const told = completions([opened.elicitations, opened.approvalElicitations, opened.donePages])
  const adapters: Needs = { ...opened, ...pages, completions: told }
  const open = withTtlCache(openAgent({ ...adapters, ...workloads }), adapters.changes)
  const threaded = threadedCall(adapters)
  const later = answerLater({
    ...adapters,
    ...workloads,
    ...config.gateway,
    headers: config.headers,
    openAgent: open,
    threadedCall: threaded,
  })
  const liveToken = getLiveToken({ ...adapters, workloads })
  const accessToken = tokensOf(liveToken)
  const refreshIdle = refreshIdleGrants({ ...adapters, ...config, workloads, accessToken })
  const grantNoting = grantNotes({ ...adapters, workloads })
  const takeCall = callLimits(adapters.now)
  const shared = { workloads, accessToken, grantNotes: grantNoting, takeCall }
  const relayed = withSharedLoad(openRelay({ workloads, integrations: config.integrations }))
  const functionRoutes = [
    ...functions(config, adapters, guards, { ...shared, ...others }),
    tokenRoutes({ ...adapters, ...shared, ...config, liveToken }, relayed, guards),
  ]
  const unattended = unattendedRequests(adapters)
  const answers = gatewayAnswers(config.headers, adapters.log, adapters.now)
  const ports = { ...adapters, ...shared, ...config }
  const openAccounts = commandAccounts({ ...config, ports, openRelay: relayed, answers, openProxy: openAccountProxy })
  const runningProcesses = runProcesses(adapters)
  const routes = sandboxes(config, adapters, guards, { ...others, ...workloads, openAccounts, runningProcesses })
  const handlers = {
    agents: serveAgents(
      { ...adapters, ...workloads, openAgent: open, threadedCall: threaded, answerLater: later },
      guards,
      config.isSecure,
    ),
    models: serveModels(
      { ...adapters, ...unattended },
      withTtlCache((...of) => openModel({ ...adapters, ...workloads }, ...of), adapters.changes),
      guards,
      config.isSecure,
    ),
    relay: serveRelay(ports, relayed, guards, config.addresses.inference),
  }
  const always = alwaysSent(config)
  const fastPath = (app: RequestListener, durations: RequestDurations) =>
    workloadFastPath({ ...handlers, app, always, answers, durations, log: adapters.log })
  const turns = [
    ...keepingContainers((containers) => keepContainers({ ...adapters, ...others, containers }), adapters),
    sweepingStores({ ...adapters, remove: removeFolders(adapters) }),
    repeat('renew-sandbox-processes', 1_000, runningProcesses.renew, adapters.loops),
    repeat('fire-agents', 5_000, fireAgents({ ...adapters, ...workloads }), adapters.loops),
    repeat('tell-completed-elicitations', 1_000, adapters.completions.tellAll, adapters.loops),
    repeat('take-async-requests', 1_000, later.takeDue, adapters.loops),
    repeat('renew-async-requests', 5_000, later.renew, adapters.loops),
    repeat('refresh-idle-grants', idleSweepMs, refreshIdle, adapters.loops),
  ]
  const close = async () => {
    await Promise.all(turns.map((turn) => turn.stop()))
    unattended.stop()
    await runningProcesses.stopAll()
    await later.stop(config.shutdownMs)
  }
  const routesOfPages = [
    repairPages({ ports: { ...adapters, workloads, ...config }, ...others }),
    approvalPages({ ports: adapters, publicUrl, ...others }),
  ]
  const operations = gatewayOperations({ ...adapters, ...others, ...config, workloads, openTo })
  return { pages: routesOfPages, routes, functionRoutes, answers, fastPath, operations, openAccounts, close }
}

const idleSweepMs = 60 * 60 * 1_000

function functions(config: Config, adapters: Needs, guards: Guards, shared: CallPorts & PersonPorts) {
  const observed = toolCallObserver(adapters.processMetrics)
  const call = observed(callTool({ ...adapters, ...shared }))
  const callForwarded = observed(callForwardedTool({ ...adapters, ...shared }))
  const vendorServer = openVendorServer({ ...adapters, ...shared, callForwarded })
  const open = openFunction({ ...config, ...shared, ...adapters.runtimes, callTool: call, vendorServer })
  const { inference: gatewayUrl, auth: issuer } = config.addresses
  const openImage = openFunctionImage({ ...adapters, findWorkload: shared.workloads.findWorkload })
  const parts = {
    ports: { ...adapters, ...shared, ways: { grant: grantGaps({ ...adapters, ...shared }) } },
    openFunction: withSharedLoad(open),
    guards,
    serve: serveMcp({ ...guards, ...adapters, ...config.gateway, onSessionEnd: adapters.vendorMcp.endSession }),
    serveImage: serveMcpImage({ ...guards, openImage: withTtlCache(openImage, adapters.changes) }),
    addresses: { gatewayUrl, issuer, welcome: config.mcpBrowserOrigins },
  }
  return [mcpRoutes(parts), personRoutes(parts)]
}

type CallPorts = {
  workloads: ControlPlane
  accessToken: GetAccessToken
  grantNotes: GrantNotes
  takeCall: ReturnType<typeof callLimits>
}

type SandboxPorts = ControlPlane & {
  openAccounts: OpenAccounts
  isContainer(image: string): boolean
  runningProcesses: RunProcesses
}

function sandboxes(config: Config, adapters: Needs, guards: Guards, workloads: SandboxPorts) {
  return sandboxRoutes({
    ports: { ...adapters, ...workloads, ...config.gateway },
    guards,
    serve: serveMcp({ ...guards, ...adapters, ...config.gateway, onSessionEnd: async () => {} }),
    publicUrl: config.addresses.inference,
  })
}
