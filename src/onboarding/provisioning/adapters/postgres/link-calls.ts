// The calls of a link to other servers, in a column of its row that nobody reads but support. It is written with every
// move, so it is short: `<ms since 1970> <call> <status or -> <duration in ms> <attempt>[ <error>];` for each.
import { z } from 'zod'
import { maybe, type Queryable, rows, type Sql, sql } from '../../../../kit/database/sql.ts'
import { mostOutsideCalls, type OutsideCall, outsideCallNames } from '../../../domain/trace/outside-call.ts'

/** The newest calls of a longer list. */
const newest = `(?:[^;]*;){1,${mostOutsideCalls}}$`

/** So many characters hold no more calls than are kept: even with the shortest name a call has more than 25. */
const surelyFew = 25 * mostOutsideCalls

/** Adds to what is there; without any (null), the column stays as it is. To cut a list takes longer than all the rest. */
export function called(name: string, at: string): string {
  const added = `coalesce(${name} || ${at}::text, ${at}::text, ${name})`
  return `${name} = case when length(${added}) > ${surelyFew} then substring(${added} from '${newest}') else ${added} end`
}

/** The same as a part of a statement. */
export function withCalls(calls: readonly OutsideCall[] | undefined): Sql {
  const made = calls ? callsColumn(calls) : null
  const added = sql`coalesce(calls || ${made}::text, ${made}::text, calls)`
  const cut = sql`substring(${added} from ${sql.literal(newest)})`
  return sql`calls = case when length(${added}) > ${sql.literal(surelyFew)} then ${cut} else ${added} end`
}

export const callsColumn = (calls: readonly OutsideCall[]): string => calls.map((call) => `${lineOf(call)};`).join('')

const lineOf = ({ call, at, status, error, durationMs, attempt }: OutsideCall): string =>
  `${at.getTime()} ${call} ${status ?? '-'} ${durationMs} ${attempt}${error === undefined ? '' : ` ${error}`}`

const Call = z
  .tuple([z.coerce.number(), z.enum(outsideCallNames), z.string(), z.coerce.number(), z.coerce.number()])
  .rest(z.string())
  .transform(([at, call, status, durationMs, attempt, error]): OutsideCall => {
    const result = { ...(status !== '-' && { status: Number(status) }), ...(error !== undefined && { error }) }
    return { call, at: new Date(at), ...result, durationMs, attempt }
  })

const CallsRow = z.object({ id: z.string(), calls: maybe(z.string()) })

const linesIn = (text: string) => text.split(';').filter((line) => line !== '')

/** Oldest first, by link. */
export async function callsOfLinks(db: Queryable, ids: readonly string[]): Promise<Map<string, OutsideCall[]>> {
  const found = await rows(db, CallsRow, sql`select id, calls from links where id = any(${ids}::text[])`)
  return new Map(
    found.map(({ id, calls }) => [id, once(linesIn(calls ?? '').map((line) => Call.parse(line.split(' '))))]),
  )
}

/** A write whose answer was lost is made again, with the same calls. */
function once(calls: readonly OutsideCall[]): OutsideCall[] {
  const byMoment = new Map(calls.map((call) => [`${call.call} ${call.at.getTime()}`, call]))
  return [...byMoment.values()].sort((one, other) => one.at.getTime() - other.at.getTime())
}
