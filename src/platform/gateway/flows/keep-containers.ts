import type { Log } from '../../../kit/process/log.ts'
import type { Containers, EngineObject, KeptContainer } from '../../shared/domain/engine.ts'
import { workOnEach } from '../../shared/flows/work-on-each.ts'
import type { ControlPlane } from '../domain/ports.ts'
import type { ContainerUses } from '../domain/sandbox/container-uses.ts'
import type { SandboxUses } from '../domain/sandbox/sandbox.ts'

type Needs = {
  containers: Containers
  workloads: Pick<ControlPlane, 'sandboxesWithImages' | 'servedImages' | 'servedContainer' | 'removedStorage'>
  isContainer(image: string): boolean
  sandboxUses: Pick<SandboxUses, 'idle' | 'claimStop' | 'endStop'>
  containerUses: Pick<ContainerUses, 'known' | 'adopt' | 'claimStop' | 'endStop' | 'forget'>
  log: Log<'containers.missing'>
  now: () => Date
}

/** Compares what the database wants with what the engine has, and corrects the engine. Any process may do it. */
export function keepContainers(needs: Needs): () => Promise<void> {
  const { containers, containerUses, log, now } = needs
  const starts = repeatedStarts(now)
  return async () => {
    // List containers first: each has a row before it exists, so one without a row is an orphan.
    const listed = await containers.list()
    const found = listed.filter(({ kind }) => kind === 'kept')
    const all = new Map((await withImages(needs)).map((each) => [each.id, each]))
    const orphans = found.filter(({ id }) => !all.has(id))
    const failures = await workOnEach(orphans, async (each) => {
      await containers.remove(each)
      await containerUses.forget(each.id)
    })
    const running = new Set(found.filter(({ id, isRunning }) => isRunning && all.has(id)).map(({ id }) => id))
    const isMeant = ({ mayRun, isIdle, adopt }: WithImage) => mayRun && !isIdle && !adopt
    const changed = [...all.values()].filter((each) => running.has(each.id) && !isMeant(each))
    failures.push(...(await workOnEach(changed, (each) => stopOrAdopt(containers, each))))
    failures.push(...(await removeVolumes(needs, listed)))
    const wanted = [...all.values()].filter(({ isWanted }) => isWanted)
    starts.forget((id) => !all.get(id)?.isWanted || (running.has(id) && starts.hasLasted(id)))
    const isOff = ({ id, isIdle }: WithImage) => !running.has(id) && !isIdle
    const lacking = wanted.filter((each) => isOff(each) && starts.isDue(each.id))
    for (const { id } of lacking) starts.note(id)
    const problems = await keepAll(containers, lacking)
    if (problems > 0) log('containers.missing', { count: problems })
    if (failures.length > 0) throw failures[0]
  }
}

/** `mayRun`: a use starts the container, and it then runs until it is idle. */
type WithImage = {
  id: string
  isWanted: boolean
  mayRun: boolean
  isIdle: boolean
  uses: Pick<SandboxUses, 'claimStop' | 'endStop'>
  /** Applies if nothing has used the container yet. */
  adopt?: (() => Promise<void>) | undefined
  open(): Promise<KeptContainer | undefined>
}

/** Variables of agents and models are decrypted only for those that are started. */
async function withImages({ workloads, sandboxUses, containerUses, isContainer }: Needs): Promise<WithImage[]> {
  const [sandboxes, served] = await Promise.all([workloads.sandboxesWithImages(), workloads.servedImages()])
  const idle = new Set(await sandboxUses.idle())
  const known = new Map((await containerUses.known()).map((each) => [each.id, each]))
  return [
    ...sandboxes.map(({ isWanted: isDeployed, ...kept }): WithImage => {
      const isWanted = isDeployed && isContainer(kept.image)
      const { id } = kept
      return { id, isWanted, mayRun: isWanted, isIdle: idle.has(id), uses: sandboxUses, open: async () => kept }
    }),
    ...served.map((each): WithImage => {
      const { id, resource, always, lingers } = each
      const use = known.get(id)
      const mayRun = each.mayRun && isContainer(each.image)
      return {
        ...{ id, isWanted: mayRun && (always || use?.isRunning === true), mayRun: mayRun || lingers },
        ...{ isIdle: !always && use?.isIdle === true, uses: containerUses },
        adopt: use ? undefined : () => containerUses.adopt(id, resource),
        open: () => workloads.servedContainer(each),
      }
    }),
  ]
}

/** A runtime may have got the name of its image, perhaps only in this process: its home folder stays. */
async function stopOrAdopt(containers: Containers, { id, mayRun, isIdle, uses, adopt }: WithImage): Promise<void> {
  if (!mayRun) return containers.stop(id)
  // The next use starts it again.
  if (isIdle && (await uses.claimStop(id))) return containers.stop(id).finally(() => uses.endStop(id))
  await adopt?.()
}

async function removeVolumes({ containers, workloads }: Needs, listed: readonly EngineObject[]): Promise<unknown[]> {
  const volumes = listed.flatMap(({ kind, id }) => (kind === 'volume' ? [id] : []))
  return workOnEach(await workloads.removedStorage(volumes), (id) => containers.remove({ kind: 'volume', id }))
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
