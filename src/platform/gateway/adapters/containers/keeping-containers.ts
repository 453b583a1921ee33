import { type LoopReports, repeat } from '../../../../kit/process/repeat.ts'
import type { Containers, Engine } from '../../../shared/domain/engine.ts'
import type { ResourceChanges } from '../../domain/ports.ts'

type Needs = { engine: Engine; changes: ResourceChanges; loops: LoopReports }

const startedKinds = new Set(['sandbox', 'agent', 'function', 'model'])

/** Repeats the work, and does it at once after a change. The engine's watch may miss ends. */
export function keepingContainers(
  workOf: (containers: Containers) => () => Promise<void>,
  { engine: { containers }, changes, loops }: Needs,
) {
  if (!containers) return []
  const turn = repeat('keep-containers', 15_000, workOf(containers), loops)
  changes.listen(({ kind, removed }) => {
    if (startedKinds.has(kind) || (kind === 'workspace' && removed)) turn.soon()
  })
  const watching = new AbortController()
  const watched = containers.watch(turn.soon, watching.signal)
  const stop = async () => {
    watching.abort()
    await Promise.all([watched, turn.stop()])
  }
  return [{ stop }]
}
