// What tools answered stays in memory until the caller has read it, and for a while in the store. Neither has a limit of
// its own: a batch has a hundred answers, each of a megabyte and several times that as JSON.
import type { Response } from 'express'
import { failed, McpFailure, type OpenMcp, type ToolResult } from '../../domain/mcp.ts'

const megabyte = 1024 * 1024

/** Of one workspace, in this process. */
const most = { unread: 64 * megabyte, unwritten: 32 * megabyte, kept: 256 * megabyte }

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
export function heldAnswers(keptMs: number): HeldAnswers {
  const unread = counted(most.unread)
  const unwritten = counted(most.unwritten)
  const kept = counted(most.kept)
  return {
    bounded(workspace, mcp, res) {
      let held: number | undefined
      const mayHold = (bytes: number): boolean => {
        // Nobody reads it now; what becomes of it in the store is bounded below.
        if (res.closed) return true
        if (!unread.add(workspace, bytes)) return false
        if (held === undefined) res.once('close', () => unread.remove(workspace, held ?? 0))
        held = (held ?? 0) + bytes
        return true
      }
      return {
        ...mcp,
        async call(...call) {
          const result = await mcp.call(...call)
          return !result || mayHold(bytesOf(result)) ? result : failed(tooMuch)
        },
        ...(mcp.beyondTools && { beyondTools: askedWithin(mcp.beyondTools, mayHold) }),
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

type BeyondTools = NonNullable<OpenMcp['beyondTools']>

const askedWithin = (beyondTools: BeyondTools, mayHold: (bytes: number) => boolean): BeyondTools => ({
  ...beyondTools,
  async ask(...asked) {
    const answer = await beyondTools.ask(...asked)
    if (!mayHold(bytesOfJson(answer))) throw new McpFailure(tooMuch, undefined)
    return answer
  },
})

const tooMuch = 'Answers to earlier calls have not been read yet. Read them, then call again.'

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

function bytesOf(result: ToolResult): number {
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
