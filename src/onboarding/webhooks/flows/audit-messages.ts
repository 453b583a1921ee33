import { headJws } from '../../domain/audit/audit-chain.ts'
import { recordsOf } from '../../domain/audit/audit-records.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { optInEvent } from '../../domain/tenant-event.ts'
import type { OutboxEvent } from '../../domain/webhooks/delivery.ts'

type Range = { first: number; last: number }

const rangeOf = ({ name, payload }: Pick<OutboxEvent, 'name' | 'payload'>): Range | undefined =>
  name === optInEvent && !('records' in payload) ? (payload as Range) : undefined

/** Adds the records to events about the audit. The outbox has only positions, so an erasure applies to later attempts. */
export async function withRecords<Event extends Pick<OutboxEvent, 'name' | 'payload'>>(
  ports: Pick<Ports, 'auditChains'>,
  tenant: string,
  events: readonly Event[],
): Promise<Event[]> {
  const ranges = events.map(rangeOf).filter((range) => range !== undefined)
  if (ranges.length === 0) return [...events]
  const { records, heads } = await readChain(ports, tenant, {
    first: Math.min(...ranges.map(({ first }) => first)),
    last: Math.max(...ranges.map(({ last }) => last)),
  })
  return events.map((event) => {
    const range = rangeOf(event)
    if (!range) return event
    const isWithin = ({ position }: { position: number }) => position >= range.first && position <= range.last
    const head = heads.findLast(isWithin)?.head
    return { ...event, payload: { ...range, records: records.filter(isWithin), ...(head && { head }) } }
  })
}

const atOnce = 1_000

async function readChain({ auditChains }: Pick<Ports, 'auditChains'>, tenant: string, { first, last }: Range) {
  const records = []
  const heads = []
  for (let position = first - 1; position < last; ) {
    // Without a search for inserted rows, which `audit verify` finds.
    const read = await auditChains.read(tenant, { position, id: Number.MAX_SAFE_INTEGER }, atOnce)
    const end = read.blocks.at(-1)
    if (!end) break
    records.push(...recordsOf(read, { showsHidden: false }))
    heads.push(...read.blocks.map((block) => ({ position: block.last, head: headJws(block) })))
    position = end.last
  }
  return { records, heads }
}
