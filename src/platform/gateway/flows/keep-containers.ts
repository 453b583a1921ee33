import type { Log } from '../../../kit/process/log.ts'
import type { Containers, EngineObject, KeptContainer } from '../../shared/domain/engine.ts'
import { workOnEach } from '../../shared/flows/work-on-each.ts'
import type { ControlPlane } from '../domain/ports.ts'
import type { SandboxUses } from '../domain/sandbox/sandbox.ts'

type Needs = {
  containers: Containers
  workloads: Pick<ControlPlane, 'sandboxesWithImages' | 'servedImages' | 'servedContainer' | 'removedStorage'>
  isContainer(image: string): boolean
  sandboxUses: Pick<SandboxUses, 'idle' | 'claimStop' | 'endStop'>
  log: Log<'containers.missing'>
  now: () => Date
}

/** Compares what the database wants with what the engine has, and corrects the engine. Any process may do it. */
export function keepContainers(needs: Needs): () => Promise<void> {
  const { containers, workloads, sandboxUses, isContainer, log, now } = needs
  const starts = repeatedStarts(now)
  return async () => {
    // List containers first: each has a row before it exists, so one without a row is an orphan.
    const listed = await containers.list()
    const found = listed.filter(({ kind }) => kind === 'kept')
    const all = await withImages(workloads)
    const idle = new Set(await sandboxUses.idle())
    const withRow = new Set(all.map(({ id }) => id))
    const orphans = found.filter(({ id }) => !withRow.has(id))
    const failures = await workOnEach(orphans, (each) => containers.remove(each))
    const wanted = new Map(
      all.filter(({ image, isWanted }) => isWanted && isContainer(image)).map((each) => [each.id, each]),
    )
    const mayRun = new Set([...wanted.keys(), ...all.flatMap(({ id, lingers }) => (lingers ? [id] : []))])
    const running = new Set(found.filter(({ id, isRunning }) => isRunning && withRow.has(id)).map(({ id }) => id))
    const unwanted = [...running].filter((id) => !mayRun.has(id) || idle.has(id))
    failures.push(...(await workOnEach(unwanted, (id) => stop(needs, id, wanted.has(id)))))
    failures.push(...(await removeVolumes(needs, listed)))
    starts.forget((id) => !wanted.has(id) || (running.has(id) && starts.hasLasted(id)))
    const isOff = (id: string) => !running.has(id) && !idle.has(id)
    const lacking = [...wanted.values()].filter(({ id }) => isOff(id) && starts.isDue(id))
    for (const { id } of lacking) starts.note(id)
    const problems = await keepAll(containers, lacking)
    if (problems > 0) log('containers.missing', { count: problems })
    if (failures.length > 0) throw failures[0]
  }
}

type WithImage = {
  id: string
  image: string
  isWanted: boolean
  lingers?: boolean
  open(): Promise<KeptContainer | undefined>
}

/** Variables of agents and models are decrypted only for those that are started. */
async function withImages({ sandboxesWithImages, servedImages, servedContainer }: Needs['workloads']) {
  const [sandboxes, served] = await Promise.all([sandboxesWithImages(), servedImages()])
  return [
    ...sandboxes.map(({ isWanted, ...kept }): WithImage => ({ ...kept, isWanted, open: async () => kept })),
    ...served.map((each): WithImage => ({ ...each, open: () => servedContainer(each) })),
  ]
}

async function removeVolumes({ containers, workloads }: Needs, listed: readonly EngineObject[]): Promise<unknown[]> {
  const volumes = listed.flatMap(({ kind, id }) => (kind === 'volume' ? [id] : []))
  return workOnEach(await workloads.removedStorage(volumes), (id) => containers.remove({ kind: 'volume', id }))
}

/** A runtime may have got the name of its image, perhaps only in this process: its home folder stays. */
async function stop({ containers, sandboxUses }: Needs, id: string, isWanted: boolean): Promise<void> {
  if (!isWanted) return containers.stop(id)
  // The next use starts it again.
  if (await sandboxUses.claimStop(id)) await containers.stop(id).finally(() => sandboxUses.endStop(id))
}

/** Returns how many could not be started. */
async function keepAll(containers: Containers, lacking: readonly WithImage[]): Promise<number> {
  let failed = 0
  const failures = await workOnEach(lacking, async ({ open }) => {
    const kept = await open()
    const { problem } = kept ? await containers.keep(kept, 'asked') : {}
    if (problem !== undefined) failed++
  })
  return failed + failures.length
}

const firstPauseMs = 1_000
const maxPauseMs = 5 * 60_000
/** A container that ran for so long is started again without a pause. */
const lastingMs = 60_000

/** A container that ends again and again is started after growing pauses. */
function repeatedStarts(now: () => Date) {
  const starts = new Map<string, { count: number; at: number }>()
  const sinceStart = (at: number) => now().getTime() - at
  return {
    note: (id: string) => void starts.set(id, { count: (starts.get(id)?.count ?? 0) + 1, at: now().getTime() }),
    isDue(id: string): boolean {
      const { count, at } = starts.get(id) ?? { count: 0, at: 0 }
      return count === 0 || sinceStart(at) >= Math.min(firstPauseMs * 2 ** (count - 1), maxPauseMs)
    },
    hasLasted: (id: string) => sinceStart(starts.get(id)?.at ?? 0) >= lastingMs,
    forget(isOver: (id: string) => boolean): void {
      for (const id of starts.keys()) if (isOver(id)) starts.delete(id)
    },
  }
}
