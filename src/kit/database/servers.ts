// Which servers an address names, and which of them is the primary now.
import { z } from 'zod'
import { StoreUnavailable } from './store-errors.ts'

/** `postgres://a:5432,b:5432/db` names two servers, as in libpq. */
export function serversIn(address: string): string[] {
  const [, before = '', hosts = '', after = ''] = /^(\w+:\/\/(?:[^/?]*@)?)([^/?]*)(.*)$/s.exec(address) ?? []
  return hosts.includes(',') ? hosts.split(',').map((host) => `${before}${host}${after}`) : [address]
}

/** The only `target_session_attrs` that a program can work with. */
const writable = ['read-write', 'primary']

function isDatabaseAddress(address: string): boolean {
  const servers = serversIn(address)
  return servers.every((server) => {
    if (!URL.canParse(server)) return false
    const { protocol, hostname, searchParams } = new URL(server)
    const target = searchParams.get('target_session_attrs')
    return /^postgres(ql)?:$/.test(protocol) && hostname !== '' && (target === null || writable.includes(target))
  })
}

export const databaseAddress = z.string().refine(isDatabaseAddress, 'must be a postgres:// address')

/** PostgreSQL raises the timeline at each promotion. */
export type Generation = { system: string; timeline: number }

export type PrimaryWatch = ReturnType<typeof watchPrimary>

/** Remembers the newest primary, so that one it replaced is not used again. */
export function watchPrimary() {
  let newest: Generation | undefined
  const isReplaced = ({ system, timeline }: Generation) => system === newest?.system && timeline < newest.timeline
  return {
    newest: () => newest,
    isReplaced,
    learn(found: Generation): void {
      if (!isReplaced(found)) newest = found
    },
  }
}

/** The server answers, and another one is the primary. */
export class PrimaryReplaced extends StoreUnavailable {
  constructor(store: string) {
    super(new Error('this server was the primary before the last failover'), store, 'primary_replaced')
  }
}

/** `timeline` is null for a standby. The first eight digits of a WAL file's name are the timeline. */
export const generationStatement = `
  select system_identifier::text as system, pg_is_in_recovery() as is_standby,
    case when not pg_is_in_recovery() then substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) end as timeline
  from pg_control_system()`

/** For a server that does not tell its timeline. */
export const standbyStatement = 'select pg_is_in_recovery() as is_standby, null as timeline'

export const generationIn = ({ system, timeline }: { system: string; timeline: string }): Generation => ({
  system,
  timeline: Number.parseInt(timeline, 16),
})
