import { byTime } from './tables.ts'

/** A row that crashed workers is claimed without others. */
export function oneSuspectOrOthers<T>(free: T[], isSuspect: (row: T) => boolean): T[] {
  const [first] = free
  return first && isSuspect(first) ? [first] : free.filter((row) => !isSuspect(row))
}

type Waiting = { tenant: string; dueAt: Date | undefined }

type Shares = { limit: number; perTenant: number; underWay?: Readonly<Record<string, number>> }

/** Round-robin over tenants, bounded per tenant. Oldest first within a tenant, unless `order` says otherwise. */
export function fairly<T extends Waiting>(
  rows: T[],
  { limit, perTenant, underWay = {} }: Shares,
  order: (a: T, b: T) => number = () => 0,
): T[] {
  const turns = new Map<string, number>(Object.entries(underWay))
  const placed = rows
    .sort((a, b) => order(a, b) || byTime<T>(({ dueAt }) => dueAt)(a, b))
    .map((row) => {
      const turn = (turns.get(row.tenant) ?? 0) + 1
      turns.set(row.tenant, turn)
      return { row, turn }
    })
  return placed
    .filter(({ turn }) => turn <= perTenant)
    .sort((a, b) => a.turn - b.turn || byTime<T>(({ dueAt }) => dueAt)(a.row, b.row))
    .slice(0, limit)
    .map(({ row }) => row)
}
