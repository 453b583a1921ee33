import type { PageQuery } from '../domain/listing.ts'
import { columns } from './resource-rows.ts'

/**
 * One page by key: the index is entered at the position, so page 10,000 costs what page 1 costs.
 * One row more than asked for tells whether there is a next page.
 */
export function pageStatement({ workspace, kind, parent, sort, q, limit, after, fromEnd }: PageQuery) {
  const values: unknown[] = [workspace, kind]
  const bind = (value: unknown) => `$${values.push(value)}`
  const conditions = ['workspace = $1 and kind = $2']
  if (parent !== undefined) conditions.push(`parent = ${bind(parent)}`)
  if (q) conditions.push(`search like ${bind(`%${escapeLike(q)}%`)}`)
  const descending = sort.endsWith('desc') !== fromEnd
  if (after) conditions.push(beyond(after, descending ? '<' : '>', bind))
  const direction = descending ? 'desc' : 'asc'
  const order = sort.startsWith('name') ? `name ${direction}` : `created_at ${direction}, seq ${direction}`
  const text = `select ${columns} from resources where ${conditions.join(' and ')} order by ${order} limit ${bind(limit)}`
  return { text, values }
}

function beyond(after: NonNullable<PageQuery['after']>, sign: '<' | '>', bind: (value: unknown) => string): string {
  if ('name' in after) return `name ${sign} ${bind(after.name)}`
  return `(created_at, seq) ${sign} (${bind(after.createdAt)}::timestamptz, ${bind(after.seq)}::bigint)`
}

const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&')
