// S1: isolation of a tenant's command. All targets exist and are reachable by the test itself.
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { findConfinement } from '../../../src/platform/shared/adapters/confinement/confinement.ts'
import { runCommand } from '../../../src/platform/shared/adapters/confinement/run-command.ts'
import { cutShortSentence, type Folder, type RunEnd } from '../../../src/platform/shared/domain/engine.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { outsideACommand } from '../../support/worlds/outside-a-command.ts'

const folder = temporaryFolder()

const outside = await outsideACommand(folder, process.pid)
const found = await findConfinement({ unconfined: false })
if (found.kind !== 'confined') throw new Error('bubblewrap does not work here')
const confinement = found
afterAll(() => outside.close())

let runs = 0
const run = (
  command: string[],
  more: {
    confinement?: typeof confinement
    memoryMb?: number
    timeoutSeconds?: number
    folders?: Folder[]
    diskMb?: number
    env?: Record<string, string>
    workingFolder?: string
  } = {},
): Promise<RunEnd> =>
  runCommand(more.confinement ?? confinement, {
    id: `test-${process.pid}-${runs++}`,
    confined: {
      command,
      env: { PATH: '/usr/bin:/bin', HOME: '/home/user', MINE: 'mine', ...more.env },
      folders: more.folders ?? [],
      workingFolder: more.workingFolder ?? more.folders?.[0]?.at ?? '/home/user',
      memoryMb: more.memoryMb ?? 256,
    },
    stdin: '',
    timeoutSeconds: more.timeoutSeconds ?? 60,
    diskMb: more.diskMb ?? 100,
    signal: new AbortController().signal,
  })

const option = '\0--setenv\0INJECTED\0yes'

test.each([
  ['a variable', { env: { A: `x${option}` } }],
  ['the working folder', { workingFolder: `/home/user${option}` }],
])('S1: %s cannot end with options of the confinement', async (_what, more) => {
  const end = await run(['/bin/sh', '-c', 'echo "$INJECTED"'], more)

  expect(end).toMatchObject({ outcome: 'not_started', stdout: '' })
})

test.each([
  { at: '/home/user', allowed: [] },
  { at: '/', allowed: ['write to the root'] },
])('S1: rejects about fifty ways out of a command with its folder at $at', async ({ at, allowed }) => {
  mkdirSync(join(outside.own, 'tmp'), { recursive: true })
  const end = await run(['node', join(at, 'ways-out.mjs'), join(at, 'outside.json')], {
    folders: [{ source: outside.own, at, writable: true }],
  })

  expect(end).toMatchObject({ outcome: 'exited', code: 0, stderr: '' })
  const { tried, succeeded } = JSON.parse(end.stdout)
  expect(succeeded).toEqual(allowed)
  expect(tried).toBeGreaterThanOrEqual(40)
  await waitFor('what was to outlive it is gone', () => !isRunning(outside.daemon))
})

test('X1: a link that would redirect a mount is rejected before the command starts', async () => {
  // As where a command of the same folder put the link there at the last moment.
  const [box, first, drives] = ['box', 'first', 'drives'].map((name) => join(folder, name)) as [string, string, string]
  for (const each of [box, first, drives, join(drives, 'second'), join(box, 'out')]) mkdirSync(each, { mode: 0o755 })
  symlinkSync(`/oldroot${drives}`, join(box, 'x'))
  symlinkSync('/oldroot', join(first, 'second'))

  const end = await run(['sh', '-c', `cat /home/user/out${join(outside.other, 'file')}; ls /home/user/out`], {
    folders: [
      { source: box, at: '/home/user', writable: true },
      { source: first, at: '/home/user/x', writable: true },
      { source: join(drives, 'second'), at: '/home/user/out', writable: true },
    ],
  })

  expect(end).toMatchObject({ outcome: 'not_started', stdout: '' })
})

test('X1: a command with its own root cannot replace the folders of the system, which later commands trust', async () => {
  const root = join(folder, 'root')
  mkdirSync(root)
  chmodSync(root, 0o777)
  const folders = [{ source: root, at: '/', writable: true }]
  const replace =
    'for each in bin dev etc lib lib64 proc run sbin usr; do mv /$each /moved-$each; rmdir /$each; ln -s /tmp /$each; done; ls / | grep moved; true'

  const end = await run(['sh', '-c', replace], { folders })
  const links = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink())

  expect(end).toMatchObject({ outcome: 'exited', code: 0, stdout: '' })
  expect(links).toEqual([])
})

test("a command has its own folder and variables, and none of the platform's", async () => {
  const end = await run(['sh', '-c', 'env | cut -d= -f1 | sort | tr "\\n" " "; pwd; id -u; echo kept > file'], {
    folders: [{ source: outside.own, at: '/home/user', writable: true }],
  })

  expect(end.stdout).toBe('HOME MINE PATH PWD /home/user\n1000\n')
  expect(readFileSync(join(outside.own, 'file'), 'utf8')).toBe('kept\n')
})

test('P8: billed memory is enforced: a command that exceeds it is ended with the reason', async () => {
  const greedy = 'const all = []; for (;;) all.push(Buffer.alloc(4_000_000, 1))'

  const end = await run(['node', '-e', greedy], { memoryMb: 128 })

  expect(end.outcome).toBe('out_of_memory')
})

test('P8: memory is enforced even without control groups', async () => {
  const watched = await findConfinement({ unconfined: false, controlGroups: false })
  const greedy = 'const all = []; setInterval(() => all.push(Buffer.alloc(4_000_000, 1)), 1)'

  const end = await run(['node', '-e', greedy], { memoryMb: 128, confinement: watched as typeof confinement })

  // Node may fail to allocate before the watcher ends it.
  expect(end.outcome === 'out_of_memory' || /out of memory|allocation failed/i.test(end.stderr)).toBe(true)
})

test('X8: CPU is allotted by memory: a command of 1 GB gets half a core', async () => {
  const burn = 'const end = Date.now() + 2000; while (Date.now() < end); console.log(process.cpuUsage().user / 1000)'

  const end = await run(['node', '-e', burn], { memoryMb: 1_024 })

  expect(end).toMatchObject({ outcome: 'exited', code: 0 })
  // Half of two seconds, and a tenth of a second's share at either end; without a limit it is nearly all of them.
  expect(Number(end.stdout)).toBeLessThan(1_300)
})

test.each([{ controlGroups: true }, { controlGroups: false }])(
  'X8: the platform has priority over commands; control groups: $controlGroups',
  async ({ controlGroups }) => {
    const found = await findConfinement({ unconfined: false, controlGroups })

    const end = await run(['nice'], { confinement: found as typeof confinement })

    expect(Number(end.stdout)).toBeGreaterThan(getPriority())
  },
)

test('X9: errors of bubblewrap are logged for the operator, and the tenant gets a general message', async () => {
  const noted: string[] = []
  const noting = await findConfinement({ unconfined: false, noteRefusal: (_id, message) => noted.push(message) })
  const missing = join(folder, 'removed-meanwhile')

  const end = await run(['echo', 'hello'], {
    confinement: noting as typeof confinement,
    folders: [{ source: missing, at: '/home/user', writable: true }],
  })

  expect(end).toMatchObject({ outcome: 'not_started', stdout: '', stderr: '' })
  expect(cutShortSentence(end, { timeoutSeconds: 1, memoryMb: 1, diskMb: 1 })).toBe('The command could not be started.')
  expect(noted).toEqual([expect.stringContaining(missing)])
})

test('X9: output of a command that imitates bubblewrap is shown and not logged', async () => {
  const noted: string[] = []
  const noting = await findConfinement({ unconfined: false, noteRefusal: (_id, message) => noted.push(message) })

  const end = await run(['sh', '-c', 'echo "bwrap: mine" >&2; exit 1'], { confinement: noting as typeof confinement })

  expect(end).toMatchObject({ outcome: 'exited', code: 1, stderr: 'bwrap: mine\n' })
  expect(noted).toEqual([])
})

test('a fork bomb is contained and ends at its timeout', async () => {
  const end = await run(['sh', '-c', 'bomb() { bomb | bomb & }; bomb; sleep 60'], { timeoutSeconds: 2 })

  expect(['timeout', 'exited', 'out_of_memory']).toContain(end.outcome)
  expect(await run(['echo', 'works'])).toMatchObject({ outcome: 'exited', code: 0, stdout: 'works\n' })
})

test('X6: output of a command that writes continuously is throttled, and its end is kept', async () => {
  const write = 'timeout -s INT 2 dd if=/dev/zero bs=64k; echo the end'
  const { end, written } = await waitFor('the writer had time to write', async () => {
    const end = await run(['sh', '-c', write])
    const written = Number(/(\d+) bytes/.exec(end.stderr)?.[1])
    return written > 1024 * 1024 && { end, written }
  })

  expect(written).toBeLessThan(80 * 1024 * 1024)
  expect(end.stdout).toHaveLength(64 * 1024)
  expect(end.stdout.endsWith('the end\n')).toBe(true)
})

test('limits the size of a folder and of files in memory', async () => {
  const fill = 'i=0; while dd if=/dev/zero of=/home/user/f$i bs=1M count=4 2>/dev/null; do i=$((i+1)); done; exit 9'
  const onDisk = await run(['sh', '-c', fill], {
    folders: [{ source: outside.own, at: '/home/user', writable: true }],
    diskMb: 20,
  })
  const inMemory = await run(['sh', '-c', fill])

  expect(onDisk.outcome).toBe('disk_full')
  expect(inMemory).toMatchObject({ outcome: 'exited', code: 9 })
})

test('a command that times out ends with all its child processes', async () => {
  const child = join(folder, 'child')
  const end = await run(['sh', '-c', `sh -c 'sleep 300; :' ${child} & wait`], { timeoutSeconds: 1 })

  expect(end.outcome).toBe('timeout')
  await waitFor('its child is gone', () => !isRunning(child))
})

test('without bubblewrap, commands are rejected with a reason unless the operator allows them', async () => {
  const missing = { program: 'no-such-bubblewrap' }

  expect(await findConfinement({ unconfined: false, ...missing })).toEqual({
    kind: 'unavailable',
    reason:
      "This platform can't run commands: bubblewrap, which confines them, is not installed. The operator has to fix this.",
  })
  expect((await findConfinement({ unconfined: true, ...missing })).kind).toBe('unconfined')
})

const isRunning = (argument: string) =>
  readdirSync('/proc').some((name) => {
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').includes(argument)
    } catch {
      return false
    }
  })
