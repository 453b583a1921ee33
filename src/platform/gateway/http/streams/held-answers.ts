// What tools answered stays in memory until the caller has read it, and for a while in the store. Neither has a limit of
// its own: a batch has a hundred answers, each of a megabyte and several times that as JSON.
import type { Response } from 'express'
import { failed, type OpenMcp, type ToolResult } from '../../domain/mcp.ts'

const megabyte = 1024 * 1024

/** Of one workspace, in this process. */
const most = { unread: 64 * megabyte, kept: 256 * megabyte }

export type HeldAnswers = {
  /** The same server, whose answers are held against what its workspace has not read yet. */
  bounded(workspace: string, mcp: OpenMcp, res: Response): OpenMcp
  /** Whether so many bytes more may be kept for a client that lost its connection. */
  mayKeep(workspace: string, bytes: number): boolean
}

/** `keptMs`: how long the store keeps answers. */
export function heldAnswers(keptMs: number): HeldAnswers {
  const unread = counted(most.unread)
  const kept = counted(most.kept)
  return {
    bounded(workspace, mcp, res) {
      let held = 0
      return {
        ...mcp,
        async call(...call) {
          const result = await mcp.call(...call)
          // Nobody reads it now; what becomes of it in the store is bounded below.
          if (!result || res.closed) return result
          const bytes = bytesOf(result)
          if (!unread.add(workspace, bytes)) return tooMuch
          if (held === 0) res.once('close', () => unread.remove(workspace, held))
          held += bytes
          return result
        },
      }
    },
    mayKeep(workspace, bytes) {
      if (!kept.add(workspace, bytes)) return false
      setTimeout(() => kept.remove(workspace, bytes), keptMs).unref()
      return true
    },
  }
}

const tooMuch = failed('Answers to your earlier calls wait to be read: read them, and call again.')

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

/** What a vendor's own server answers came as one message, which is bounded. */
const forwardedBytes = megabyte / 4

/** Small ones are not measured to the byte: to write them as JSON twice would cost more than it is worth. */
const smallText = 16 * 1024

function bytesOf(result: ToolResult): number {
  if ('forwarded' in result) return forwardedBytes
  const { content } = result
  if (content.kind !== 'text') return Math.ceil((content.bytes.length * 4) / 3)
  return content.text.length < smallText ? content.text.length : JSON.stringify(content.text).length
}
