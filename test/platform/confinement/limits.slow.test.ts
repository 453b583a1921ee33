// T1, T3: memory and disk of commands.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Folder } from '../../../src/platform/shared/adapters/confinement/bubblewrap.ts'
import { findConfinement } from '../../../src/platform/shared/adapters/confinement/confinement.ts'
import { runCommand } from '../../../src/platform/shared/adapters/confinement/run-command.ts'
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
    way: 'open files at full speed in a folder of mode 000',
    script: `mkdir d; perl -e 'for (1 .. 200) { open $f[$_], ">", "d/$_" } chmod 0, "d"; for my $f (@f[1 .. 200]) { syswrite $f, "x" x 1048576 for 1 .. 10 } sleep 30'`,
  },
  {
    way: 'files of processes that end unnoticed',
    script: `perl -e '$SIG{CHLD} = "IGNORE"; for (1 .. 200) { if (!fork) { open my $f, ">", $_; syswrite $f, "x" x 1048576 for 1 .. 10; exit } select undef, undef, undef, 0.02 } sleep 30'`,
  },
])('T3: $way: it exceeds the disk limit by at most 64 MB, and then refuses commands', async ({ script }) => {
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

test('T3: a deleted file that is still open counts', async () => {
  const script = `perl -e 'for (1 .. 40) { open my $f, ">", "f"; unlink "f"; push @kept, $f; syswrite $f, "x" x 1048576 for 1 .. 50 } sleep 30'`

  const end = await run(watched, ['sh', '-c', script], emptyBox())

  expect(end.outcome).toBe('disk_full')
})

test.each([
  { call: 'fallocate', script: 'fallocate -l 32M f' },
  {
    call: 'ioctl',
    script: `perl -e 'open my $f, ">", "f"; my $space = pack "s s x4 q q l L l4", 0, 0, 0, 32 << 20; ioctl $f, 0x4030582a, $space or die $!'`,
  },
])('T3: $call does not allocate disk', async ({ script }) => {
  const end = await run(watched, ['sh', '-c', script], emptyBox())

  expect(end).toMatchObject({ outcome: 'exited', stderr: expect.stringContaining('not supported') })
})

test('T1: without a control group and a system-call filter, commands need the permission of the operator', async () => {
  const options = { controlGroups: false, arch: 'unknown' }

  expect(await findConfinement({ ...options, unconfined: false })).toMatchObject({
    kind: 'unavailable',
    reason: expect.stringContaining('cannot limit their memory and disk'),
  })
  expect((await findConfinement({ ...options, unconfined: true })).kind).toBe('confined')
})
