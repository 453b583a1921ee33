// Verifies an audit chain from its records alone, by the format of docs/reference/audit-chain.md.
import { createHash, createPublicKey, verify } from 'node:crypto'
import type { AuditRecord } from '@causeway/client'

export type Problem = { position: number; problem: string }

export type Head = { position: number; hash: string }

/** RFC 8785. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`).join(',')}}`
}

const sha256 = (...parts: Array<string | Buffer>): string => {
  const digest = createHash('sha256')
  for (const part of parts) digest.update(part)
  return digest.digest('base64url')
}

const bytes = (text: string) => Buffer.from(text, 'base64url')

export const startOf = (tenantId: string): string => sha256(`causeway audit chain 1\n${tenantId}`)

export type ChainReader = {
  position: number
  /** Returns the first problem. */
  take(record: AuditRecord): Problem | undefined
  /** Judges what later records had to explain. */
  end(): Problem | undefined
}

/** `heads`: positions that the chain must contain. */
export function chainReader(tenantId: string, heads: readonly Head[]): ChainReader {
  let expected: Head | undefined
  let start: Head | undefined
  let isStartExplained = true
  const erased = new Map<string, number>()

  const begin = ({ position, previous = '' }: AuditRecord): Head => {
    start = { position: position - 1, hash: previous }
    isStartExplained = position === 1 && previous === startOf(tenantId)
    return start
  }

  const noteBody = (position: number, body: Record<string, unknown>, personal: unknown): Problem | undefined => {
    if (body.personal !== undefined && personal === undefined) erased.set(String(body.id), position)
    if (body.kind === 'erasure') for (const id of body.entries as string[]) erased.delete(id)
    if (body.kind === 'retention' && body.through === start?.position && body.hash === start?.hash)
      isStartExplained = true
    if (body.kind === 'break')
      return { position: Number(body.at), problem: 'The head was not signed by the deployment.' }
    return undefined
  }

  return {
    get position() {
      return expected?.position ?? 0
    },
    take(record) {
      const { position, unsealedId, body, personal, hidden, leaf = '', previous, hash } = record
      const wrong = (problem: string) => ({ position, problem })
      if (unsealedId !== undefined) return wrong(`Entry ${unsealedId} was inserted.`)
      const before = expected ?? begin(record)
      if (position !== before.position + 1) return { position: before.position + 1, problem: 'Entries were removed.' }
      if (!body) return wrong('The entry was removed.')
      const parts = [
        [leaf, body],
        [body.personal, personal],
        [body.hidden, hidden],
      ] as const
      if (parts.some(([digest, part]) => part !== undefined && sha256(canonicalJson(part)) !== digest))
        return wrong('The entry was changed.')
      const reached = sha256(bytes(before.hash), bytes(leaf))
      if (previous !== before.hash || hash !== reached) return wrong('The chain was rewritten.')
      if (heads.some((head) => head.position === position && head.hash !== reached))
        return wrong('The chain differs from a head that was saved or signed.')
      expected = { position, hash: reached }
      return noteBody(position, body, personal)
    },
    end() {
      const [unexplained] = erased.values()
      if (unexplained !== undefined) return { position: unexplained, problem: 'Data was removed without an erasure.' }
      if (!isStartExplained) return { position: 1, problem: 'The start was removed without a retention entry.' }
      const reached = expected?.position ?? 0
      if (heads.some(({ position }) => position > reached))
        return { position: reached + 1, problem: 'The chain is shorter than a head that was saved or signed.' }
      return undefined
    },
  }
}

/** RFC 7515 with EdDSA. Returns the payload, or undefined if no key signed it. */
export function readHead(
  jws: string,
  keys: ReadonlyArray<Record<string, string>>,
): Record<string, unknown> | undefined {
  const [header = '', payload = '', signature = ''] = jws.split('.')
  const { kid, alg } = JSON.parse(bytes(header).toString())
  const key = keys.find((each) => each.kid === kid)
  if (!key || alg !== 'EdDSA') return undefined
  const publicKey = createPublicKey({ key, format: 'jwk' })
  return verify(null, Buffer.from(`${header}.${payload}`), publicKey, bytes(signature))
    ? JSON.parse(bytes(payload).toString())
    : undefined
}
