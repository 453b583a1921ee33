import type { Log } from '../../../kit/process/log.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { Usage } from '../../shared/domain/usage.ts'
import { keyIn, modelRequest } from '../domain/model-api.ts'
import { type AnswerUsage, billedTokens, noUsage, promptText } from '../domain/model-usage.ts'
import type { Gone, Headers, Serve, WorkloadAnswer } from '../domain/workload.ts'
import { meteredAnswer } from './metered-answer.ts'
import type { OpenModelApi } from './open-model.ts'
import type { OutlastCaller } from './outlast-caller.ts'

export type ModelCall = { requestId: string; path: string; headers: Headers; body: string; signal: Gone }

export type CallModelApi = (open: OpenModelApi, call: ModelCall) => Promise<WorkloadAnswer>

type Needs = {
  /** Returns undefined if the address is not one that is called from here. */
  modelServer(baseUrl: string): Serve | undefined
  outlastCaller: OutlastCaller
  usage: Usage
  log: Log<'usage.estimated'>
  now: () => Date
}

/**
 * Asks the provider's API with the key of the connection, and counts the tokens that its answer reports. What a caller
 * does not wait for was used all the same: it is read for a while longer, and estimated where that was not enough.
 */
export const callModelApi =
  (needs: Needs): CallModelApi =>
  async (open, { requestId, signal, ...asked }) => {
    const { api, connection } = open
    const { baseUrl, path, headers, body, hidesUsage, isFree } = modelRequest({ api, connection, ...asked })
    const serve = needs.modelServer(baseUrl)
    if (!serve) throw unusable(open, 'is not called from here: its address must be https, public and on port 443')
    const startedAt = needs.now()
    const upstream = needs.outlastCaller(signal)
    const report = (usage: AnswerUsage) => {
      upstream.end()
      if (!isFree)
        record(needs, open, { requestId, startedAt, usage, promptLength: () => promptText(JSON.parse(body)) })
    }
    const answer = await serve({ method: 'POST', path, headers, body, signal: upstream.signal }).catch((error) => {
      // Only then had it the request and all the time that it gets.
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
    `The API of the model ${model.name} ${problem}. The owner of the connection ${connection.name} can fix that.`,
  )

/**
 * What only the owner of the connection can fix must not look like the caller's own mistake: a 401 of the provider is
 * about its key. Everything else is the provider's answer to the caller, and passes.
 */
async function assertUsable(open: OpenModelApi, { status, headers, body }: WorkloadAnswer): Promise<void> {
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase()
  const problem =
    status === 401 || status === 403
      ? `did not accept the key of its connection (it answered ${status})`
      : status >= 300 && status < 400
        ? `answered with a redirect, which is not followed (${status})`
        : encoding !== 'identity'
          ? 'answered in an encoding that it was not asked for'
          : undefined
  if (problem === undefined) return
  await body[Symbol.asyncIterator]().return?.()
  throw unusable(open, problem)
}

/** Whose account it is, is the owner's business; the length changes where something is taken out. */
const keptBack = new Set([
  'content-length',
  'openai-organization',
  'openai-project',
  'anthropic-organization-id',
  'www-authenticate',
])

/** A text that is shorter would be found in any answer. */
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

type UsageReport = { requestId: string; startedAt: Date; usage: AnswerUsage; promptLength: () => number }

/** An estimate is marked where it is billed, by the name of its event, and told. */
function record(
  { usage: billed, now, log }: Needs,
  { model, workspace }: OpenModelApi,
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
  if (input > 0)
    billed.record({
      ...event,
      eventId: `${requestId}-input${mark}`,
      dimension: 'model_input_tokens_count',
      quantity: input,
    })
  if (output > 0)
    billed.record({
      ...event,
      eventId: `${requestId}-output${mark}`,
      dimension: 'model_output_tokens_count',
      quantity: output,
    })
  if (estimated) log('usage.estimated', { requestId, workspace, count: input + output })
}
