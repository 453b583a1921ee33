// The engine port on a real cluster: each run in a new pod, and in one that is kept.
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, describe } from 'vitest'
import { bubblewrapEngine } from '../../src/platform/shared/adapters/confinement/bubblewrap-engine.ts'
import { kubernetesEngine } from '../../src/platform/shared/adapters/kubernetes/kubernetes-engine.ts'
import type { Engine } from '../../src/platform/shared/domain/engine.ts'
import { imageRules } from '../../src/platform/shared/domain/image-rules.ts'
import { enginePromises } from '../platform/engines/engine.contract.ts'
import { keptPromises } from '../platform/engines/kept.contract.ts'

const { KUBECONFIG: kubeconfig, ENGINE_URL = '', WORKLOAD_IMAGE: image = '' } = process.env

const engine = kubernetesEngine({
  ...{ kubeconfig, namespace: ENGINE_URL.replace('kubernetes:', ''), owner: `contract-${randomUUID()}` },
  images: imageRules(['*']),
  commands: bubblewrapEngine({ unconfined: false }),
})
const { containers } = engine
if (!containers) throw new Error('no containers')

afterAll(async () => {
  for (const found of await containers.list()) await containers.remove(found)
})

const commandLines = () =>
  readdirSync('/proc').flatMap((name) => {
    try {
      return [{ id: Number(name), line: readFileSync(`/proc/${name}/cmdline`, 'utf8') }]
    } catch {
      return []
    }
  })

/** Processes of a node elsewhere cannot be seen. */
const isNodeHere = commandLines().some(({ line }) => line.startsWith('kubelet\0'))
const needsNodeHere = [
  'ends a command at its timeout, with everything that it started',
  'ends a command and everything that it started when the signal is aborted',
  'runs nothing for a signal that was aborted before',
  'ends what a command leaves behind in the background',
]

const shared = {
  command: (script: string) => ['/bin/sh', '-c', script],
  processesWith: (mark: string) => commandLines().flatMap(({ id, line }) => (line.includes(mark) ? [id] : [])),
}

const unsupported = [
  ...(isNodeHere ? [] : needsNodeHere),
  // A pod has an interface. The network policy denies its connections, if the network of the cluster enforces policies.
  'a command has no network besides its own loopback',
  // Only the kubelet has a limit (podPidsLimit), for all pods of a node.
  'limits the number of processes',
  // The kubelet ends a pod that exceeds it, some seconds later.
  'a temporary folder holds no more than its size',
]

const inImage: Engine = { ...engine, run: (run) => engine.run({ ...run, in: { image } }) }

describe('a new pod for each run', () => {
  enginePromises({
    ...shared,
    open: async () => inImage,
    // The log of a pod mixes both outputs, and is read at the end.
    unsupported: [
      ...unsupported,
      'keeps both outputs and the exit code apart',
      'passes each output on while a command runs',
      'reports a command that does not exist with the exit code of a shell',
    ],
  })
})

const id = randomUUID()
const inKept: Engine = {
  ...engine,
  run: (run) => engine.run({ ...run, in: { kept: { id, image, memoryMb: 256 } } }),
}

describe('a kept pod', () => {
  enginePromises({
    ...shared,
    open: async () => inKept,
    unsupported: [
      ...unsupported,
      'two runs share no files in /tmp and the home folder',
      'gives a run its temporary folders',
      // The pod has it, for all its commands together.
      'ends a command that takes more memory than it has',
    ],
  })
})

keptPromises({ engine: { ...engine, containers }, image })
