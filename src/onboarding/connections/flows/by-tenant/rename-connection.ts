import type { Actor } from '../../../domain/audit/audit.ts'
import { aboutConnection } from '../../../domain/audit/audit-entry.ts'
import { type Connection, platformNames } from '../../../domain/connection.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import { Failure } from '../../../domain/failure.ts'
import {
  AliasTaken,
  changedNames,
  givenLabels,
  type NamesChange,
  namesSnapshot,
} from '../../../domain/linking/connection-names.ts'
import type { Ports } from '../../../domain/ports/ports.ts'
import { aliasTaken } from '../../../linking/flows/choose-integration.ts'
import { type ConnectionInSight, disconnectedAlready, liveConnection } from '../own-connection.ts'

type RenameConnection = ConnectionInSight & NamesChange & { actor: Actor; reason?: string | undefined }

export async function renameConnection(
  ports: Ports,
  { actor, reason, alias, labels, ...on }: RenameConnection,
): Promise<Connection> {
  const before = await liveConnection(ports, on)
  const change = { alias, labels: givenLabels(labels) }
  const after = changedNames(before, change)
  const isSame = JSON.stringify(namesOf(before)) === JSON.stringify(namesOf(after))
  const renamed = isSame
    ? before
    : await ports.connections
        .rename(before.id, change, {
          action: 'connection.renamed',
          actor,
          ...aboutConnection(before),
          reason,
          before: namesSnapshot(before),
          after: namesSnapshot(after),
        })
        .catch(throwIfTaken)
  if (!renamed) throw disconnectedAlready()
  // Also if nothing changed: the platform may have been away when it did.
  return alias === undefined ? renamed : showAlias(ports, renamed)
}

const namesOf = ({ alias, labels = {} }: Connection | ReturnType<typeof changedNames>) => [
  alias ?? null,
  Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)),
]

const maxRounds = 3

/** A parallel request may have written another alias since this one read it. */
async function showAlias(ports: Ports, connection: Connection): Promise<Connection> {
  let shown = connection
  for (let round = 0; round < maxRounds; round++) {
    await ports.platform.nameFunction(platformNames(shown)).catch(throwUnavailable)
    const now = await ports.connections.find(connection.id)
    if (!now || now.alias === shown.alias) return now ?? shown
    shown = now
  }
  return shown
}

function throwIfTaken(error: unknown): never {
  throw error instanceof AliasTaken ? aliasTaken() : error
}

function throwUnavailable(error: unknown): never {
  if (!(error instanceof DependencyError)) throw error
  const detail = 'The alias is stored, but agents do not see it yet. Send the request again.'
  throw new Failure('platform_unavailable', detail, { cause: error })
}
