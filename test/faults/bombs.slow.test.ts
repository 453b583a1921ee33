// Hostile responses (endless, compressed, one line, headers, slow, dense) add less than 64 MB to a program.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBombServer } from '../support/doubles/bomb-server.ts'
import { temporaryFolder } from '../support/processes/stores.ts'

const maxMb = 64

type Reading = { outcome: string; ms: number; peakMb: number }

let server: Awaited<ReturnType<typeof startBombServer>>
let program: ChildProcess
let readers: string[]
let readings = 0

beforeAll(async () => {
  server = await startBombServer()
  const file = await bundledReader()
  program = fork(file, [server.host], { execArgv: ['--expose-gc'] })
  program.setMaxListeners(0)
  const [started] = await once(program, 'message')
  readers = started.readers
  // Warm up: the modules that the first call loads are not part of the measurement.
  for (const reader of readers) await read(reader, 'nothing')
  for (const reader of readers) await read(reader, 'dense-200')
}, 120_000)

afterAll(() => {
  program.kill()
  server.close()
})

/** As a compiled file: Node 20 does not run TypeScript. */
async function bundledReader(): Promise<string> {
  const outfile = join(temporaryFolder(), 'answer-reader.mjs')
  const banner = {
    js: `import { createRequire as requireOf } from 'node:module'\nconst require = requireOf(import.meta.url)`,
  }
  const entryPoints = ['test/support/processes/answer-reader.ts']
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20', banner })
  return outfile
}

async function read(reader: string, bomb: string): Promise<Reading> {
  const id = readings++
  program.send({ id, reader, url: `http://${server.host}/${bomb}` })
  return new Promise((resolve) => {
    const hear = (said: Reading & { id: number }) => {
      if (said.id !== id) return
      program.off('message', hear)
      resolve(said)
    }
    program.on('message', hear)
  })
}

/** One after the other, to measure each response separately. */
test.each(['flood', 'packed', 'headers', 'dense-16000', 'dense-65000', 'dense-1048000'])(
  'a %s response adds less than 64 MB, for every reader',
  async (bomb) => {
    const { peakMb: before } = await read('token', 'nothing')

    for (const reader of readers.filter((each) => each !== 'workload' && each !== 'relay')) {
      const { outcome, peakMb } = await read(reader, bomb)
      expect(peakMb - before, `${reader}: ${outcome}`).toBeLessThan(maxMb)
    }
  },
  60_000,
)

/** In parallel, because each lasts until its timeout. */
test('slow and endless responses time out, and add less than 64 MB together', async () => {
  const { peakMb: before } = await read('token', 'nothing')
  const slow = readers.flatMap((reader) => ['drip', 'interim', 'line', 'events'].map((bomb) => ({ reader, bomb })))
  slow.push(
    { reader: 'workload', bomb: 'flood' },
    { reader: 'relay', bomb: 'flood' },
    { reader: 'relay', bomb: 'packed' },
  )

  const taken = await Promise.all(slow.map(async (each) => ({ ...each, ...(await read(each.reader, each.bomb)) })))

  for (const { reader, bomb, ms, peakMb } of taken) {
    expect(ms, `${reader}: ${bomb}`).toBeLessThan(45_000)
    expect(peakMb - before, `${reader}: ${bomb}`).toBeLessThan(maxMb)
  }
}, 120_000)
