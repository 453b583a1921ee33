import { randomUUID } from 'node:crypto'
import type { BrandedHeaders } from '../../../contract/headers.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { ignoreError } from '../../../kit/process/ignore-error.ts'
import { describeError, type Log } from '../../../kit/process/log.ts'
import {
  type Callback,
  callbackBody,
  callbackHeaders,
  type Delivery,
  lostDelivery,
  maxClaims,
  type SendCallback,
  suspectClaims,
  undeliveredMessage,
} from '../../shared/domain/callback.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { gigabyteSeconds, type Usage } from '../../shared/domain/usage.ts'
import {
  type AgentReply,
  type AsyncRequest,
  type AsyncRequests,
  againInSeconds,
  maxConcurrent,
  maxConcurrentOf,
  maxStoredOf,
  type NewAsyncRequest,
  shareOf,
} from '../domain/async-request.ts'
import { isForCanary } from '../domain/divided-requests.ts'
import type { ControlPlane } from '../domain/ports.ts'
import type { WorkloadAnswer } from '../domain/workload.ts'
import { type AnswerCopy, readCopy, withCopy } from './copy-answer.ts'
import type { OpenAgent, ThreadedCall } from './run-agent.ts'

type Needs = Pick<ControlPlane, 'noteCallback'> & {
  asyncRequests: AsyncRequests
  openAgent(workspace: string, name: string): Promise<OpenAgent>
  threadedCall: ThreadedCall
  sendCallback: SendCallback
  headers: BrandedHeaders
  usage: Usage
  log: Log<'async_request.abandoned' | 'callback.unstored'>
  now: () => Date
  pause: (ms: number) => Promise<void>
  maxMs: number
}

export type AnswerLater = ReturnType<typeof answerLater>

/** An accepted request is stored first, so it is sent and delivered at least once, with the same ID. */
export const answerLater = (needs: Needs) => {
  const { asyncRequests, log } = needs
  const owner = randomUUID()
  const underWay = new Map<string, { share: string; isSuspect: boolean; over: Promise<void> }>()
  const work = (request: AsyncRequest) =>
    perform(needs, owner, request).catch((error) => log('async_request.abandoned', { code: describeError(error) }))
  /** Counted at once, so a burst cannot exceed the limit. */
  const start = (request: AsyncRequest, written: Promise<void>) => {
    const worked = written.then(() => work(request), ignoreError('accept() reports it'))
    const over = worked.finally(() => underWay.delete(request.id))
    underWay.set(request.id, { share: shareOf(request), isSuspect: request.claims > suspectClaims, over })
  }
  const taken = () => countBy([...underWay.values()].map(({ share }) => share))
  return {
    async accept(request: NewAsyncRequest): Promise<void> {
      const hasRoom = underWay.size < maxConcurrent && (taken().get(shareOf(request)) ?? 0) < maxConcurrentOf(request)
      const written = asyncRequests.add(request, hasRoom ? owner : undefined).then(assertAdded(request))
      if (hasRoom) start({ ...request, answer: undefined, claims: 1, refusals: 0 }, written)
      await written
    },

    /** For an answer that the caller also gets. It is stored before its last byte is sent. */
    telling(request: NewAsyncRequest, answer: WorkloadAnswer): WorkloadAnswer {
      const keep = async (copy: AnswerCopy) => {
        await asyncRequests
          .add(request, undefined, new Secret({ status: answer.status, ...copy }))
          .then(assertAdded(request))
          .catch((error) => log('callback.unstored', { code: describeError(error) }))
      }
      return { ...answer, body: withCopy(answer.body, maxReplyBytes, keep) }
    },

    async takeDue(): Promise<void> {
      const total = maxConcurrent - underWay.size
      if (total <= 0) return
      const suspects = [...underWay.values()].some(({ isSuspect }) => isSuspect) ? 0 : 1
      const { requests, lost } = await asyncRequests.claim(owner, { total, taken: taken(), suspects })
      for (const request of requests) start(request, Promise.resolve())
      for (const { id, workspace, agent } of lost) {
        await needs.noteCallback(workspace, agent, lostMessage(id))
        await asyncRequests.done(id, owner)
      }
    },

    /** Renews only requests in progress; the others must expire. */
    async renew(): Promise<void> {
      if (underWay.size > 0) await asyncRequests.renew(owner, [...underWay.keys()])
    },

    async stop(deadlineMs: number): Promise<void> {
      await Promise.race([Promise.all([...underWay.values()].map(({ over }) => over)), needs.pause(deadlineMs)])
      if (underWay.size > 0) await asyncRequests.release(owner)
    },
  }
}

const lostMessage = (id: string) =>
  `The asynchronous request ${id} was dropped because it cannot be decrypted. Ask the operator to restore the encryption key, then send the request again.`

const assertAdded =
  (request: NewAsyncRequest) =>
  (added: boolean): void => {
    if (added) return
    const what = `${maxStoredOf(request)} ${request.isAnonymous ? 'anonymous ' : ''}asynchronous requests`
    const detail = `${what} of this workspace are in progress, which is the maximum. Try again in 5 s.`
    throw new Failure('too_many_requests', detail, { retryAfterSeconds: 5 })
  }

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

async function perform(needs: Needs, owner: string, request: AsyncRequest): Promise<void> {
  const { callback } = request.asked.reveal()
  const answer = request.answer?.reveal() ?? (await ask(needs, request))
  const isStored = request.answer !== undefined || !callback
  if (!isStored && !(await needs.asyncRequests.answered(request.id, owner, new Secret(answer)))) return
  const isOver = !callback || (await deliverOrGiveUp(needs, request, callback, answer))
  if (isOver) return needs.asyncRequests.done(request.id, owner)
  await needs.asyncRequests.refused(request.id, owner, againInSeconds(request.refusals + 1))
}

/** Returns false if the delivery should be retried. After the last attempt the agent's owner gets an event. */
async function deliverOrGiveUp(
  needs: Needs,
  request: AsyncRequest,
  callback: Callback,
  answer: AgentReply,
): Promise<boolean> {
  const isHopeless = request.answer !== undefined && request.claims > maxClaims
  const delivery = isHopeless ? lostDelivery : await deliver(needs, request, callback, answer)
  if (delivery.taken) return true
  if (!delivery.refused && request.refusals + 1 < callback.attempts) return false
  await needs.noteCallback(request.workspace, request.agent, undeliveredMessage(callback.url, delivery))
  return true
}

/** Errors become answers, because the callback expects one. */
async function ask(needs: Needs, request: AsyncRequest): Promise<AgentReply> {
  if (request.claims > maxClaims)
    return failed('The agent was called several times, and each time the process stopped before it answered.')
  const limit = limitOf(needs, request)
  try {
    const divided = await needs.openAgent(request.workspace, request.agent)
    const { thread } = request.asked.reveal()
    const opened = (isForCanary(divided.agent, { thread }, Math.random()) && divided.canary) || divided
    const startedAt = needs.now()
    const meter = () => needs.usage.record(runtimeOf(request, opened.agent.memoryMb, startedAt, needs.now()))
    return await answerOf(needs, request, opened, limit).then(read).finally(meter)
  } catch (error) {
    if (limit.signal.aborted) return failed('The agent did not answer in time.')
    return failed(error instanceof Failure ? error.detail : 'The workload failed.')
  }
}

/** No connection waits, so the agent may be silent for the whole time. */
function limitOf({ maxMs }: Needs, { asked }: AsyncRequest) {
  const silentForMs = Math.min(asked.reveal().callback?.timeoutMs ?? maxMs, maxMs)
  return { silentForMs, signal: AbortSignal.timeout(silentForMs) }
}

type Limit = ReturnType<typeof limitOf>

function answerOf(
  { threadedCall }: Needs,
  { workspace, asked }: AsyncRequest,
  { agent, serve }: OpenAgent,
  limit: Limit,
) {
  const { thread: id, callback: _, ...sent } = asked.reveal()
  const request = { ...sent, ...limit }
  return id === undefined ? serve(request) : threadedCall(serve, { workspace, agent: agent.id, id }, request)
}

function deliver(needs: Needs, { id }: AsyncRequest, { url, secret }: Callback, reply: AgentReply): Promise<Delivery> {
  const body = callbackBody(reply.status, reply.text, reply.length, needs.now())
  const headers = callbackHeaders(needs.headers, secret, body, needs.now())
  return needs.sendCallback(url, { ...headers, 'x-request-id': id }, body)
}

const failed = (text: string): AgentReply => ({ status: 502, text, length: text.length })

/** The same event ID for every attempt, so a request is billed once. */
const runtimeOf = (
  { id, workspace, agent, agentId }: AsyncRequest,
  memoryMb: number,
  startedAt: Date,
  endedAt: Date,
) => ({
  eventId: id,
  workspace,
  resourceType: 'agent' as const,
  resourceName: agent,
  resourceUuid: agentId,
  dimension: 'agent_compute_runtime_gbs' as const,
  quantity: gigabyteSeconds(memoryMb, startedAt, endedAt),
  startedAt,
  endedAt,
})

/** Longer answers are cut; `response_length` has the full length. */
const maxReplyBytes = 1024 * 1024

const read = async ({ status, body }: WorkloadAnswer): Promise<AgentReply> => ({
  status,
  ...(await readCopy(body, maxReplyBytes)),
})
