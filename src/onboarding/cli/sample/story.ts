// What the parts of the history add to, and a re-link, which more than one of them tells.
import type { Actor } from '../../domain/audit/audit.ts'
import type { Tokens } from '../../domain/ports/shared.ts'
import type { Chance } from './chance.ts'
import type { SampleConnection } from './connections.ts'
import type { Draft, MakeId } from './draft.ts'
import { addLink, type Tell } from './links.ts'

export type Story = {
  draft: Draft
  chance: Chance
  makeId: MakeId
  keyOf: (tenant: string) => Actor
  tell: Tell
  now: Date
  nameDigest: Tokens['nameDigest']
  /** Those whose first link went well, until all is known of them. */
  connections: SampleConnection[]
}

export const placeOf = ({ id, name, functionUrl, tenant, integration, user }: SampleConnection) => ({
  connection: { id, name, functionUrl },
  tenant,
  integration,
  user,
})

export function relink(
  story: Story,
  connection: SampleConnection,
  { at, ...by }: { at: Date; actor: Actor; reason: string; sessionId?: string },
): void {
  const { id, endedAt } = addLink(story, { ...placeOf(connection), at, state: 'linked', relink: by })
  connection.relinked = { at: endedAt, linkId: id }
}
