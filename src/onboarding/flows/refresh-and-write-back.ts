import type { Connection } from '../domain/connection.ts'
import type { Finding } from '../domain/health.ts'
import { place } from '../domain/sealed-place.ts'
import { Trouble } from '../domain/trouble.ts'
import type { Adapters, Settings } from './adapters.ts'
import { findClient } from './find-client.ts'
import { openKeptGrant } from './kept-grant.ts'

type Needs = Pick<
  Adapters,
  'connections' | 'keptGrants' | 'tenants' | 'integrations' | 'provider' | 'upkeep' | 'seal' | 'tokens'
>

/**
 * For providers whose grants end unless somebody refreshes them, behind a platform that does not: the grant is used
 * here, and the platform gets what came of it. Nothing when there is no grant to use, or the platform takes none.
 */
export async function refreshAndWriteBack(
  needs: Needs,
  { connectionPut }: Pick<Settings, 'connectionPut'>,
  connection: Connection,
): Promise<Finding | undefined> {
  const holder = needs.tokens.id('chk')
  // A re-link or a task that is under way brings the platform a grant of its own.
  if (!connectionPut || !(await needs.connections.hold(connection.id, holder))) return undefined
  const current = await needs.keptGrants.find(connection.id, 'current')
  const opened = current && openKeptGrant(needs, connection, current)
  if (!current || !opened) return undefined
  const ready = await findClient(needs, connection.tenant, connection.integration)
  const at = { id: current.linkId, tenant: connection.tenant, workspace: connection.workspace }
  const newest = { proof: opened.proof }
  const keep = async (answer: typeof opened.raw) => {
    // An answer without a refresh token must not take the place of one that has the newest.
    if (!needs.provider.refreshTokenOf(answer, undefined)) return
    await needs.keptGrants.keepProof(current.linkId, needs.seal.seal(answer, place.proof(at)))
    newest.proof = answer
  }
  try {
    await needs.provider.refresh({ ...ready, ...opened, keep })
  } catch (error) {
    if (error instanceof Trouble && broken.has(error.why)) return { outcome: 'broken', cause: error.why }
    throw error
  }
  // A check holds nothing against others: what began or ended while the provider was asked goes first.
  if (!(await isUntouched(needs, connection, holder))) return undefined
  const refreshToken = needs.provider.refreshTokenOf(opened.raw, newest.proof)
  const names = { ...connection, connectionId: connection.id, connectionName: connection.name }
  if (refreshToken) await needs.upkeep.replaceConnection(names, { client: ready.client, refreshToken })
  return { outcome: 'healthy', cause: undefined }
}

async function isUntouched({ connections }: Needs, { id, grantVersion }: Connection, holder: string): Promise<boolean> {
  return (await connections.hold(id, holder)) && (await connections.find(id))?.grantVersion === grantVersion
}

const broken: ReadonlySet<string> = new Set(['grant_revoked', 'client_rejected'])
