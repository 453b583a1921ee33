// Kept pods: their volumes, servers, and how often the cluster is asked.
import { expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { podsOf } from '../../../src/platform/shared/adapters/kubernetes/pods.ts'
import type { KeptContainer } from '../../../src/platform/shared/domain/engine.ts'
import { imageRules } from '../../../src/platform/shared/domain/image-rules.ts'
import { clusterInMemory } from './cluster-in-memory.ts'
import type { Pod } from './simulated-cluster.ts'

function emptyCluster(sharedStorage?: string) {
  const { cluster, api } = clusterInMemory()
  const pods = podsOf(api, { owner: 'test', images: imageRules(['*']), sharedStorage })
  return { cluster, pods, only: () => [...cluster.pods.values()][0] as Pod }
}

const box: KeptContainer = { id: 'box', image: 'acme/box', memoryMb: 128 }
const mounts = [
  { volume: 'v1', at: '/data', readOnly: false, sizeMb: 200 },
  { volume: 'd1', at: '/shared', readOnly: true },
]

/** Mount path, claim and mode of each mount. */
const mountsIn = ({ spec }: Pod) =>
  spec.containers[0].volumeMounts?.map(({ mountPath, name, readOnly }) => {
    const { persistentVolumeClaim } = spec.volumes.find((volume) => volume.name === name) ?? {}
    return [mountPath, persistentVolumeClaim?.claimName, readOnly]
  })

const sizes = (cluster: ReturnType<typeof emptyCluster>['cluster']) =>
  [...cluster.claims.values()].map(({ spec }) => [spec?.resources?.requests?.storage, spec?.accessModes?.[0]])

test('volumes and drives are claims with their sizes, at their folders', async () => {
  const { cluster, pods, only } = emptyCluster()

  expect(await pods.keep({ ...box, mounts })).toEqual({})

  const [home, volume, drive] = cluster.claims.keys()
  expect(mountsIn(only())).toEqual([
    ['/tmp', undefined, false],
    ['/home/user', home, false],
    ['/data', volume, false],
    ['/shared', drive, true],
  ])
  expect(sizes(cluster)).toEqual([
    ['2Gi', 'ReadWriteOnce'],
    ['200Mi', 'ReadWriteOnce'],
    ['1024Mi', 'ReadWriteOnce'],
  ])
})

test('a class for shared storage has volumes and drives, but no home folders', async () => {
  const { cluster, pods } = emptyCluster('nfs')

  await pods.keep({ ...box, mounts })

  expect([...cluster.claims.values()].map(({ spec }) => [spec?.storageClassName, spec?.accessModes])).toEqual([
    [undefined, ['ReadWriteOnce']],
    ['nfs', ['ReadWriteMany']],
    ['nfs', ['ReadWriteMany']],
  ])
})

test('a volume outlives its sandboxes, and is listed until it is removed', async () => {
  const { cluster, pods } = emptyCluster()
  await pods.keep({ ...box, mounts })
  await pods.remove({ kind: 'kept', id: 'box' })

  const left = await pods.list()
  for (const volume of left) await pods.remove(volume)

  expect(left).toEqual(['v1', 'd1'].map((id) => ({ kind: 'volume', id, isRunning: false })))
  expect([cluster.pods.size, cluster.claims.size]).toEqual([0, 0])
})

test('another mount replaces the pod, and the same mounts do not', async () => {
  const { cluster, pods, only } = emptyCluster()
  await pods.keep({ ...box, mounts })
  const [first, before] = [only(), cluster.calls.length]

  await pods.keep({ ...box, mounts: structuredClone(mounts) })
  const calls = cluster.calls.slice(before)
  await pods.keep({ ...box, mounts: mounts.slice(1) })

  expect(calls).toEqual(['GET /pods', 'GET /pods'])
  expect(only().metadata.uid).not.toBe(first.metadata.uid)
  expect(mountsIn(only())?.map(([at]) => at)).toEqual(['/tmp', '/home/user', '/shared'])
})

test('the image of a server runs its command with its variables, and has no claim', async () => {
  const { cluster, pods, only } = emptyCluster()
  const env = new Secret({ GREETING: 'costs $5', PORT: '1', HOME: '/root' })

  await pods.keep({ ...box, serves: { port: 3_000, env } })

  const [{ command, env: variables }] = only().spec.containers
  expect(command).toBeUndefined()
  expect(Object.fromEntries(variables?.map(({ name, value }) => [name, value]) ?? [])).toEqual({
    GREETING: 'costs $$5',
    HOME: '/home/user',
    HOST: '127.0.0.1',
    PORT: '3000',
  })
  expect(cluster.claims.size).toBe(0)
  expect(await pods.list()).toEqual([{ kind: 'kept', id: 'box', isRunning: true }])
})

test('the network policy is not read again for each pod', async () => {
  const { cluster, pods } = emptyCluster()

  for (let at = 0; at < 5; at++) await pods.keep({ ...box, id: `${at}` })

  expect(cluster.calls.filter((call) => call.endsWith('/networkpolicies'))).toHaveLength(2)
})
