import { z } from 'zod'
import { describeError, type Log } from '../../../kit/process/log.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { type Divided, divided } from '../domain/divided-requests.ts'
import { maxMessageChars, type Thread, type ThreadMemory } from '../domain/thread.ts'
import {
  type FindWorkload,
  type Runtimes,
  running,
  type Serve,
  type Workload,
  type WorkloadAnswer,
  type WorkloadRequest,
  withOwnTimeout,
} from '../domain/workload.ts'
import { withCopy } from './copy-answer.ts'

export type OpenAgent = Divided<{ agent: Workload; serve: Serve }>

export type ThreadedCall = (
  serve: Serve,
  thread: Thread,
  request: WorkloadRequest & { body: string },
) => Promise<WorkloadAnswer>

type Needs = {
  findWorkload: FindWorkload
  runtimes: Pick<Runtimes, 'agent'>
  threads: ThreadMemory | undefined
  log: Log<'thread.unstored'>
}

export const openAgent =
  ({ findWorkload, runtimes }: Pick<Needs, 'findWorkload' | 'runtimes'>) =>
  async (workspace: string, name: string): Promise<OpenAgent> => {
    return divided(running(await findWorkload(workspace, 'agent', name), 'agent'), (agent) => {
      const serve = runtimes.agent(agent)
      if (!serve) throw new Failure('workload_unavailable', `No runtime is configured for the image ${agent.image}.`)
      return { agent, serve: withOwnTimeout(serve, agent) }
    })
  }

const Inputs = z.looseObject({ inputs: z.string().default('') })

/** Adds the thread's messages to the body and stores the answer. The body is buffered; the answer is streamed. */
export const threadedCall =
  ({ threads, log }: Pick<Needs, 'threads' | 'log'>): ThreadedCall =>
  async (serve, thread, request) => {
    if (!threads) throw new Failure('workload_unavailable', 'Threads are disabled: REDIS_URL is not set.')
    const sent = parseJson(request.body)
    const { inputs: said } = Inputs.parse(sent)
    const before = await threads.recall(thread)
    const body = writeJson({ ...(sent as object), messages: before })
    const answer = await serve({ ...request, body })
    if (answer.status >= 400) return answer
    const turn = (content: string) => [
      { role: 'user' as const, content: said },
      { role: 'assistant' as const, content },
    ]
    // The caller already has the answer; if Redis is down, the thread only misses these messages.
    const keep = (content: string) =>
      threads.remember(thread, turn(content)).catch((error) => log('thread.unstored', { code: describeError(error) }))
    return { ...answer, body: withCopy(answer.body, maxMessageChars, ({ text }) => keep(text)) }
  }

function parseJson(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    throw new Failure('input_invalid', 'The body must be JSON.')
  }
}

/** JSON.parse accepts deeper values than JSON.stringify. */
function writeJson(value: object): string {
  try {
    return JSON.stringify(value)
  } catch {
    throw new Failure('input_invalid', 'The body is nested too deeply.')
  }
}
