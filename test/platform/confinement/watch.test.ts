// T2: the cost of watching commands.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import {
  findInside,
  lookInside,
  memoryOf,
  sharedMbOf,
} from '../../../src/platform/shared/adapters/confinement/command-usage.ts'
import { openDisk } from '../../../src/platform/shared/adapters/confinement/disk.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'

/** A folder that looks like /proc to the watcher: process 7 is bubblewrap, and 8 its first process inside. */
function procWith(files: Record<string, string>): string {
  const proc = temporaryFolder()
  for (const [name, content] of Object.entries({ '7/task/7/children': '8 ', ...files })) {
    mkdirSync(dirname(join(proc, name)), { recursive: true })
    writeFileSync(join(proc, name), content)
  }
  return proc
}

test('T2: only the processes of the command are read', async () => {
  const proc = procWith({
    '8/root/proc/2/status': 'RssAnon:\t 1024 kB\n',
    '8/root/proc/3/status': 'RssAnon:\t 2048 kB\nVmPTE:\t 512 kB\nVmSize:\t 10240 kB\n',
    '8/root/proc/meminfo': '',
    '9/status': 'RssAnon:\t 999999 kB\n',
  })

  const inside = await lookInside(await findInside(7, proc))

  expect(inside.processes).toEqual([join(proc, '8/root/proc/2'), join(proc, '8/root/proc/3')])
  expect(await memoryOf(inside, [])).toEqual({ heldMb: 4.5, mappedMb: 10 })
})

test('T1: shared memory counts once, in full', async () => {
  const line = (inode: number) => `7f0000000000-7f0001000000 rw-s 00000000 00:01 ${inode}    /dev/zero (deleted)\n`
  const proc = procWith({
    '8/root/proc/2/maps': `${line(5)}7f1000000000-7f2000000000 rw-p 00000000 00:00 0 \n`,
    '8/root/proc/3/maps': `${line(5)}${line(6)}`,
  })

  expect(await sharedMbOf(await lookInside(await findInside(7, proc)))).toBe(32)
})

test('T2: eight commands that write the same folder share one count', async () => {
  const counts: Array<(megabytes: number) => void> = []
  const countDisk = () => new Promise<number>((resolve) => counts.push(resolve))
  const folder = temporaryFolder()
  const disks = Array.from({ length: 8 }, () => openDisk(countDisk, [{ source: folder }], 100))

  const counted = Promise.all(disks.map((disk) => disk.count()))
  await expect.poll(() => counts.length).toBe(1)
  counts[0]?.(101)
  await counted

  expect(counts).toHaveLength(1)
  expect(disks.map((disk) => disk.isFull())).toEqual(Array(8).fill(true))
})

test('T2: no file is read synchronously', () => {
  const sources = ['watch.ts', 'command-usage.ts', 'disk.ts'].map((name) =>
    readFileSync(join('src/platform/shared/adapters/confinement', name), 'utf8'),
  )

  expect(sources.filter((source) => source.includes('Sync('))).toEqual([])
})
