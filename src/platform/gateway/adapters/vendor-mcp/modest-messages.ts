// The library's schemas record each error: 4 MB of invalid values take gigabytes.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { askedInReturn } from './message-limits.ts'

const maxValues = 50_000

const freeMember = 'structuredContent'

/** Drops oversized messages and limits the server's requests. */
export function withModestMessages<T extends Transport>(transport: T): T {
  let receive: Transport['onmessage']
  return Object.defineProperty(transport, 'onmessage', {
    get: () => receive,
    set: (handler: Transport['onmessage']) => {
      // One limit per handler: the library wraps handlers, and each sees every message.
      const mayAsk = askedInReturn()
      receive = (message, extra) => {
        if (isQuestion(message) && !mayAsk()) return
        const passed = isModest(message) ? message : refusalOf(message)
        if (passed) handler?.(passed, extra)
      }
    },
  })
}

const isQuestion = (message: JSONRPCMessage): boolean => 'method' in message && 'id' in message

export function isModest(message: unknown): boolean {
  const waiting: unknown[] = [message]
  for (let seen = 0; waiting.length > 0; seen++) {
    if (seen + waiting.length > maxValues) return false
    const parts = partsOf(waiting.pop())
    if (parts.length > maxValues) return false
    for (const part of parts) waiting.push(part)
  }
  return true
}

function partsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (typeof value !== 'object' || value === null) return []
  return freeMember in value ? Object.values({ ...value, [freeMember]: undefined }) : Object.values(value)
}

/** Fails the waiting request. Other messages are dropped. */
function refusalOf(message: JSONRPCMessage): JSONRPCMessage | undefined {
  const { id } = message as { id?: string | number }
  if (id === undefined || 'method' in message) return undefined
  return { jsonrpc: '2.0', id, error: { code: tooComplex, message: 'The response has too many values.' } }
}

/** From the range that JSON-RPC 2.0 reserves for implementations. */
export const tooComplex = -32_099
