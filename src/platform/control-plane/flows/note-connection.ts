// Events on a function that say what happened to one of its connections, for its owner and for programs.
import type { CoreEvent } from '../../../contract/resource.ts'
import type { Actor } from '../../shared/domain/audit.ts'
import { isRevoked, lacksScope, lastGrantEvent, lastToolEvent } from '../domain/connection-events.ts'
import { withEvent } from '../domain/deployment.ts'
import type { Resources } from '../domain/ports.ts'
import type { Resource } from '../domain/resource.ts'

type Needs = { resources: Pick<Resources, 'find' | 'change'>; now: () => Date }
type ConnectionVersion = { name: string; version: number }
type ToolListChange = { connection: string; hash: string; outcome: 'held' | 'allowed' }

export const noteConnection = (needs: Needs) => ({
  noteRevokedGrant: (workspace: string, functionName: string, { name, version }: ConnectionVersion) =>
    noteOnce(
      needs,
      {
        workspace,
        functionName,
        code: 'grant_revoked',
        connection: name,
        secretsVersion: version,
        message: `The connection ${name} needs re-linking: its authorization was revoked or has expired (secrets ${version}).`,
      },
      ({ events }) => events.some((event) => isRevoked(event, name) && event.secretsVersion === version),
    ),

  noteMissingScope: (workspace: string, functionName: string, { name, version }: ConnectionVersion) =>
    noteOnce(
      needs,
      {
        workspace,
        functionName,
        code: 'insufficient_scope',
        connection: name,
        secretsVersion: version,
        message: `The connection ${name} needs re-linking with more permissions: a call was refused for lack of them (secrets ${version}).`,
      },
      ({ events }) => events.some((event) => lacksScope(event, name) && event.secretsVersion === version),
    ),

  noteRestoredGrant: (workspace: string, functionName: string, { name, version }: ConnectionVersion) =>
    noteOnce(
      needs,
      {
        workspace,
        functionName,
        code: 'grant_restored',
        connection: name,
        secretsVersion: version,
        message: `The connection ${name} works again (secrets ${version}).`,
      },
      ({ events }) => {
        const last = lastGrantEvent(events, name)
        // The same secrets: the call used an access token that is older than the failure.
        return !last || !isRevoked(last, name) || last.secretsVersion === version
      },
    ),

  noteToolChange: (workspace: string, functionName: string, { connection, hash, outcome }: ToolListChange) =>
    noteOnce(
      needs,
      { workspace, functionName, connection, toolListHash: hash, ...toolNews[outcome](connection) },
      ({ events }) => lastToolEvent(events, connection)?.toolListHash === hash,
    ),

  noteApprovedTools: (workspace: string, functionName: string, connection: string, hash: string, by: Actor) =>
    noteOnce(
      needs,
      {
        workspace,
        functionName,
        connection,
        toolListHash: hash,
        code: 'tools_approved',
        message: `${by.label} approved the tools of the connection ${connection}.`,
      },
      () => false,
      by,
    ),
})

const toolNews = {
  held: (connection: string) => ({
    code: 'tools_held' as const,
    message: `The MCP server behind the connection ${connection} changed its tools. The change waits for approval.`,
  }),
  allowed: (connection: string) => ({
    code: 'tools_changed' as const,
    message: `The MCP server behind the connection ${connection} changed its tools.`,
  }),
}

type Note = { workspace: string; functionName: string } & Required<Pick<CoreEvent, 'code' | 'connection' | 'message'>> &
  Pick<CoreEvent, 'secretsVersion' | 'toolListHash'>

async function noteOnce(
  { resources, now }: Needs,
  { workspace, functionName, ...news }: Note,
  isNoted: (found: Resource) => boolean,
  by?: Actor,
): Promise<void> {
  const key = { workspace, kind: 'function', parent: '', name: functionName }
  const known = await resources.find(key)
  if (!known || isNoted(known)) return
  // Asked again under the lock: many calls meet the same news at once.
  await resources.change(
    key,
    (current) =>
      isNoted(current) ? current : { ...current, events: withEvent(current, { type: 'connection', ...news }, now()) },
    by,
  )
}
