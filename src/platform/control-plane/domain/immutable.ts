import { isDeepStrictEqual } from 'node:util'
import { Failure } from '../../shared/domain/failure.ts'
import type { Kind, ResourceInput } from './kind.ts'
import type { Document, Resource } from './resource.ts'

/**
 * The spec an update results in: an immutable member that is left out keeps its value, one that changes is refused
 * by name, and what the service assigned stays whatever the caller says.
 */
export function keptSpec(kind: Kind, current: Resource, { metadata, spec }: ResourceInput): Document {
  if (metadata.name !== current.name) throw new Failure('input_invalid', 'metadata.name may not change.')
  for (const member of kind.immutable ?? []) {
    const isOpen = current.spec[member] === undefined && kind.setOnce?.includes(member)
    if (!isOpen) refuseChange(member, current.spec[member], spec[member])
  }
  return { ...spec, ...pick(current.spec, kind.immutable), ...pick(current.spec, kind.assigned) }
}

function refuseChange(member: string, before: unknown, after: unknown) {
  if (after === undefined || isDeepStrictEqual(before, after)) return
  throw new Failure('input_invalid', `spec.${member} may not change.`)
}

const pick = (spec: Document, members: readonly string[] = []): Document =>
  Object.fromEntries(members.flatMap((member) => (spec[member] === undefined ? [] : [[member, spec[member]]])))
