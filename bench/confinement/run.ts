// `npm run bench:confinement [-- --json <file>]`: response times of the platform while a tenant's commands try to escape,
// and while they sleep.
import { chmodSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { outsideACommand } from '../../test/support/worlds/outside-a-command.ts'
import { percentiles, round } from '../support/percentiles.ts'
import { progress } from '../support/progress.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { attack, attackImages, prepareAttacks } from './attackers.ts'
import { openStand } from './stand.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '20' },
    jobs: { type: 'string', default: '1' },
    sandboxes: { type: 'string', default: '1' },
    sleepers: { type: 'string', default: '8' },
    json: { type: 'string' },
  },
})
const many = { jobs: Number(values.jobs), sandboxes: Number(values.sandboxes) }
const bar = 1.5
let created = 1

const folder = temporaryFolder()
chmodSync(folder, 0o711)
// Jobs see the folder of the script and look for our files next to it.
const outside = await outsideACommand(temporaryFolder('ways-out-'), process.pid)
const stand = await openStand(folder, attackImages(outside.own), outside.own)

try {
  await prepareRequests()
  await prepareAttacks(stand, outside)
  await measure(5, times()) // warms up
  const [usual, attacked] = [times(), times()]
  const health: Health = { usual: [], asleep: [] }
  const counts: Record<string, number> = {}
  const escapes: string[] = []
  // Alternates, so that other load on the machine affects both equally.
  for (let turn = 1; turn <= Number(values.rounds); turn++) {
    progress(`round ${turn}, at rest`)
    await measure(Number(values.seconds), usual)
    await measureHealth(Number(values.seconds), health.usual)
    progress(`round ${turn}, commands asleep`)
    await whileAsleep(() => measureHealth(Number(values.seconds), health.asleep))
    progress(`round ${turn}, attacked`)
    const attacks = attack(stand, many)
    await measure(Number(values.seconds), attacked)
    await attacks.stop()
    for (const [name, count] of Object.entries(attacks.counts)) counts[name] = (counts[name] ?? 0) + count
    escapes.push(...attacks.escapes)
  }
  report({ usual, attacked, counts, escapes, health })
} finally {
  await stand.stop()
  outside.close()
}

type Times = Record<Request, number[]>
type Request = keyof ReturnType<typeof requests>

function requests() {
  return {
    'get a drive': () => stand.get('/v0/drives/drive-0'),
    'list drives': () => stand.get('/v0/drives'),
    'create a drive': () => stand.create('drives', `drive-${created++}`, { region: 'local', size: 5 }),
    'model behind the gateway': () => stand.post('/acme/models/bench/chat/completions', { messages: [] }),
    'tool of a function': () => stand.callTool('functions/bench', 'hello', {}),
  }
}

function times(): Times {
  return Object.fromEntries(Object.keys(requests()).map((name) => [name, []])) as unknown as Times
}

async function prepareRequests(): Promise<void> {
  const secret = { CLIENT_ID: 'client', CLIENT_SECRET: 'secret', REFRESH_TOKEN: 'refresh' }
  await stand.create('drives', 'drive-0', { region: 'local', size: 5 })
  await stand.create('models', 'bench', { runtime: { image: 'bench/model' } })
  await stand.create('integrations/connections', 'bench', { integration: 'bench', secret })
  await stand.create('functions', 'bench', { type: 'mcp', integrationConnections: ['bench'] })
}

/** Sends one request at a time, each kind in turn, for the given time. */
async function measure(seconds: number, into: Times): Promise<void> {
  const until = performance.now() + seconds * 1_000
  while (performance.now() < until) {
    for (const [name, send] of Object.entries(requests()) as Array<[Request, () => Promise<unknown>]>) {
      const from = performance.now()
      await send()
      into[name].push(performance.now() - from)
    }
  }
}

type Health = { usual: number[]; asleep: number[] }

async function measureHealth(seconds: number, into: number[]): Promise<void> {
  const until = performance.now() + seconds * 1_000
  while (performance.now() < until) {
    const from = performance.now()
    await stand.get('/healthz')
    into.push(performance.now() - from)
  }
}

/** The commands outlast the measurement. */
async function whileAsleep(act: () => Promise<void>): Promise<void> {
  const command = `sleep ${Number(values.seconds) + 5}`
  const asleep = Array.from({ length: Number(values.sleepers) }, () =>
    stand.callTool('sandboxes/attacker', 'run_command', { command, timeout_seconds: 60 }),
  )
  await pause(2_000) // until they have started
  await act()
  for (const answer of await Promise.all(asleep)) {
    const { exitCode } = JSON.parse(answer.result.content[0].text)
    if (exitCode !== 0) throw new Error(`a command did not sleep: ${answer.result.content[0].text}`)
  }
}

type Outcome = { usual: Times; attacked: Times; counts: Record<string, number>; escapes: string[]; health: Health }

function report({ usual, attacked, counts, escapes, health }: Outcome): void {
  const [rest, asleep] = [percentiles(health.usual), percentiles(health.asleep)]
  const asleepRatio = round(asleep.p95 / rest.p95)
  const isRested = asleepRatio < bar
  process.stdout.write(
    `/healthz with ${values.sleepers} sleeping commands: p95 ${asleep.p95.toFixed(2)} instead of ${rest.p95.toFixed(2)} ms: ` +
      `${asleepRatio} times  ${isRested ? 'holds' : 'MISSED'} (p95 under ${bar} times)\n`,
  )
  const lines = (Object.keys(usual) as Request[]).map((name) => {
    const [before, meanwhile] = [percentiles(usual[name]), percentiles(attacked[name])]
    const [ratio, ratioP95] = [meanwhile.p50 / before.p50, meanwhile.p95 / before.p95]
    return { name, before, meanwhile, ratio: round(ratio), ratioP95: round(ratioP95), holds: ratio < bar }
  })
  for (const { name, before, meanwhile, ratio, ratioP95, holds } of lines) {
    const shown = ({ p50, p95 }: typeof before) => `${p50.toFixed(2)} / ${p95.toFixed(2)} ms`
    process.stdout.write(
      `${name.padEnd(26)} p50/p95 at rest ${shown(before)}, attacked ${shown(meanwhile)}: ` +
        `${ratio} and ${ratioP95} times  ${holds ? 'holds' : 'MISSED'} (p50 under ${bar} times)\n`,
    )
  }
  for (const [name, count] of Object.entries(counts)) process.stdout.write(`${count} times ${name}\n`)
  process.stdout.write(`${escapes.length === 0 ? 'holds ' : 'MISSED'} nothing got out: ${JSON.stringify(escapes)}\n`)
  if (values.json)
    writeFileSync(values.json, `${JSON.stringify({ many, lines, counts, escapes, rest, asleep }, undefined, 2)}\n`)
  if (escapes.length > 0 || !isRested || lines.some(({ holds }) => !holds)) process.exitCode = 1
}
