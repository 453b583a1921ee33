// The engine port on a real engine: each run in a new container, and in one that is kept.
import { randomUUID } from 'node:crypto'
import { afterAll, describe } from 'vitest'
import { bubblewrapEngine } from '../../src/platform/shared/adapters/confinement/bubblewrap-engine.ts'
import { dockerEngine } from '../../src/platform/shared/adapters/docker/docker-engine.ts'
import type { Engine } from '../../src/platform/shared/domain/engine.ts'
import { imageRules } from '../../src/platform/shared/domain/image-rules.ts'
import { enginePromises } from '../platform/engines/engine.contract.ts'
import { keptPromises } from '../platform/engines/kept.contract.ts'
import { processesWith } from '../support/oracles/processes-with.ts'

const { DOCKER_HOST: url = '', WORKLOAD_IMAGE: image = '' } = process.env

const engine = dockerEngine({
  url,
  owner: `contract-${randomUUID()}`,
  images: imageRules(['*']),
  commands: bubblewrapEngine({ unconfined: false }),
})
const { containers } = engine
if (!containers) throw new Error('no containers')

afterAll(async () => {
  for (const found of await containers.list()) await containers.remove(found)
})

const shared = {
  command: (script: string) => ['/bin/sh', '-c', script],
  processesWith,
}

const inImage: Engine = { ...engine, run: (run) => engine.run({ ...run, in: { image } }) }

describe('a new container for each run', () => {
  enginePromises({ ...shared, open: async () => inImage, unsupported: [] })
})

const id = randomUUID()
const inKept: Engine = {
  ...engine,
  run: (run) => engine.run({ ...run, in: { kept: { id, image, memoryMb: 256 } } }),
}

describe('a kept container', () => {
  enginePromises({
    ...shared,
    open: async () => inKept,
    unsupported: [
      'two runs share no files in /tmp and the home folder',
      'gives a run its temporary folders',
      'a temporary folder holds no more than its size',
      // The container has them, for all its commands together.
      'ends a command that takes more memory than it has',
      'limits the number of processes',
      // A command with input ends with its input.
      'a command that does not read its input ends by itself',
    ],
  })
})

keptPromises({ engine: { ...engine, containers }, image })
