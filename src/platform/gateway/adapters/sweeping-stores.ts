import { attempt, type LoopReports, repeat } from '../../../kit/process/repeat.ts'
import type { ResourceChanges } from '../domain/ports.ts'

type Store = { sweep(): Promise<unknown> }

type Needs = Record<(typeof swept)[number], Store> & {
  /** Removes the folders of deleted resources. */
  remove(): Promise<unknown>
  changes: ResourceChanges
  loops: LoopReports
}

const swept = [
  'mcpSessions',
  'mcpEvents',
  'toolCalls',
  'grantProblems',
  'repairs',
  'callStates',
  'awaitedInputs',
  'approvals',
  'processes',
] as const

export function sweepingStores({ remove, changes, loops, ...stores }: Needs) {
  const all = () => Promise.all([...swept.map((name) => stores[name].sweep()), remove()])
  const turn = repeat('sweep-gateway', 60_000, all, loops)
  void attempt('sweep-gateway', all, loops)
  changes.listen(({ kind, removed }) => {
    if (removed && keepsFolder.has(kind)) void attempt('remove-folders', remove, loops)
  })
  return turn
}

const keepsFolder = new Set(['sandbox', 'volume', 'drive'])
