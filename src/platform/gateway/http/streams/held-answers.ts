// What tools answered stays in memory until the caller has read it, and for a while in the store. Neither has a limit of
// its own: a batch has a hundred answers, each of a megabyte and several times that as JSON.
import type { Response } from 'express'
import { failed, McpFailure, type OpenMcp, type ToolResult } from '../../domain/mcp.ts'
import { messageRate } from '../../domain/message-rate.ts'
import type { Exchange, JsonObject } from '../../domain/vendor/vendor-mcp.ts'

const megabyte = 1024 * 1024

/** Of one request, which may be a batch; the others of one workspace, in this process. */
const most = { inRequest: 8 * megabyte, unread: 64 * megabyte, unwritten: 32 * megabyte, kept: 256 * megabyte }

/** Of one request: progress and log entries of vendors' servers, each of which is written, and stored, for itself. */
const toldOnTheWay = { burst: 100, perSecond: 20 }

/** Calls of one request: an answer takes several times its size while it is read. */
const mostAtOnce = 8

export type HeldAnswers = {
  /** The same server, whose answers are held against what its workspace has not read yet. */
  bounded(workspace: string, mcp: OpenMcp, res: Response): OpenMcp
  /**
   * Returns undefined if so many bytes more may not be kept for a client that lost its connection; otherwise what to
   * call when they are in the store, and no longer in memory.
   */
  keep(workspace: string, bytes: number): (() => void) | undefined
}

/** `keptMs`: how long the store keeps answers. */
export function heldAnswers(keptMs: number, nowMs = () => performance.now()): HeldAnswers {
  const unread = counted(most.unread)
  const unwritten = counted(most.unwritten)
  const kept = counted(most.kept)
  return {
    bounded(workspace, mcp, res) {
      const { within, tell } = answersOfRequest(unread, workspace, res, nowMs)
      const { beyondTools } = mcp
      const refuse = (reason: string): never => {
        throw new McpFailure(reason, undefined)
      }
      return {
        ...mcp,
        call: (name, args, exchange) => within(() => mcp.call(name, args, told(exchange, tell)), bytesOf, failed),
        ...(beyondTools && {
          beyondTools: {
            ...beyondTools,
            ask: (method, params, exchange) =>
              within(() => beyondTools.ask(method, params, told(exchange, tell)), bytesOfJson, refuse),
          },
        }),
      }
    },
    keep(workspace, bytes) {
      if (!unwritten.add(workspace, bytes)) return undefined
      const written = () => unwritten.remove(workspace, bytes)
      if (!kept.add(workspace, bytes)) {
        written()
        return undefined
      }
      setTimeout(() => kept.remove(workspace, bytes), keptMs).unref()
      return written
    },
  }
}

type Sums = ReturnType<typeof counted>

type Tell = (listener: (message: JsonObject) => void, message: JsonObject) => void

/** Only who listens is told anything. */
const told = ({ onProgress, onLog, ...exchange }: Exchange, tell: Tell): Exchange => ({
  ...exchange,
  ...(onProgress && { onProgress: (progress) => tell(onProgress, progress) }),
  ...(onLog && { onLog: (entry) => tell(onLog, entry) }),
})

/**
 * `within` asks, unless the request has enough of answers already, and holds the answer or refuses it. `tell` passes on
 * what comes before the answer, as far as there is room: the next one says as much, and nobody waits for any of them.
 */
function answersOfRequest(unread: Sums, workspace: string, res: Response, nowMs: () => number) {
  const inTurn = turns(mostAtOnce)
  const isInRate = messageRate(toldOnTheWay, nowMs)
  let held: number | undefined
  let isFull = false
  /** Returns why so many bytes more may not be held. */
  const hold = (bytes: number): string | undefined => {
    if (held && held + bytes > most.inRequest) isFull = true
    if (isFull) return tooLargeTogether
    return add(bytes) ? undefined : tooMuchUnread
  }
  const add = (bytes: number): boolean => {
    if (!unread.add(workspace, bytes)) return false
    if (held === undefined) res.once('close', () => unread.remove(workspace, held ?? 0))
    held = (held ?? 0) + bytes
    return true
  }
  // The answers come after it, and need room as well.
  const hasRoom = (bytes: number) => (held ?? 0) + bytes <= most.inRequest / 2
  const tell: Tell = (listener, message) => {
    if (!isInRate()) return
    const bytes = bytesOfJson(message)
    if (res.closed || (hasRoom(bytes) && add(bytes))) listener(message)
  }
  const within = <Answer>(
    ask: () => Promise<Answer>,
    bytesOf: (answer: Answer) => number,
    refuse: (reason: string) => Answer,
  ) =>
    inTurn(async () => {
      // Better not made than made for an answer that nobody gets.
      if (isFull && !res.closed) return refuse(tooLargeTogether)
      const answer = await ask()
      // Once it is closed nobody reads it; what becomes of it in the store is bounded above.
      const refusal = res.closed ? undefined : hold(bytesOf(answer))
      return refusal === undefined ? answer : refuse(refusal)
    })
  return { within, tell }
}

const tooMuchUnread = 'Answers to earlier calls have not been read yet. Read them, then call again.'
const tooLargeTogether = 'The answers to this batch are too large together. Make fewer calls in one request.'

/** Runs no more than so many at once; the others wait, in the order in which they came. */
function turns(atOnce: number) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running < atOnce) running++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

function counted(limit: number) {
  const sums = new Map<string, number>()
  return {
    /** One that is alone is always taken. */
    add(key: string, bytes: number): boolean {
      const before = sums.get(key) ?? 0
      if (before > 0 && before + bytes > limit) return false
      sums.set(key, before + bytes)
      return true
    },
    remove(key: string, bytes: number): void {
      const left = (sums.get(key) ?? 0) - bytes
      if (left > 0) sums.set(key, left)
      else sums.delete(key)
    },
  }
}

function bytesOf(result: ToolResult | undefined): number {
  if (!result) return 0
  if ('forwarded' in result) return bytesOfJson(result.forwarded)
  const { content } = result
  return content.kind === 'text' ? bytesOfText(content.text) : Math.ceil((content.bytes.length * 4) / 3)
}

/** Small ones are not measured to the byte: to write them as JSON twice would cost more than it is worth. */
const smallText = 16 * 1024

const bytesOfText = (text: string): number => (text.length < smallText ? text.length : JSON.stringify(text).length)

/** About what a value takes in memory, however little its JSON is. */
const bytesOfValue = 16

/** What a vendor's own server answers is of any shape, and of up to four megabytes. */
function bytesOfJson(answer: unknown): number {
  let bytes = 0
  const waiting = [answer]
  while (waiting.length > 0) {
    const value = waiting.pop()
    bytes += typeof value === 'string' ? bytesOfText(value) : bytesOfValue
    if (typeof value !== 'object' || value === null) continue
    for (const [name, part] of Object.entries(value)) {
      bytes += name.length
      waiting.push(part)
    }
  }
  return bytes
}
