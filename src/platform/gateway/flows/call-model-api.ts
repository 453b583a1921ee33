import { describeError, type Log } from '../../../kit/process/log.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { Usage } from '../../shared/domain/usage.ts'
import type { Connection } from '../domain/connection.ts'
import { type Divided, divided } from '../domain/divided-requests.ts'
import { keyIn, modelRequest } from '../domain/model-api.ts'
import { type AnswerUsage, billedTokens, noUsage, promptText } from '../domain/model-usage.ts'
import type { ControlPlane } from '../domain/ports.ts'
import { reached, type TokenLimit, type TokenUse, windowOf, windowsOf } from '../domain/token-limit.ts'
import {
  type Gone,
  type Headers,
  type ModelApi,
  type Runtimes,
  running,
  type Serve,
  type Workload,
  type WorkloadAnswer,
  withOwnTimeout,
} from '../domain/workload.ts'
import { meteredAnswer } from './metered-answer.ts'
import type { OutlastCaller } from './outlast-caller.ts'

export type OpenModelImage = Divided<{ model: Workload; serve: Serve; key: string | undefined }>

export type OpenModelApi = {
  workspace: string
  model: Workload
  api: ModelApi
  connection: Connection
  limits: readonly TokenLimit[]
}

export type OpenModel = OpenModelImage | OpenModelApi

type ModelPorts = Pick<ControlPlane, 'findWorkload' | 'findConnection' | 'findTokenLimits'> & {
  runtimes: Pick<Runtimes, 'model'>
}

export async function openModel(
  { findWorkload, findConnection, findTokenLimits, runtimes }: ModelPorts,
  workspace: string,
  name: string,
): Promise<OpenModel> {
  const model = running(await findWorkload(workspace, 'model', name), 'model')
  const [first] = model.connections
  const connection = first === undefined ? undefined : await findConnection(workspace, first)
  if (!model.image && model.api && connection) {
    const limits = await findTokenLimits(workspace, model.policies)
    return { workspace, model, api: model.api, connection, limits }
  }
  return divided(model, (each) => {
    const serve = runtimes.model(each)
    if (!serve) throw new Failure('workload_unavailable', `No runtime is configured for the image ${each.image}.`)
    return { model: each, serve: withOwnTimeout(serve, each), key: connection && keyIn(connection.secrets) }
  })
}

type ModelCall = { requestId: string; path: string; headers: Headers; body: string; signal: Gone }

export type CallPorts = {
  modelServer(baseUrl: string): Serve | undefined
  outlastCaller: OutlastCaller
  usage: Usage
  tokenUse: TokenUse
  log: Log<'usage.estimated' | 'tokens.uncounted'>
  now: () => Date
}

/** Reads on for a while after the caller hangs up, then estimates usage that is still missing. */
export async function callModelApi(
  ports: CallPorts,
  open: OpenModelApi,
  { requestId, signal, ...asked }: ModelCall,
): Promise<WorkloadAnswer> {
  const { api, connection } = open
  const { baseUrl, path, headers, body, hidesUsage, isFree } = modelRequest({ api, connection, ...asked })
  const server = ports.modelServer(baseUrl)
  const serve = server && withOwnTimeout(server, open.model)
  if (!serve) throw unusable(open, 'is blocked: its address must be https, public and on port 443')
  const startedAt = ports.now()
  if (!isFree) await assertWithinLimits(ports, open)
  const upstream = ports.outlastCaller(signal)
  const report = (usage: AnswerUsage) => {
    upstream.end()
    if (!isFree) record(ports, open, { requestId, startedAt, usage, promptLength: () => promptText(JSON.parse(body)) })
  }
  const answer = await serve({ method: 'POST', path, headers, body, signal: upstream.signal }).catch((error) => {
    // The provider got the request and the whole grace period.
    if (upstream.isCutOff()) report(noUsage)
    upstream.end()
    throw error
  })
  await assertUsable(open, answer).catch((error) => {
    upstream.end()
    throw error
  })
  const contentType = String(answer.headers['content-type'] ?? '')
  const secret = secretIn(open)
  return {
    ...answer,
    headers: answeredHeaders(answer.headers, secret),
    body: meteredAnswer(answer.body, {
      contentType,
      hidesUsage,
      secret,
      report: answer.status < 300 ? report : upstream.end,
    }),
  }
}

const unusable = ({ model, connection }: OpenModelApi, problem: string) =>
  new Failure(
    'connection_unusable',
    `The API of the model ${model.name} ${problem}. The owner of the connection ${connection.name} can fix this.`,
  )

/** A 401 of the provider is about the connection's key, so it must not look like the caller's error. */
async function assertUsable(open: OpenModelApi, { status, headers, body }: WorkloadAnswer): Promise<void> {
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase()
  const problem =
    status === 401 || status === 403
      ? `rejected the key of its connection (status ${status})`
      : status >= 300 && status < 400
        ? `returned a redirect, which is not followed (status ${status})`
        : encoding !== 'identity'
          ? 'returned an unsupported content encoding'
          : undefined
  if (problem === undefined) return
  await body[Symbol.asyncIterator]().return?.()
  throw unusable(open, problem)
}

/** These identify the owner's account; the length changes when the key is removed. */
const keptBack = new Set([
  'content-length',
  'openai-organization',
  'openai-project',
  'anthropic-organization-id',
  'www-authenticate',
])

function secretIn({ connection }: OpenModelApi): string | undefined {
  const key = keyIn(connection.secrets)
  return key !== undefined && key.length >= 8 ? key : undefined
}

const answeredHeaders = (headers: Headers, secret: string | undefined): Headers =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => !keptBack.has(name) && !(secret && String(value).includes(secret)),
    ),
  )

async function assertWithinLimits({ tokenUse, now }: CallPorts, { model, limits }: OpenModelApi): Promise<void> {
  for (const limit of limits) {
    const window = windowOf(limit, now())
    const words = reached(limit, await tokenUse.used(model.id, window))
    if (words === undefined) continue
    const retryAfterSeconds = Math.max(1, Math.ceil((window.endsAt.getTime() - now().getTime()) / 1_000))
    const detail = `The policy ${limit.policy} allows the model ${model.name} ${words} per ${limit.step === 1 ? '' : `${limit.step} `}${limit.granularity}.`
    throw new Failure('too_many_requests', detail, { retryAfterSeconds })
  }
}

type UsageReport = { requestId: string; startedAt: Date; usage: AnswerUsage; promptLength: () => number }

/** Estimates are marked in the event ID and logged. */
function record(
  { usage: billed, tokenUse, now, log }: CallPorts,
  { model, workspace, limits }: OpenModelApi,
  { requestId, startedAt, usage, promptLength }: UsageReport,
) {
  const { input, output, estimated } = billedTokens(usage, promptLength)
  const event = {
    workspace,
    resourceType: 'model' as const,
    resourceName: model.name,
    resourceUuid: model.id,
    startedAt,
    endedAt: now(),
  }
  const mark = estimated ? '-estimated' : ''
  for (const [kind, quantity] of [['input', input] as const, ['output', output] as const]) {
    const dimension = `model_${kind}_tokens_count` as const
    if (quantity > 0) billed.record({ ...event, eventId: `${requestId}-${kind}${mark}`, dimension, quantity })
  }
  tokenUse
    .add(model.id, windowsOf(limits, now()), { input, output })
    .catch((error) => log('tokens.uncounted', { code: describeError(error) }))
  if (estimated) log('usage.estimated', { requestId, workspace, count: input + output })
}
