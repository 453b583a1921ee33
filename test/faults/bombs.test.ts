// Whatever answers us may answer with anything: without end, packed, in one line, in headers, a byte at a time, or with
// as many small things as fit into what we take. None of it adds 64 MB to a program.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBombServer } from '../support/doubles/bomb-server.ts'
import { temporaryFolder } from '../support/processes/stores.ts'

const mostMb = 64

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
  // What the first call of each loads is not what an answer costs.
  for (const reader of readers) await read(reader, 'nothing')
  for (const reader of readers) await read(reader, 'dense-200')
}, 120_000)

afterAll(() => {
  program.kill()
  server.close()
})

/** As a file of its own: this version of Node runs no TypeScript. */
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

/** Each after the other, so that what one takes is not another's. */
test.each(['flood', 'packed', 'headers', 'dense-16000', 'dense-65000', 'dense-1048000'])(
  'an answer that is a %s adds less than 64 MB, wherever it is read',
  async (bomb) => {
    const { peakMb: before } = await read('token', 'nothing')

    for (const reader of readers.filter((each) => each !== 'workload')) {
      const { outcome, peakMb } = await read(reader, bomb)
      expect(peakMb - before, `${reader}: ${outcome}`).toBeLessThan(mostMb)
    }
  },
  60_000,
)

/** These last until we give up, so all are read at once. */
test('answers that come slowly or never end are given up, and add less than 64 MB together', async () => {
  const { peakMb: before } = await read('token', 'nothing')
  const slow = readers.flatMap((reader) => ['drip', 'interim', 'line', 'events'].map((bomb) => ({ reader, bomb })))
  slow.push({ reader: 'workload', bomb: 'flood' })

  const taken = await Promise.all(slow.map(async (each) => ({ ...each, ...(await read(each.reader, each.bomb)) })))

  for (const { reader, bomb, ms, peakMb } of taken) {
    expect(ms, `${reader}: ${bomb}`).toBeLessThan(45_000)
    expect(peakMb - before, `${reader}: ${bomb}`).toBeLessThan(mostMb)
  }
}, 120_000)
