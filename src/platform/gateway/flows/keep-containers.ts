import type { Log } from '../../../kit/process/log.ts'
import type { Containers } from '../../shared/domain/engine.ts'
import type { ControlPlane } from '../domain/ports.ts'

type Needs = {
  containers: Containers
  workloads: Pick<ControlPlane, 'sandboxesWithImages' | 'removedStorage'>
  isContainer(image: string): boolean
  log: Log<'containers.missing'>
}

/** Wanted containers that are started at the same time. */
const maxConcurrent = 4

/** Compares what the database wants with what the engine has, and corrects the engine. Any process may do it. */
export const keepContainers =
  ({ containers, workloads, isContainer, log }: Needs) =>
  async (): Promise<void> => {
    // List containers first: each has a row before it exists, so one without a row is an orphan.
    const listed = await containers.list()
    const found = listed.filter(({ kind }) => kind === 'kept')
    const sandboxes = await workloads.sandboxesWithImages()
    const withRow = new Set(sandboxes.map(({ id }) => id))
    const wanted = new Map(sandboxes.filter(({ image }) => isContainer(image)).map((each) => [each.id, each]))
    for (const each of found) {
      if (!withRow.has(each.id)) await containers.remove(each)
      // A runtime may have got the name of its image, perhaps only in this process: its home folder stays.
      else if (!wanted.get(each.id)?.isWanted && each.isRunning) await containers.stop(each.id)
    }
    const volumes = listed.flatMap(({ kind, id }) => (kind === 'volume' ? [id] : []))
    for (const id of await workloads.removedStorage(volumes)) await containers.remove({ kind: 'volume', id })
    const running = new Set(found.filter(({ isRunning }) => isRunning).map(({ id }) => id))
    const lacking = [...wanted.values()].filter(({ id, isWanted }) => isWanted && !running.has(id))
    let failed = 0
    for (let start = 0; start < lacking.length; start += maxConcurrent) {
      const kept = await Promise.all(lacking.slice(start, start + maxConcurrent).map((each) => containers.keep(each)))
      failed += kept.filter(({ problem }) => problem !== undefined).length
    }
    if (failed > 0) log('containers.missing', { count: failed })
  }
