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
  mostClaims,
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
  atATime,
  mostOfWorkspace,
  type NewAsyncRequest,
  shareOfWorkspace,
} from '../domain/async-request.ts'
import type { WorkloadAnswer } from '../domain/workload.ts'
import { type AnswerCopy, readCopy, withCopy } from './copy-answer.ts'
import type { OpenAgent, ThreadedCall } from './run-agent.ts'

type Needs = {
  asyncRequests: AsyncRequests
  openAgent(workspace: string, name: string): Promise<OpenAgent>
  threadedCall: ThreadedCall
  sendCallback: SendCallback
  /** Adds an event to the agent, for its owner. */
  noteCallback(workspace: string, agent: string, message: string): Promise<void>
  headers: BrandedHeaders
  usage: Usage
  log: Log<'async_request.abandoned' | 'callback.unstored'>
  now: () => Date
  pause: (ms: number) => Promise<void>
  longestMs: number
}

export type AnswerLater = ReturnType<typeof answerLater>

/**
 * Calls agents without making callers wait, and delivers the answers to callbacks. An accepted request is stored first,
 * so it survives this process: it is sent and delivered at least once, always under the same id.
 */
export const answerLater = (needs: Needs) => {
  const { asyncRequests, log } = needs
  const owner = randomUUID()
  const underWay = new Map<string, { workspace: string; isSuspect: boolean; over: Promise<void> }>()
  const work = (request: AsyncRequest) =>
    perform(needs, owner, request).catch((error) => log('async_request.abandoned', { code: describeError(error) }))
  /** Counted at once, so that a burst cannot start more than the limit. */
  const start = (request: AsyncRequest, written: Promise<void>) => {
    const worked = written.then(() => work(request), ignoreError('the sender gets the error'))
    const over = worked.finally(() => underWay.delete(request.id))
    underWay.set(request.id, { workspace: request.workspace, isSuspect: request.claims > suspectClaims, over })
  }
  const taken = () => countBy([...underWay.values()].map(({ workspace }) => workspace))
  return {
    async accept(request: NewAsyncRequest): Promise<void> {
      const hasRoom = underWay.size < atATime && (taken().get(request.workspace) ?? 0) < shareOfWorkspace
      const written = asyncRequests.add(request, hasRoom ? owner : undefined).then(assertAdded)
      if (hasRoom) start({ ...request, answer: undefined, claims: 1, refusals: 0 }, written)
      await written
    },

    /** An answer that its caller gets as well: it is stored before its end is sent, and delivered as the others are. */
    telling(request: NewAsyncRequest, answer: WorkloadAnswer): WorkloadAnswer {
      const keep = async (copy: AnswerCopy) => {
        await asyncRequests
          .add(request, undefined, new Secret({ status: answer.status, ...copy }))
          .then(assertAdded)
          .catch((error) => log('callback.unstored', { code: describeError(error) }))
      }
      return { ...answer, body: withCopy(answer.body, largestReply, keep) }
    },

    /** Takes what is due; the rest is for those who have room. */
    async takeDue(): Promise<void> {
      const total = atATime - underWay.size
      if (total <= 0) return
      const suspects = [...underWay.values()].some(({ isSuspect }) => isSuspect) ? 0 : 1
      const { requests, lost } = await asyncRequests.claim(owner, { total, taken: taken(), suspects })
      for (const request of requests) start(request, Promise.resolve())
      for (const { id, workspace, agent } of lost) {
        await needs.noteCallback(workspace, agent, lostMessage(id))
        await asyncRequests.done(id, owner)
      }
    },

    /** Only what is under way: what was left to its lease must come to its end. */
    async renew(): Promise<void> {
      if (underWay.size > 0) await asyncRequests.renew(owner, [...underWay.keys()])
    },

    /** Lets what is under way end; what does not is another process's at once. */
    async stop(deadlineMs: number): Promise<void> {
      await Promise.race([Promise.all([...underWay.values()].map(({ over }) => over)), needs.pause(deadlineMs)])
      if (underWay.size > 0) await asyncRequests.release(owner)
    },
  }
}

const lostMessage = (id: string) =>
  `The asynchronous request ${id} was given up: what was stored of it cannot be decrypted. Ask the operator of the platform to restore the encryption key, then send it again.`

function assertAdded(added: boolean): void {
  if (added) return
  const detail = `${mostOfWorkspace} asynchronous requests of this workspace are not over yet, which is the limit. Try again in 5 s.`
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

/** Returns false if it should be tried again. After the last attempt the receiver never gets it, so the agent gets an event for its owner. */
async function deliverOrGiveUp(
  needs: Needs,
  request: AsyncRequest,
  callback: Callback,
  answer: AgentReply,
): Promise<boolean> {
  const isHopeless = request.answer !== undefined && request.claims > mostClaims
  const delivery = isHopeless ? lostDelivery : await deliver(needs, request, callback, answer)
  if (delivery.taken) return true
  if (!delivery.refused && request.refusals + 1 < callback.attempts) return false
  await needs.noteCallback(request.workspace, request.agent, undeliveredMessage(callback.url, delivery))
  return true
}

/** What goes wrong is an answer too: somebody waits for one. */
async function ask(needs: Needs, request: AsyncRequest): Promise<AgentReply> {
  if (request.claims > mostClaims)
    return failed('The agent was asked several times, and no process lived to see it answer.')
  const limit = limitOf(needs, request)
  try {
    const opened = await needs.openAgent(request.workspace, request.agent)
    const startedAt = needs.now()
    const meter = () => needs.usage.record(runtimeOf(request, opened.agent.memoryMb, startedAt, needs.now()))
    return await answerOf(needs, request, opened, limit).then(read).finally(meter)
  } catch (error) {
    if (limit.signal.aborted) return failed('The agent did not answer in time.')
    return failed(error instanceof Failure ? error.detail : 'The workload failed.')
  }
}

/** Nobody waits on a connection here, so the agent may be silent for as long as it may take. */
function limitOf({ longestMs }: Needs, { asked }: AsyncRequest) {
  const silentForMs = Math.min(asked.reveal().callback?.timeoutMs ?? longestMs, longestMs)
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

/** The same event however often the agent was asked: a request is billed once. */
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
const largestReply = 1024 * 1024

const read = async ({ status, body }: WorkloadAnswer): Promise<AgentReply> => ({
  status,
  ...(await readCopy(body, largestReply)),
})
