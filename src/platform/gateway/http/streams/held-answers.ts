// Limits tool results in memory and in the store. A batch may have a hundred results of a megabyte each, and several
// times that as JSON.
import type { Response } from 'express'
import { failed, McpFailure, type OpenMcp, type ToolResult } from '../../domain/mcp.ts'
import { messageRate } from '../../domain/message-rate.ts'
import type { Exchange, JsonObject } from '../../domain/vendor/vendor-mcp.ts'

const megabyte = 1024 * 1024

/** `inRequest` is per request; the others are per workspace and process. */
const max = { inRequest: 8 * megabyte, unread: 64 * megabyte, unwritten: 32 * megabyte, kept: 256 * megabyte }

/** Progress and log entries per request; each is written and stored separately. */
const notificationRate = { burst: 100, perSecond: 20 }

const maxConcurrentCalls = 8

export function heldAnswers(keptMs: number, nowMs = () => performance.now()) {
  const unread = counted(max.unread)
  const unwritten = counted(max.unwritten)
  const kept = counted(max.kept)
  return {
    bounded(workspace: string, mcp: OpenMcp, res: Response): OpenMcp {
      const { within, tell } = answersOfRequest(unread, workspace, res, nowMs)
      const { beyondTools } = mcp
      const refuse = (reason: string): never => {
        throw new McpFailure(reason, undefined)
      }
      return {
        ...mcp,
        call: (name, args, exchange) => within(() => mcp.call(name, args, reporting(exchange, tell)), bytesOf, failed),
        ...(beyondTools && {
          beyondTools: {
            ...beyondTools,
            ask: (method, params, exchange) =>
              within(() => beyondTools.ask(method, params, reporting(exchange, tell)), bytesOfJson, refuse),
          },
        }),
      }
    },
    /** Returns undefined if the result may not be stored; otherwise a function to call when it is stored. */
    keep(workspace: string, bytes: number) {
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

const reporting = ({ onProgress, onLog, ...exchange }: Exchange, tell: Tell): Exchange => ({
  ...exchange,
  ...(onProgress && { onProgress: (progress) => tell(onProgress, progress) }),
  ...(onLog && { onLog: (entry) => tell(onLog, entry) }),
})

/** `within` refuses results that exceed a limit. `tell` drops notifications if there is no room. */
function answersOfRequest(unread: Sums, workspace: string, res: Response, nowMs: () => number) {
  const inTurn = turns(maxConcurrentCalls)
  const isInRate = messageRate(notificationRate, nowMs)
  let held: number | undefined
  let isFull = false
  const hold = (bytes: number): string | undefined => {
    if (held && held + bytes > max.inRequest) isFull = true
    if (isFull) return tooLargeTogether
    return add(bytes) ? undefined : tooMuchUnread
  }
  const add = (bytes: number): boolean => {
    if (!unread.add(workspace, bytes)) return false
    if (held === undefined) res.once('close', () => unread.remove(workspace, held ?? 0))
    held = (held ?? 0) + bytes
    return true
  }
  const hasRoom = (bytes: number) => (held ?? 0) + bytes <= max.inRequest / 2
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
      // Don't make a call whose result could not be delivered.
      if (isFull && !res.closed) return refuse(tooLargeTogether)
      const answer = await ask()
      // After a close only the store's limit applies.
      const refusal = res.closed ? undefined : hold(bytesOf(answer))
      return refusal === undefined ? answer : refuse(refusal)
    })
  return { within, tell }
}

const tooMuchUnread = 'Too many unread results of earlier calls. Read them, then call again.'
const tooLargeTogether = 'The results of this batch are too large. Make fewer calls in one request.'

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
    /** Accepts any size if the key has no other bytes. */
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

/** Small texts are not measured exactly: writing them as JSON twice would cost too much. */
const smallText = 16 * 1024

const bytesOfText = (text: string): number => (text.length < smallText ? text.length : JSON.stringify(text).length)

const bytesOfValue = 16

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
