type Counts<Kind extends string> = ReadonlyMap<string, Readonly<Record<Kind, number>>>

/** The newest day is the last column. `y` and `height` are percentages. */
export function dayChart<Kind extends string>(kinds: readonly Kind[], counts: Counts<Kind>, days: number, now: Date) {
  const columns = Array.from({ length: days }, (_, at) => {
    const day = dayOf(new Date(now.getTime() - (days - 1 - at) * 86_400_000))
    const of = (kind: Kind) => counts.get(day)?.[kind] ?? 0
    const parts = Object.fromEntries(kinds.map((kind) => [kind, of(kind)])) as Record<Kind, number>
    return { day, parts, total: kinds.reduce((total, kind) => total + of(kind), 0), ...dayLabel(day, at, days) }
  })
  const { top, ticks } = countAxis(Math.max(1, ...columns.map(({ total }) => total)))
  return { ticks, columns: columns.map((column) => ({ ...column, piles: piles(kinds, column.parts, top) })) }
}

/** UTC, like the ledger. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

/** The first day of a month has the month below it. Long charts label every fifth day, so that they fit on a phone. */
function dayLabel(day: string, at: number, days: number) {
  const month = new Date(day).toLocaleString('en', { month: 'short', timeZone: 'UTC' })
  const isNamed = days <= 14 || at % 5 === 0
  return { label: isNamed ? String(Number(day.slice(8))) : '', month: at === 0 || day.endsWith('-01') ? month : '' }
}

function piles<Kind extends string>(kinds: readonly Kind[], counts: Readonly<Record<Kind, number>>, highest: number) {
  let top = 100
  return kinds
    .filter((kind) => counts[kind] > 0)
    .map((kind) => {
      const height = (counts[kind] / highest) * 100
      top -= height
      return { kind, y: top.toFixed(2), height: height.toFixed(2) }
    })
}

const maxSteps = 4

/** Round numbers from zero to at least the highest count; `y` is in percent from the top. */
export function countAxis(highest: number) {
  const step = stepFor(highest)
  const top = Math.ceil(highest / step) * step
  const counts = Array.from({ length: top / step + 1 }, (_, at) => at * step)
  return { top, ticks: counts.map((count) => ({ count, y: (100 - (count / top) * 100).toFixed(2) })) }
}

/** 1, 2 or 5 times a power of ten, at least 1. */
function stepFor(highest: number): number {
  const least = Math.max(1, highest / maxSteps)
  const power = 10 ** Math.floor(Math.log10(least))
  return ([1, 2, 5, 10].find((each) => each * power >= least) ?? 10) * power
}
