// Logs to a pipe, from a separate process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const module = fileURLToPath(new URL('../../dist-modules/kit/process/log.js', import.meta.url))

const script = (after: string, output = 'stdout') => [
  '--input-type=module',
  '--eval',
  `import { createLog } from ${JSON.stringify(module)}
   const log = createLog('tested', 'info', { line: { level: 'info', description: 'a line' } }, '${output}')
   const lines = (from, to) => { for (let at = from; at < to; at++) log('line', { count: at }) }
   ${after}`,
]

const logging = (after: string) => spawn(process.execPath, script(after))

const counts = (output: string) =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).count)

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at)

test.each([
  ['that ends normally', 'lines(0, 500)'],
  ['that receives SIGTERM', 'lines(0, 500); process.exit(0)'],
  ['that has written before', 'lines(0, 400); setTimeout(() => { lines(400, 500); process.exit(0) }, 300)'],
])('a process %s logs every line, in order', async (_how, after) => {
  const output = await text(logging(after).stdout)

  expect(counts(output)).toEqual(upTo(500))
})

test('a process that crashes logs every line', async () => {
  const child = logging(`lines(0, 3); throw new Error('broken')`)

  expect(counts(await text(child.stdout))).toEqual(upTo(3))
})

test('a command logs to stderr, so that its stdout is the result alone', async () => {
  const child = spawn(process.execPath, script(`lines(0, 2)`, 'stderr'))

  const [output, logged] = await Promise.all([text(child.stdout), text(child.stderr)])

  expect(output).toBe('')
  expect(counts(logged)).toEqual([0, 1])
})

test('lines are written immediately', async () => {
  const child = logging('lines(0, 1); setInterval(() => {}, 1_000)')

  const [first] = await once(child.stdout, 'data')
  child.kill()

  expect(counts(String(first))).toEqual([0])
})

test('a process whose log reader has gone still ends', async () => {
  const child = logging(`setTimeout(() => { lines(0, 3); process.exit(0) }, 200)`)
  child.stdout.destroy()

  const [code] = await once(child, 'exit')

  expect(code).toBe(0)
})

test('a process whose log cannot be written continues its work', async () => {
  await using full = await open('/dev/full', 'w')
  const child = spawn(process.execPath, script(`lines(0, 500); process.exitCode = 7`), {
    stdio: ['ignore', full.fd, 'pipe'],
  })

  const [code] = await once(child, 'exit')

  expect(code).toBe(7)
})
