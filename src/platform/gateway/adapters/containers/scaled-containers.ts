import { LRUCache } from 'lru-cache'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'
import { listensInTime } from '../../../shared/adapters/engines/port-listening.ts'
import { type Containers, type KeptContainer, replicaId } from '../../../shared/domain/engine.ts'
import { Failure } from '../../../shared/domain/failure.ts'
import type { ContainerUses } from '../../domain/sandbox/container-uses.ts'
import { noteEveryMs, type SandboxPorts } from '../../domain/sandbox/sandbox.ts'
import type { Serve } from '../../domain/workload.ts'

/** `resource`: its ID. `kept` is the first of at most `max` equal containers. */
export type Scaled = { resource: string; kept: KeptContainer; port: number; max: number }

type Replica = { kept: KeptContainer; open: number; isReady: boolean; starting: Promise<void> | undefined }
type Needs = { containers: Containers; ports: Pick<SandboxPorts, 'serve'>; uses: ContainerUses }

/** From this process. With more, another container is started while requests go on. */
const maxRequestsEach = 8

/** A request starts a container that was stopped, and waits for it. */
export function scaledContainers({ containers, ports, uses }: Needs) {
  const revisions = new LRUCache<string, { resource: string; replicas: Replica[] }>({ max: 10_000 })
  const closing = new AbortController()

  const replicasOf = ({ kept, resource, max }: Scaled): Replica[] => {
    const known = revisions.get(kept.id)
    if (known) return known.replicas
    const replicas = Array.from({ length: max }, (_, number) => ({
      ...{ kept: { ...kept, id: replicaId(kept.id, number) }, open: 0, isReady: false, starting: undefined },
    }))
    revisions.set(kept.id, { resource, replicas })
    return replicas
  }

  async function start(replica: Replica, resource: string): Promise<void> {
    try {
      await startUnlessRunning(replica.kept, resource)
      replica.isReady = true
    } finally {
      replica.starting = undefined
    }
  }

  async function startUnlessRunning(kept: KeptContainer, resource: string): Promise<void> {
    if (await uses.note(kept.id, resource)) return
    const { problem } = await containers.keep(kept)
    if (problem !== undefined) throw new Failure('workload_unavailable', problem)
    if (!(await listensInTime(containers, kept, closing.signal)))
      throw new Failure('workload_unavailable', 'The workload was started and does not listen at its port.')
    await uses.started(kept.id)
  }

  const ready = async (replica: Replica, resource: string): Promise<void> => {
    if (replica.isReady && uses.isNoted(replica.kept.id)) return
    replica.starting ??= start(replica, resource)
    return replica.starting
  }

  const choose = (replicas: readonly Replica[], resource: string): Replica => {
    const begun = replicas.filter(({ isReady, starting }) => isReady || starting)
    const isFull = begun.length > 0 && begun.every(({ open }) => open >= maxRequestsEach)
    const next = isFull ? replicas.find((each) => !begun.includes(each)) : undefined
    if (next) void ready(next, resource).catch(ignoreError('the next request tries again'))
    const there = begun.filter(({ isReady }) => isReady)
    const able = there.length > 0 ? there : replicas.slice(0, 1)
    return able.find(({ open }) => open < maxRequestsEach) ?? able.reduce((a, b) => (b.open < a.open ? b : a))
  }

  const noting = setInterval(() => {
    for (const { resource, replicas } of revisions.values())
      for (const { kept, open } of replicas)
        if (open > 0) uses.note(kept.id, resource).catch(ignoreError('the next turn notes it'))
  }, noteEveryMs)

  return {
    serve(scaled: Scaled): Serve {
      return async (request) => {
        const replicas = replicasOf(scaled)
        const meant = replicas.find(({ kept }) => kept.id === request.container)
        const replica = meant ?? choose(replicas, scaled.resource)
        replica.open++
        const ended = once(() => void replica.open--)
        try {
          await ready(replica, scaled.resource)
          const answer = await ports.serve(replica.kept, scaled.port)({ ...request, ended })
          return { ...answer, container: replica.kept.id }
        } catch (error) {
          ended()
          uses.doubt(replica.kept.id)
          throw error
        }
      }
    },
    close(): void {
      clearInterval(noting)
      closing.abort()
    },
  }
}

function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    act()
  }
}
