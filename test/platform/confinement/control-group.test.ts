// Checks the files written for the kernel in a fake cgroup folder, because a machine has only one version.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { coresFor } from '../../../src/platform/shared/adapters/confinement/confinement.ts'
import {
  enterDelegatedGroup,
  findControlGroups,
  newControlGroup,
} from '../../../src/platform/shared/adapters/confinement/control-group.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'

/** As the kernel does below each of these folders. */
const kernel = (files: Record<string, string[]>) => (path: string) => {
  mkdirSync(path, { recursive: true })
  const names = Object.entries(files).find(([parent]) => dirname(path) === parent)?.[1] ?? []
  for (const name of names) writeFileSync(join(path, name), '')
}

const limits = { memoryMb: 1_024, processes: 128, cores: coresFor(1_024) }
const version1 = {
  memory: ['memory.limit_in_bytes', 'cgroup.procs'],
  pids: ['pids.max', 'cgroup.procs'],
  cpu: ['cpu.cfs_period_us', 'cpu.cfs_quota_us', 'cpu.shares', 'cgroup.procs'],
}

function groupOfVersion1(...kinds: Array<keyof typeof version1>) {
  const root = temporaryFolder()
  for (const kind of kinds) mkdirSync(join(root, kind))
  const makeFolder = kernel(Object.fromEntries(kinds.map((kind) => [join(root, kind), version1[kind]])))
  const group = newControlGroup(findControlGroups(root, {}, makeFolder), 'one', limits)
  return { group, read: (name: string) => readFileSync(join(root, name), 'utf8') }
}

test('X8: with version 1, a group has its share of CPU, and its processes are in it', () => {
  const { group, read } = groupOfVersion1('memory', 'pids', 'cpu')

  group?.add(4711)

  expect([read('cpu/one/cpu.cfs_quota_us'), read('cpu/one/cpu.cfs_period_us')]).toEqual(['50000', '100000'])
  expect(read('cpu/one/cgroup.procs')).toBe('4711')
})

test('with version 1, memory and processes are limited even if CPU cannot be', () => {
  const { group, read } = groupOfVersion1('memory', 'pids')

  expect(group).toBeDefined()
  expect(read('memory/one/memory.limit_in_bytes')).toBe(String(1024 ** 3))
})

test.each([
  { passed: ['cpu.max', 'cpu.weight'], quota: '50000 100000' },
  { passed: [], quota: undefined },
])('X8: with version 2, a group has its share of CPU where it is delegated: $quota', ({ passed, quota }) => {
  const root = temporaryFolder()
  const makeFolder = kernel({ [root]: ['memory.max', 'pids.max', 'cgroup.procs', ...passed] })

  const group = newControlGroup(findControlGroups(root, { unified: '/' }, makeFolder), 'one', limits)

  expect(group).toBeDefined()
  const file = join(root, 'one/cpu.max')
  expect(existsSync(file) ? readFileSync(file, 'utf8') : undefined).toBe(quota)
})

/** A service to which systemd handed its group over. A group below it has the limits that it passes on. */
function delegatedService(controllers: string) {
  const root = temporaryFolder()
  const service = join(root, 'platform.service')
  mkdirSync(service)
  for (const name of ['cgroup.procs', 'cgroup.subtree_control']) writeFileSync(join(service, name), '')
  writeFileSync(join(service, 'cgroup.controllers'), `${controllers}\n`)
  const read = (name: string) => readFileSync(join(service, name), 'utf8')
  const limitsOf = { memory: ['memory.max'], pids: ['pids.max'], cpu: ['cpu.max', 'cpu.weight'] }
  const makeFolder = (path: string) => {
    const passedOn = Object.entries(limitsOf).filter(([kind]) => read('cgroup.subtree_control').includes(`+${kind}`))
    kernel({ [service]: ['cgroup.procs', ...passedOn.flatMap(([, files]) => files)] })(path)
  }
  return { root, read, makeFolder }
}

test.each([
  { controllers: 'cpu memory pids', quota: '50000 100000' },
  { controllers: 'memory pids', quota: undefined },
])('in a delegated group, $controllers are limited beside the program', ({ controllers, quota }) => {
  const { root, read, makeFolder } = delegatedService(controllers)

  const failure = enterDelegatedGroup(root, { unified: '/platform.service' }, makeFolder)
  // Child processes start in the program's group.
  const found = findControlGroups(root, { unified: '/platform.service/program' }, makeFolder)
  newControlGroup(found, 'one', limits)?.add(4711)

  expect(failure).toBeUndefined()
  expect(read('program/cgroup.procs')).toBe(String(process.pid))
  expect(read('one/cgroup.procs')).toBe('4711')
  expect(read('one/memory.max')).toBe(String(1024 ** 3))
  expect(existsSync(join(root, 'platform.service/one/cpu.max')) ? read('one/cpu.max') : undefined).toBe(quota)
})

test('a program that systemd has put below the delegated group stays there', () => {
  const { root, read, makeFolder } = delegatedService('cpu memory pids')
  makeFolder(join(root, 'platform.service/program'))

  const failure = enterDelegatedGroup(root, { unified: '/platform.service/program' }, makeFolder)

  expect(failure).toBeUndefined()
  expect(read('program/cgroup.procs')).toBe('')
  expect(read('cgroup.subtree_control')).toBe('+memory +pids +cpu')
})

test('does not change a group that was not delegated, and logs the reason', () => {
  const { root, read } = delegatedService('cpu memory pids')
  const refuse = () => {
    throw new Error('EACCES: permission denied')
  }

  const failure = enterDelegatedGroup(root, { unified: '/platform.service' }, refuse)

  expect(failure).toBe('EACCES: permission denied')
  expect(read('cgroup.subtree_control')).toBe('')
  // A folder that the kernel put no files into is no group.
  expect(enterDelegatedGroup(root, { unified: '/platform.service' }, mkdirSync)).toContain('ENOENT')
  expect(existsSync(join(root, 'platform.service/program'))).toBe(false)
  expect(enterDelegatedGroup(root, { memory: '/' }, refuse)).toBe('there are no control groups of version 2')
})

test.each([
  { memoryMb: 64, cores: 0.5 },
  { memoryMb: 2_048, cores: 1 },
  { memoryMb: 8_192, cores: 4 },
])('$memoryMb MB of memory come with $cores CPU cores', ({ memoryMb, cores }) => {
  expect(coresFor(memoryMb)).toBe(cores)
})
