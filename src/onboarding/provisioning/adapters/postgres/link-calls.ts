// `<ms since 1970> <call> <status or -> <duration in ms> <attempt>[ <error>];` for each call.
import { z } from 'zod'
import { maybe, type Queryable, rows, type Sql, sql } from '../../../../kit/database/sql.ts'
import { maxOutsideCalls, type OutsideCall, outsideCallNames } from '../../../domain/trace/outside-call.ts'

const newest = `(?:[^;]*;){1,${maxOutsideCalls}}$`

/** A column of this length has at most the max number of calls: each has more than 25 characters. */
const surelyFew = 25 * maxOutsideCalls

/** Appends to the column. NULL leaves it unchanged. Cutting the list is expensive, so it is done only if needed. */
export function called(name: string, at: string): string {
  const added = `coalesce(${name} || ${at}::text, ${at}::text, ${name})`
  return `${name} = case when length(${added}) > ${surelyFew} then substring(${added} from '${newest}') else ${added} end`
}

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

export async function callsOfLinks(db: Queryable, ids: readonly string[]): Promise<Map<string, OutsideCall[]>> {
  const found = await rows(db, CallsRow, sql`select id, calls from links where id = any(${ids}::text[])`)
  return new Map(
    found.map(({ id, calls }) => [id, once(linesIn(calls ?? '').map((line) => Call.parse(line.split(' '))))]),
  )
}

/** A write is repeated with the same calls if its response was lost. */
function once(calls: readonly OutsideCall[]): OutsideCall[] {
  const byMoment = new Map(calls.map((call) => [`${call.call} ${call.at.getTime()}`, call]))
  return [...byMoment.values()].sort((one, other) => one.at.getTime() - other.at.getTime())
}
