import type { WireValue } from '../../../../kit/database/prepared.ts'
import type { LinkChanges } from '../../../domain/ports/provisioning.ts'
import type { KnownOrigin } from '../../../domain/stored-grant.ts'

export type MoveParts = {
  escrow: 'as it is' | 'wiped' | 'kept'
  connected: 'no' | 'with fingerprint' | 'with grant'
  previous: 'none' | 'ousted' | 'steps back'
  event: boolean
  alias: 'kept' | 'dropped'
}

export function partsOf({ escrow, connected, event, dropAlias }: LinkChanges): MoveParts {
  return {
    escrow: escrow ? 'kept' : escrow === null ? 'wiped' : 'as it is',
    connected: connected ? (connected.keepGrant ? 'with grant' : 'with fingerprint') : 'no',
    previous: previousOf(connected?.previousSeconds),
    event: event !== undefined,
    alias: dropAlias ? 'dropped' : 'kept',
  }
}

const previousOf = (seconds: number | undefined): MoveParts['previous'] =>
  seconds === undefined ? 'none' : seconds === 0 ? 'ousted' : 'steps back'

export function partsValues(parts: MoveParts, { escrow, connected, event }: LinkChanges): WireValue[] {
  const values: WireValue[] = []
  if (escrow) values.push(escrow.sealed, escrow.fingerprint, ...originValues(escrow))
  if (connected) values.push(connected.checkInSeconds, ...originValues(connected), connected.rotates)
  if (parts.previous === 'steps back') values.push(connected?.previousSeconds)
  if (event) values.push(event.id, event.name, JSON.stringify(event.payload), event.traceparent)
  return values
}

const originValues = ({ clientId, issuer, tokenEndpoint }: KnownOrigin) => [clientId, issuer, tokenEndpoint]

export function partsText(next: () => string, { escrow, connected, previous, event }: MoveParts): string[] {
  const parts: string[] = []
  if (escrow === 'wiped') {
    parts.push('wiped as (delete from escrow using moved where link_id = moved.id returning escrow.*)')
  }
  if (escrow === 'kept') parts.push(keptPart(next))
  if (connected !== 'no') {
    parts.push(connectedPart(next, previous), grantPart(next, connected), ...previousParts[previous](next))
  }
  if (event) {
    const values = `${next()}, tenant, ${next()}, ${next()}::jsonb, ${next()}::text`
    parts.push(
      `announced as (insert into outbox (id, tenant, event, payload, traceparent) select ${values} from moved)`,
    )
  }
  return parts
}

const origin = ['client_id', 'issuer', 'token_endpoint'] as const
const originColumns = origin.join(', ')

const keptPart = (next: () => string) => `kept as (
  insert into escrow (link_id, sealed, fingerprint, ${originColumns})
  select id, ${next()}, ${next()}::text, ${next()}::text, ${next()}::text, ${next()}::text from moved
  on conflict (link_id) do update
  set sealed = excluded.sealed, fingerprint = coalesce(excluded.fingerprint, escrow.fingerprint),
    client_id = excluded.client_id, issuer = excluded.issuer, token_endpoint = excluded.token_endpoint
)`

const inSeconds = (at: string) => `now() + make_interval(secs => ${at})`

const connectionColumns = `tenant, workspace, integration, connection_name, function_name, function_url,
    alias, labels, account_id, account_label, account_claimed`

/** Columns of the moved link that the rest of the statement reads. */
export const returnedColumns = ({ connected }: MoveParts): string =>
  connected === 'no' ? 'id, tenant' : `id, connection_id, ${connectionColumns}, granted_scopes, config, end_user`

/** A first link inserts its connection. A re-link, which always has a previous grant, updates it. */
const connectedPart = (next: () => string, previous: MoveParts['previous']) => `connected as (
  insert into connections (id, tenant, workspace, integration, name, function_name, function_url,
    alias, labels, account_id, account_label, account_claimed, scopes, config, status, end_user_id, health_due_at)
  select connection_id, ${connectionColumns}, coalesce(granted_scopes, '{}'), config, 'active', end_user ->> 'id',
    ${inSeconds(next())} from moved
  ${previous === 'none' ? '' : changedConnection}
)`

const changedConnection = `
  on conflict (id) do update
  set name = excluded.name, function_url = excluded.function_url,
    alias = coalesce(connections.alias, excluded.alias), labels = coalesce(connections.labels, excluded.labels), account_id = excluded.account_id,
    account_label = excluded.account_label, account_claimed = excluded.account_claimed, scopes = excluded.scopes, config = excluded.config, status = 'active', cause = null,
    unclear_since = null, unclear_checks = 0, unexplained_refusals = 0,
    health_unknown_since = null, grant_ends_at = null, grant_version = connections.grant_version + (connections.status <> 'not_linked')::integer, relinked_at = now(), health_due_at = excluded.health_due_at,
    status_since = case connections.status when 'active' then connections.status_since else now() end, updated_at = now()`

/** The origin of an import is the client of its trial. */
function grantPart(next: () => string, connected: MoveParts['connected']): string {
  const [sealed, trialRefresh] = connected === 'with grant' ? ['sealed', 'trial_refresh'] : ['null', 'null']
  return `grants as (
    insert into stored_grants (link_id, connection_id, slot, sealed, trial_refresh, fingerprint, ${originColumns}, rotates)
    select moved.id, moved.connection_id, 'current', ${sealed}, ${trialRefresh}, wiped.fingerprint,
      ${origin.map((column) => `case when wiped.client_id is null then ${next()}::text else wiped.${column} end`).join(', ')},
      ${next()}::boolean
    from moved join wiped on wiped.link_id = moved.id
  )`
}

const ofConnection = 'stored_grants.connection_id = moved.connection_id'

const previousParts: Record<MoveParts['previous'], (next: () => string) => string[]> = {
  none: () => [],
  ousted: () => [`ousted as (delete from stored_grants using moved where ${ofConnection})`],
  'steps back': (next) => [
    `ousted as (delete from stored_grants using moved where ${ofConnection} and slot = 'previous')`,
    `stepped_back as (
      update stored_grants set slot = 'previous', keep_until = ${inSeconds(next())}
      from moved where ${ofConnection} and slot = 'current'
    )`,
  ],
}
