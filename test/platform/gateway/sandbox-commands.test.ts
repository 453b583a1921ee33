// P8, S1: commands see only the sandbox's folder with its volumes and drives.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import request from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { diskSandboxFiles } from '../../../src/platform/gateway/adapters/sandbox-files.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { createResource, platformWorld } from '../../support/worlds/platform-world.ts'

const data = temporaryFolder()
// As root, commands run as user `nobody`, which must be able to read the folder.
chmodSync(data, 0o711)
writeFileSync(join(data, 'outside.txt'), 'CANARY outside', { mode: 0o644 })
const world = await platformWorld({ env: { DATA_FOLDER: data } })
const api = world.as(world.admin)
const create = (path: string, name: string, spec: object) => createResource(api, path, name, spec)
await create('volumes', 'vol', { size: 10 })
await create('drives', 'share', { size: 1 })
await create('sandboxes', 'box', {
  runtime: { memory: 256 },
  volumes: [{ name: 'vol', mountPath: '/mnt/vol' }],
  drives: [{ name: 'share', mountPath: '/share', readOnly: true }],
})
await create('sandboxes', 'other', { runtime: { memory: 128 } })
afterAll(() => world.close())

async function call(name: string, args: object, sandbox = 'box') {
  const { body } = await request(world.app)
    .post(`/acme/sandboxes/${sandbox}/mcp`)
    .set({ 'X-Service-Authorization': `Bearer ${world.admin.key}`, Accept: 'application/json, text/event-stream' })
    .send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })
  const { content, isError } = body.result
  return { text: content[0].text as string, isError: isError as boolean }
}

const run = async (command: string, more: object = {}, sandbox = 'box') => {
  const { text, isError } = await call('run_command', { command, ...more }, sandbox)
  return { ...JSON.parse(text), isError }
}

test('the sandbox and its commands share files', async () => {
  await call('write_file', { path: '/notes/a.txt', content: 'Hello' })

  const ran = await run('cat notes/a.txt; echo " again" >> notes/a.txt; echo kept > mnt/vol/v; echo "$SANDBOX"')
  const read = await call('read_file', { path: '/notes/a.txt' })
  const volume = await call('read_file', { path: '/mnt/vol/v' })

  expect(ran).toEqual({ stdout: 'Hellobox\n', stderr: '', exitCode: 0, isError: false })
  expect([read.text, volume.text]).toEqual(['Hello again\n', 'kept\n'])
})

test('file tools, the tree and commands have the same paths', async () => {
  await call('write_file', { path: '/app/a.txt', content: 'by tool' })
  await call('write_file', { path: '/mnt/vol/a.txt', content: 'by tool' })

  const ran = await run('cat /app/a.txt /mnt/vol/a.txt; for at in /app /mnt/vol /tmp /; do echo hi > $at/b.txt; done')
  const read = ['/app/b.txt', '/mnt/vol/b.txt', '/tmp/b.txt', '/b.txt'].map((path) => call('read_file', { path }))
  const { body: tree } = await api.get('/acme/sandboxes/box/filesystem/tree/')

  expect(ran).toMatchObject({ stdout: 'by toolby tool', stderr: '', exitCode: 0 })
  expect((await Promise.all(read)).map(({ text }) => text)).toEqual(Array(4).fill('hi\n'))
  const names = tree.subdirectories.map(({ name }: { name: string }) => name)
  expect(names).toEqual(expect.arrayContaining(['app', 'mnt', 'share', 'tmp']))
  expect(names).not.toEqual(expect.arrayContaining(['usr']))
})

test('the folders of the system are for commands only, and nothing is mounted in them', async () => {
  const wrote = await call('write_file', { path: '/usr/bin/x', content: '' })
  const mounted = await api.post('/acme/sandboxes/box/drives').send({ name: 'share', mountPath: '/etc/share' })

  expect(wrote).toEqual({ isError: true, text: '/usr is a folder of the system: only commands see it.' })
  expect(mounted.status).toBe(400)
})

test('X1: a link in place of a folder of the system is rejected before a command starts', async () => {
  await create('sandboxes', 'early', { runtime: { memory: 128 } })
  const { rows } = await world.pool.query(`select id from resources where kind = 'sandbox' and name = 'early'`)
  symlinkSync(`/oldroot${data}`, join(await diskSandboxFiles(data).folderOf('sandbox', 'acme', rows[0].id), 'bin'))

  const ran = await call('run_command', { command: 'true' }, 'early')

  expect(ran).toMatchObject({ isError: true, text: expect.stringContaining('Cannot mount at /bin') })
})

test('variables of a sandbox reach its commands, and loader variables are rejected', async () => {
  const envs = [
    { name: 'FOO', value: 'bar' },
    { name: 'HUSH', value: 'CANARY hush', secret: true },
    { name: 'HOME', value: '/elsewhere' },
  ]
  await create('sandboxes', 'with-envs', { runtime: { memory: 128, envs } })
  const spec = { runtime: { envs: [{ name: 'LD_PRELOAD', value: '/evil.so' }] } }
  const rejected = await api.post('/v0/sandboxes').send({ metadata: { name: 'preloading' }, spec })
  // As stored by an earlier version.
  await create('sandboxes', 'earlier', { runtime: { envs: [{ name: 'FOO', value: '/evil.so' }] } })
  await world.pool.query(
    `update resources set spec = jsonb_set(spec, '{runtime,envs,0,name}', '"LD_PRELOAD"') where name = 'earlier'`,
  )

  const ran = await run('echo "$FOO $HUSH $HOME"', {}, 'with-envs')
  const preloaded = await call('run_command', { command: 'true' }, 'earlier')

  expect(ran.stdout).toBe('bar CANARY hush /home/user\n')
  expect([rejected.status, rejected.body.message]).toEqual([400, expect.stringContaining('spec.runtime.envs.0.name')])
  expect(preloaded).toMatchObject({ isError: true, text: expect.stringContaining("LD_PRELOAD can't be set") })
})

test('a command ends with an error if it exceeds the size of a volume, and the next is rejected until files are deleted', async () => {
  await create('volumes', 'tiny', { size: 5 })
  await create('sandboxes', 'sized', {
    runtime: { memory: 128 },
    volumes: [{ name: 'tiny', mountPath: '/data' }],
  })

  const within = await run(
    'dd if=/dev/zero of=/data/a bs=1M count=4 2>&1; dd if=/dev/zero of=/own bs=1M count=20',
    {},
    'sized',
  )
  const beyond = await run('dd if=/dev/zero of=/data/b bs=1M count=20', {}, 'sized')
  const refused = await run('true', {}, 'sized')
  await call('delete_path', { path: '/data/b' }, 'sized')
  const after = await run('true', {}, 'sized')

  expect(within).toMatchObject({ exitCode: 0, isError: false })
  expect(beyond).toMatchObject({ isError: true, ended: expect.stringContaining('/data may have at most 5 MB') })
  expect(refused).toMatchObject({ isError: true, ended: expect.stringContaining('/data may have at most 5 MB') })
  expect(after).toMatchObject({ exitCode: 0, isError: false })
})

test('a failing command returns its exit code and output', async () => {
  expect(await run('echo why >&2; exit 3')).toEqual({ stdout: '', stderr: 'why\n', exitCode: 3, isError: true })
})

test('read-only mounts cannot be written, and other sandboxes and the platform are invisible', async () => {
  const wrote = await run('echo x > share/f')
  const looked = await run(`cat ${data}/outside.txt; ls ${data}; ls /home/user/..; env | grep -c -i -E "key|database"`)

  expect(wrote.stderr).toContain('Read-only file system')
  expect(looked.stdout).not.toContain('CANARY')
  expect(looked.stdout.split('\n')).toContain('0')
  expect((await run('ls -d /mnt /notes /share', {}, 'other')).stdout).toBe('')
})

test('a command ends at its time and memory limits and reports which one it reached', async () => {
  const slow = await run('sleep 30', { timeout_seconds: 1 })
  const greedy = await run(`node -e 'const all = []; for (;;) all.push(Buffer.alloc(4e6, 1))'`, {}, 'other')

  expect(slow).toMatchObject({ ended: 'It ran longer than 1 s.', isError: true })
  expect(greedy).toMatchObject({ ended: 'It used more than its 128 MB of memory.', isError: true })
})

test('T3: a full sandbox rejects commands until files are deleted', async () => {
  await create('sandboxes', 'full', { runtime: { memory: 128 } })
  await call('write_file', { path: '/large', content: '' }, 'full')
  const { rows } = await world.pool.query(`select id from resources where kind = 'sandbox' and name = 'full'`)
  const folder = await diskSandboxFiles(data).folderOf('sandbox', 'acme', rows[0].id)
  execFileSync('fallocate', ['-l', '2100M', join(folder, 'large')])

  const refused = await run('true', {}, 'full')
  await call('delete_path', { path: '/large' }, 'full')
  const ran = await run('true', {}, 'full')

  expect(refused).toMatchObject({ isError: true, ended: expect.stringContaining('Delete files first.') })
  expect(ran).toMatchObject({ isError: false, exitCode: 0 })
})

test('T16: the mount table of a command does not contain its workspace or sandbox', async () => {
  const { rows } = await world.pool.query(`select id from resources where name in ('box', 'vol', 'share')`)

  const { stdout } = await run('cat /proc/self/mountinfo')

  expect(stdout).toContain(' /mnt/vol ')
  expect([...rows.map(({ id }) => id), 'acme'].filter((name) => stdout.includes(name))).toEqual([])
})

test('links and pipes created by a command cannot redirect or block the file tools', async () => {
  await run(`ln -s ${data}/outside.txt link; ln -s ${data} linked; mkfifo pipe; mkdir -p deep/er`)

  const read = await Promise.all(['/link', '/linked/outside.txt', '/pipe'].map((path) => call('read_file', { path })))
  const wrote = await call('write_file', { path: '/linked/new.txt', content: 'x' })
  const removed = await call('delete_path', { path: '/linked' })

  expect(read.map(({ isError }) => isError)).toEqual([true, true, true])
  expect(wrote.isError).toBe(true)
  expect(removed).toEqual({ text: 'Done.', isError: false })
  expect((await run(`ls; test -e ${data}`)).stdout).not.toContain('linked')
})

test('file tools cannot escape through a folder that a command keeps swapping for a link', async () => {
  await run('mkdir swap; echo mine > swap/outside.txt')
  const swapping = run(
    `while [ ! -e enough ]; do mv swap kept 2>/dev/null; ln -s ${data} swap; rm swap; mv kept swap; done`,
    { timeout_seconds: 60 },
  )
  const read: string[] = []
  const reading = (async () => {
    for (let at = 0; at < 60; at++) read.push((await call('read_file', { path: '/swap/outside.txt' })).text)
    await call('write_file', { path: '/enough', content: '' })
  })()
  await Promise.all([swapping, reading])

  expect(read).toHaveLength(60)
  expect(read.filter((text) => text.includes('CANARY'))).toEqual([])
})

/** A sandbox with `setUp` in its folder, and a drive that contains a link to / named like another drive. */
async function linkedSandbox(name: string, setUp: (drives: string) => string) {
  const api = world.as(world.admin)
  const create = (path: string, named: string, spec: object) => createResource(api, path, named, spec)
  await create('drives', `${name}-a`, {})
  const second = await create('drives', `${name}-b`, {})
  const id = String(second.body.spec.infrastructureId).replace('drive-', '')
  const folder = await diskSandboxFiles(data).folderOf('drive', 'acme', id)
  await create('sandboxes', `${name}-first`, {
    runtime: { memory: 128 },
    drives: [{ name: `${name}-a`, mountPath: '/a' }],
  })
  await run(`ln -s /oldroot a/${basename(folder)}`, {}, `${name}-first`)
  await create('sandboxes', name, { runtime: { memory: 128 } })
  await run(setUp(`/oldroot${dirname(folder)}`), {}, name)
  return (drive: 'a' | 'b', mountPath: string) =>
    api
      .post(`/acme/sandboxes/${name}/drives`)
      .send({ name: `${name}-${drive}`, mountPath })
      .expect(200)
}

test('X1: a link at a mount point exposes nothing of the machine to a sandbox', async () => {
  const mount = await linkedSandbox('linked', (drives) => `ln -s ${drives} x; mkdir out`)
  await mount('a', '/x')
  await mount('b', '/out')

  const looked = await call('run_command', { command: `cat out${data}/outside.txt; ls out` }, 'linked')

  expect(looked.isError).toBe(true)
  expect(looked.text).not.toMatch(/CANARY|etc/)
})

test('X1: a link above a mount point creates no folder outside a sandbox and is reported', async () => {
  const open = join(data, 'open')
  mkdirSync(open)
  chmodSync(open, 0o777)
  const mount = await linkedSandbox('above', () => `ln -s /oldroot${open} x`)
  await mount('a', '/x/made')

  const ran = await call('run_command', { command: 'true' }, 'above')

  expect(existsSync(join(open, 'made'))).toBe(false)
  expect(ran).toEqual({
    isError: true,
    text: 'Cannot mount at /x/made: the path contains a file, a link, or a read-only mount without this folder.',
  })
})

test('a drive mounted inside another mount is visible, whatever its path', async () => {
  const api = world.as(world.admin)
  const drives = [
    { name: 'share', mountPath: '/all of it/\u00fc "#1"' },
    { name: 'inner', mountPath: '/all of it/\u00fc "#1"/in' },
  ]
  await createResource(api, 'drives', 'inner')
  await createResource(api, 'sandboxes', 'nested', { runtime: { memory: 128 }, drives })

  const wrote = await run('cd all*/*/in && echo inner > f; cat f; ls ..', {}, 'nested')

  expect(wrote).toEqual({ stdout: 'inner\nin\n', stderr: '', exitCode: 0, isError: false })
})
