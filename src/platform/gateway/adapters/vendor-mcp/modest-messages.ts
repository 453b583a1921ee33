// The library holds every message against schemas that note each mistake: four megabytes of mistakes take gigabytes.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { askedInReturn } from './message-limits.ts'

/** Values in one message: a list of a thousand tools has fewer. */
const mostValues = 50_000

/** Anything goes in here, so no schema looks inside. */
const freeMember = 'structuredContent'

/**
 * The same transport, which passes on nothing that has more parts than any honest message, and of what the server asks
 * in return only a little. `take` is told first, and says whether a message was its own.
 */
export function withModestMessages<T extends Transport>(transport: T, take: (message: JSONRPCMessage) => boolean): T {
  let receive: Transport['onmessage']
  return Object.defineProperty(transport, 'onmessage', {
    get: () => receive,
    set: (handler: Transport['onmessage']) => {
      // Of each handler: the library puts one around the other, and all of them see each message.
      const mayAsk = askedInReturn()
      receive = (message, extra) => {
        if (isQuestion(message) && !mayAsk()) return
        const passed = isModest(message) ? message : refusalOf(message)
        if (passed && !take(passed)) handler?.(passed, extra)
      }
    },
  })
}

const isQuestion = (message: JSONRPCMessage): boolean => 'method' in message && 'id' in message

export function isModest(message: unknown): boolean {
  const waiting: unknown[] = [message]
  for (let seen = 0; waiting.length > 0; seen++) {
    if (seen + waiting.length > mostValues) return false
    const parts = partsOf(waiting.pop())
    if (parts.length > mostValues) return false
    for (const part of parts) waiting.push(part)
  }
  return true
}

function partsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (typeof value !== 'object' || value === null) return []
  return freeMember in value ? Object.values({ ...value, [freeMember]: undefined }) : Object.values(value)
}

/** Whoever waits for an answer is told; nobody waits for anything else. */
function refusalOf(message: JSONRPCMessage): JSONRPCMessage | undefined {
  const { id } = message as { id?: string | number }
  if (id === undefined || 'method' in message) return undefined
  return { jsonrpc: '2.0', id, error: { code: tooComplex, message: 'The answer has too many parts.' } }
}

/** Of the range that JSON-RPC 2.0 leaves to implementations, and used by nothing else here. */
export const tooComplex = -32_099
