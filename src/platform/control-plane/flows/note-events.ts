import type { CoreEvent } from '../../../contract/resource.ts'
import type { Actor } from '../../shared/domain/audit.ts'
import { withEvent } from '../domain/deployment.ts'
import type { ControlPlanePorts } from '../domain/ports.ts'
import type { Resource } from '../domain/resource.ts'

type Needs = Pick<ControlPlanePorts, 'resources' | 'now'>
type ConnectionVersion = { name: string; version: number }
type ToolListChange = { connection: string; hash: string; outcome: 'held' | 'allowed' }

export const noteConnection = (needs: Needs) => ({
  noteRevokedGrant: noteVersion(
    needs,
    'grant_revoked',
    (name) => `The connection ${name} needs re-linking: its authorization was revoked or has expired`,
    isKnown('grant_revoked'),
  ),

  noteMissingScope: noteVersion(
    needs,
    'insufficient_scope',
    (name) => `The connection ${name} needs re-linking with more permissions: a call was rejected without them`,
    isKnown('insufficient_scope'),
  ),

  noteRestoredGrant: noteVersion(
    needs,
    'grant_restored',
    (name) => `The connection ${name} works again`,
    (events, { name, version }) => {
      const last = events.findLast(({ code, connection }) => connection === name && isGrantEvent(code))
      // With the same secrets, the call used an access token from before the failure.
      return last?.code !== 'grant_revoked' || last.secretsVersion === version
    },
  ),

  noteToolChange: (workspace: string, functionName: string, { connection, hash, outcome }: ToolListChange) =>
    noteOnce(
      needs,
      { workspace, functionName, connection, toolListHash: hash, ...toolNews[outcome](connection) },
      (events) =>
        events.findLast((event) => event.connection === connection && event.toolListHash !== undefined)
          ?.toolListHash === hash,
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

type IsNoted = (events: readonly CoreEvent[], connection: ConnectionVersion) => boolean

const isGrantEvent = (code: CoreEvent['code']) => code === 'grant_revoked' || code === 'grant_restored'

const isKnown =
  (code: CoreEvent['code']): IsNoted =>
  (events, { name, version }) =>
    events.some((event) => event.code === code && event.connection === name && event.secretsVersion === version)

const noteVersion =
  (needs: Needs, code: NonNullable<CoreEvent['code']>, message: (name: string) => string, isNoted: IsNoted) =>
  (workspace: string, functionName: string, connection: ConnectionVersion) => {
    const { name, version } = connection
    return noteOnce(
      needs,
      {
        workspace,
        functionName,
        code,
        connection: name,
        secretsVersion: version,
        message: `${message(name)} (secrets ${version}).`,
      },
      (events) => isNoted(events, connection),
    )
  }

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
  isNoted: (events: readonly CoreEvent[]) => boolean,
  by?: Actor,
): Promise<void> {
  const key = { workspace, kind: 'function', parent: '', name: functionName }
  const known = await resources.find(key)
  if (!known || isNoted(known.events)) return
  // Checked again under the lock, because concurrent calls find the same problem.
  await resources.change(
    key,
    (current) =>
      isNoted(current.events)
        ? current
        : { ...current, events: withEvent(current, { type: 'connection', ...news }, now()) },
    by,
  )
}

const dayMs = 24 * 60 * 60_000

/** Adds a message once a day and once per deployment: a resource keeps few events, and many callbacks may fail. */
export const noteCallback =
  ({ resources, now }: Needs, kind: 'agent' | 'job') =>
  async (workspace: string, name: string, message: string): Promise<void> => {
    const key = { workspace, kind, parent: '', name }
    const known = await resources.find(key)
    if (!known || isNoted(known, message, now())) return
    // Checked again under the lock, because many callbacks fail at once.
    await resources.change(key, (current) =>
      isNoted(current, message, now())
        ? current
        : { ...current, events: withEvent(current, { type: 'callback', message }, now()) },
    )
  }

function isNoted({ events }: Resource, message: string, now: Date): boolean {
  const sinceDeployment = events.slice(events.findLastIndex(({ type }) => type === 'deployment') + 1)
  return sinceDeployment.some((event) => event.message === message && Date.parse(event.time) > now.getTime() - dayMs)
}
