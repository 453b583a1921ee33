import { z } from 'zod'
import { Failure } from '../../shared/domain/failure.ts'

/** What the interface document gives resources beside their spec: some clients send all of it for every kind. */
const common = ['metadata', 'spec', 'events', 'state', 'status', 'terminatedAt']
const commonMetadata = ['gatewayName', 'vpcName']

/**
 * An unknown member is a mistake that would otherwise be dropped silently. Whatever is answered may be sent back,
 * so what a document shows is known, too. `spec` and what is in it is the kind's own matter.
 */
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
    `${named.join(', ')}: not a known member here; known are ${known.sort().join(', ')}`,
  )
}

const shapeOf = (document: unknown): Record<string, unknown> => (document instanceof z.ZodObject ? document.shape : {})

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
