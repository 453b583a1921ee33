import { z } from 'zod'
import { Failure } from '../domain/failure.ts'

/** Members that some clients send for every kind, as the interface document lists them. */
const common = ['metadata', 'spec', 'events', 'state', 'status', 'terminatedAt']
const commonMetadata = ['gatewayName', 'vpcName']

/** Otherwise dropped silently. Members of the document are known, so a response can be sent back. */
export function assertKnownResource(document: z.ZodType, body: unknown): void {
  assertKnownMembers(document, body, common)
  if (isRecord(body)) assertKnownMembers(shapeOf(document).metadata, body.metadata, commonMetadata, 'metadata.')
}

export function assertKnownMembers(document: unknown, body: unknown, also: readonly string[] = [], at = ''): void {
  if (!isRecord(body)) return
  const known = [...Object.keys(shapeOf(document)), ...also]
  const unknown = Object.keys(body).filter((member) => !known.includes(member))
  if (unknown.length === 0) return
  const named = unknown.slice(0, 5).map((member) => `${at}${member.slice(0, 64)}`)
  throw new Failure(
    'input_invalid',
    `${named.join(', ')}: unknown member; known members are ${known.sort().join(', ')}`,
  )
}

/** Paths of members that the schema dropped, except members of lists. */
export function droppedMembers(sent: unknown, kept: unknown, at: string): string[] {
  if (!isRecord(sent) || !isRecord(kept)) return []
  return Object.keys(sent).flatMap((member) =>
    Object.hasOwn(kept, member)
      ? droppedMembers(sent[member], kept[member], `${at}.${member}`)
      : [`${at}.${member.slice(0, 64)}`],
  )
}

const shapeOf = (document: unknown): Record<string, unknown> => (document instanceof z.ZodObject ? document.shape : {})

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
