export type StubReport = {
  grants: number
  replayed: number
  connections: number
  functions: number
  repeated: number
  distinctTokens: number
  stale: number
}

export type RowCounts = Record<'waiting' | 'pending' | 'linked' | 'failed' | 'needs_attention' | 'invalid', number>

type Outcome = {
  rows: number
  counts: RowCounts
  /** Rows that failed because the response to the only use of a rotating token was lost with its process. */
  unknown: number
  stub: StubReport
  rowsPerSecond: number
  memoryMb: number[]
  kills: number
  atOnce: number
}

const barRowsPerSecond = 200

/** Memory of the last quarter of the run compared with the second. The first quarter warms up. */
function growth(memoryMb: readonly number[]): number {
  const quarter = Math.floor(memoryMb.length / 4)
  const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
  return median(memoryMb.slice(-quarter)) / median(memoryMb.slice(quarter, 2 * quarter))
}

export function check(outcome: Outcome): Array<{ what: string; holds: boolean }> {
  const { rows, counts, unknown, stub, rowsPerSecond, memoryMb, kills, atOnce } = outcome
  return [
    { what: `every row has an end: ${JSON.stringify(counts)}`, holds: counts.linked + counts.failed === rows },
    {
      what: `none failed but those whose answer died with a process (${unknown} of at most ${kills * atOnce})`,
      holds: counts.failed === unknown && unknown <= kills * atOnce,
    },
    { what: `no rotating token was sent twice (${stub.replayed})`, holds: stub.replayed === 0 },
    {
      what: `one connection for each row that is linked, and each with a token of its own (${stub.connections})`,
      holds: stub.connections === counts.linked && stub.distinctTokens === counts.linked,
    },
    {
      what: `the platform has the newest token of every grant that rotates (${stub.stale} without)`,
      holds: stub.stale <= unknown,
    },
    {
      what: `${barRowsPerSecond} rows a second or more (${rowsPerSecond.toFixed(0)})`,
      holds: rowsPerSecond >= barRowsPerSecond,
    },
    { what: `memory is flat (${growth(memoryMb).toFixed(2)} times)`, holds: growth(memoryMb) < 1.25 },
  ]
}
