// T1, T3: memory and disk of commands.
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findConfinement } from '../../../src/platform/shared/adapters/confinement/confinement.ts'
import { runCommand } from '../../../src/platform/shared/adapters/confinement/run-command.ts'
import type { Folder } from '../../../src/platform/shared/domain/engine.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'

async function confined(controlGroups: boolean) {
  const found = await findConfinement({ unconfined: false, controlGroups })
  if (found.kind !== 'confined') throw new Error('bubblewrap does not work here')
  return found
}
const [watched, grouped] = [await confined(false), await confined(true)]

const diskMb = 100
let runs = 0
const run = (confinement: typeof watched, command: string[], folders: Folder[]) =>
  runCommand(confinement, {
    id: `limits-${process.pid}-${runs++}`,
    confined: {
      command,
      env: { PATH: '/usr/bin:/bin' },
      folders,
      workingFolder: '/home/user',
      memoryMb: 128,
    },
    stdin: '',
    timeoutSeconds: 60,
    diskMb,
    signal: new AbortController().signal,
  })

const hold = (confinement: typeof watched, way: string) =>
  run(
    confinement,
    ['perl', '/attack/hold-memory.pl', way, process.arch],
    [{ source: import.meta.dirname, at: '/attack', writable: false }],
  )

test.each([
  'private',
  'processes',
  'memfd',
  'SysV segments',
  'SysV messages',
  'unix sockets',
  'TCP connections',
  'pipes',
  'files in memory and private memory',
  'files among devices',
  'empty files',
  'shared memory that is not mapped',
  'page tables',
])('T1: without a control group, a command of 128 MB cannot hold 160 MB as %s', async (way) => {
  const end = await hold(watched, way)

  // A program may also fail to allocate before the watcher ends it.
  expect(end.outcome === 'out_of_memory' || end.code === 0 || /^out of memory/i.test(end.stderr)).toBe(true)
  expect(Number(end.stdout)).toBeLessThanOrEqual(160)
})

test.each(['TCP connections', 'shared memory that is not mapped'])(
  'T1: in a control group, a command of 128 MB cannot hold 160 MB as %s',
  async (way) => {
    const end = await hold(grouped, way)

    expect(Number(end.stdout)).toBeLessThanOrEqual(160)
  },
)

test('T1: common programs run under the limits of a watched command', async () => {
  const versions = 'node -e "console.log(1)" && git init -q repo && git -C repo status --short && perl -e "print 2"'

  const end = await run(watched, ['sh', '-c', versions], [])

  expect(end).toMatchObject({ outcome: 'exited', code: 0, stdout: '1\n2' })
})

const box = join(temporaryFolder(), 'box')

function emptyBox(): Folder[] {
  rmSync(box, { recursive: true, force: true })
  mkdirSync(box)
  chmodSync(join(box, '..'), 0o755)
  chmodSync(box, 0o777)
  return [{ source: box, at: '/home/user', writable: true }]
}

const diskUsedMb = () => Number(execFileSync('du', ['-sm', box], { encoding: 'utf8' }).split('\t')[0])

const overshootMb = 64

test.each([
  { way: 'one file', script: 'dd if=/dev/zero of=big bs=1M count=1000' },
  {
    way: 'files of several processes',
    script:
      'for p in 1 2 3 4; do (i=0; while [ $i -lt 40 ]; do dd if=/dev/zero of=f$p.$i bs=1M count=25; i=$((i+1)); sleep 0.4; done) & done; wait',
  },
  {
    way: 'files in a folder that the platform cannot read',
    script:
      'mkdir d; chmod 300 d; i=0; while [ $i -lt 40 ]; do dd if=/dev/zero of=d/$i bs=1M count=10; i=$((i+1)); sleep 0.2; done',
  },
  {
    way: 'open files written at full speed in a folder of mode 000',
    script: `mkdir d; perl -e 'for (1 .. 200) { open $f[$_], ">", "d/$_" } chmod 0, "d"; for my $f (@f[1 .. 200]) { syswrite $f, "x" x 1048576 for 1 .. 10 } sleep 30'`,
  },
  {
    way: 'files of processes that end undetected',
    script: `perl -e '$SIG{CHLD} = "IGNORE"; for (1 .. 200) { if (!fork) { open my $f, ">", $_; syswrite $f, "x" x 1048576 for 1 .. 10; exit } select undef, undef, undef, 0.02 } sleep 30'`,
  },
])('T3: $way: it exceeds the disk limit by at most 64 MB, and then rejects commands', async ({ script }) => {
  const folders = emptyBox()

  const end = await run(watched, ['sh', '-c', script], folders)
  const used = diskUsedMb()
  const next = await run(watched, ['true'], folders)
  emptyBox()
  const afterwards = await run(watched, ['true'], folders)

  expect(end.outcome).toBe('disk_full')
  expect(used).toBeLessThanOrEqual(diskMb + overshootMb)
  if (used > diskMb) expect(next.outcome).toBe('no_room')
  expect(afterwards.outcome).toBe('exited')
})

test('T3: the disk limit holds while others delete files as fast as the command writes', async () => {
  const others = temporaryFolder()
  for (let at = 0; at < 60; at++) execFileSync('fallocate', ['-l', '16M', join(others, `f${at}`)])
  // A process of its own, because the watcher's turns must not wait for the deletions.
  const deleting = spawn(process.execPath, ['-e', deleteAsOthersWrite, others], { stdio: 'inherit' })

  const end = await run(
    watched,
    ['sh', '-c', 'for i in $(seq 40); do dd if=/dev/zero of=$i bs=1M count=20; done; sleep 20'],
    emptyBox(),
  )
  deleting.kill()

  expect(end.outcome).toBe('disk_full')
  expect(readdirSync(others).length).toBeLessThan(60)
  expect(diskUsedMb()).toBeLessThanOrEqual(diskMb + overshootMb)
})

const deleteAsOthersWrite = `
  const { readdirSync, rmSync, statfsSync } = require('node:fs')
  const folder = process.argv[1]
  const free = () => statfsSync(folder).bfree
  const freeAtStart = free()
  const files = readdirSync(folder)
  setInterval(() => {
    while (free() < freeAtStart && files.length > 0) rmSync(folder + '/' + files.pop())
  }, 1)`
