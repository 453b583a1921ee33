import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import request from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { FolderListing, FolderTree } from '../../../src/contract/gateway/sandboxes.ts'
import { StoreUnavailable } from '../../../src/kit/database/store-errors.ts'
import { diskSandboxFiles } from '../../../src/platform/gateway/adapters/sandbox-files.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { startPlatformProcess } from '../../support/processes/platform-process.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { createResource, keysOf, platformWorld, replaceResource } from '../../support/worlds/platform-world.ts'

afterAll(() => world.close())

const create = (name: string, spec: object) => createResource(api, 'sandboxes', name, spec)

const get = (path: string, headers: Record<string, string> = {}) =>
  request(world.app)
    .get(path)
    .set({ 'X-Service-Authorization': `Bearer ${world.admin.key}`, ...headers })

const mcp = (body: object, path = '/acme/sandboxes/my-box/mcp', headers: Record<string, string> = {}) =>
  request(world.app)
    .post(path)
    .set({
      'X-Service-Authorization': `Bearer ${world.admin.key}`,
      Accept: 'application/json, text/event-stream',
      ...headers,
    })
    .send({ jsonrpc: '2.0', id: 1, ...body })

const data = temporaryFolder()
const world = await platformWorld({ env: { DATA_FOLDER: data } })
const api = world.as(world.admin)
await createResource(api, 'volumes', 'vol', { size: 10 })
await createResource(api, 'drives', 'share', { size: 1 })
await create('my-box', {
  volumes: [{ name: 'vol', mountPath: '/mnt/vol' }],
  drives: [{ name: 'share', mountPath: '/share', readOnly: true }],
})
await call('write_file', { path: '/notes/a.txt', content: 'Hello' })
const { rows } = await world.pool.query(`select id from resources where kind = 'sandbox' and name = 'my-box'`)
const own = await diskSandboxFiles(data).folderOf('sandbox', 'acme', rows[0].id)
// Links that a sandbox's programs could leave.
writeFileSync(join(data, 'outside.txt'), 'CANARY outside')
symlinkSync(join(data, 'outside.txt'), join(own, 'link.txt'))
symlinkSync(data, join(own, 'linked'))

async function call(name: string, args: object, sandbox = 'my-box') {
  const { body } = await mcp(
    { method: 'tools/call', params: { name, arguments: args } },
    `/acme/sandboxes/${sandbox}/mcp`,
  )
  return { text: body.result.content[0].text as string, isError: body.result.isError as boolean }
}

test('a sandbox lists its tree and folders with mounted volumes and drives', async () => {
  const tree = await get('/acme/sandboxes/my-box/filesystem/tree/')
  const listing = await get('/acme/sandboxes/my-box/filesystem/%2Fnotes')

  expect(FolderTree.parse(tree.body)).toEqual(tree.body)
  expect(FolderListing.parse(listing.body)).toEqual(listing.body)
  expect(tree.body).toMatchObject({ path: '/', name: '', files: [] })
  expect(tree.body.subdirectories.map(({ name }: { name: string }) => name)).toEqual(['mnt', 'notes', 'share'])
  expect(tree.body.subdirectories[1].files).toMatchObject([{ path: '/notes/a.txt', name: 'a.txt', size: 5 }])
  expect(listing.body).toMatchObject({ path: '/notes', name: 'notes', files: [{ name: 'a.txt' }], subdirectories: [] })
})

test('a sandbox answers at its own host name, even with hyphens in both names', async () => {
  const other = await world.enter('acme-two', 'user@acme.example')
  await createResource(world.as(other), 'sandboxes', 'box-one')
  const credential = { 'X-Service-Authorization': `Bearer ${other.key}` }

  const here = await get('/filesystem/tree/notes', { Host: 'sbx-my-box-acme.local.sandboxes.example' })
  const there = await get('/filesystem/tree/', { ...credential, Host: 'sbx-box-one-acme-two.local.sandboxes.example' })
  const closed = await get('/filesystem/tree/', { ...credential, Host: 'sbx-my-box-acme.local.sandboxes.example' })

  expect(here.body.files).toMatchObject([{ name: 'a.txt' }])
  expect(there.body).toMatchObject({ path: '/', files: [] })
  expect([closed.status, closed.body.error.code]).toEqual([404, 'WORKLOAD_NOT_FOUND'])
})

test('a host name is not reported as unknown while the database is down', async () => {
  const { resources } = world.adapters
  const { find } = resources
  const gone = new StoreUnavailable(new Error('nobody listens'))
  const look = async () => get('/filesystem/tree/', { Host: 'sbx-never-was-acme.local.sandboxes.example' })
  const before = await look()

  resources.find = () => Promise.reject(gone)
  const meanwhile = await look()
  resources.find = find

  expect([before.status, before.body.error.code]).toEqual([404, 'WORKLOAD_NOT_FOUND'])
  expect([meanwhile.status, meanwhile.body.error]).toMatchObject([503, { code: 'INTERNAL_ERROR', retryable: true }])
})

test.each(['/filesystem/tree/nope', '/filesystem/nope', '/filesystem/notes%2Fnope'])(
  'a missing folder (%s) is not reported as a missing sandbox, which a client would create again',
  async (path) => {
    const folder = await get(`/acme/sandboxes/my-box${path}`)
    const sandbox = await get(`/acme/sandboxes/never${path}`)
    const listed = await call('list_directory', { path: '/nope' })

    expect(folder.body.error).toMatchObject({ code: 'ROUTE_NOT_FOUND', status: 404, retryable: false })
    expect(sandbox.body.error).toMatchObject({ code: 'WORKLOAD_NOT_FOUND', status: 404 })
    expect(listed).toEqual({ text: 'Folder not found.', isError: true })
  },
)

test('MCP file tools write, read, list and delete', async () => {
  const { body } = await mcp({ method: 'tools/list' })
  await call('write_file', { path: 'deep/er/b.txt', content: 'B' })
  const read = await call('read_file', { path: '/deep/er/b.txt' })
  await call('delete_path', { path: '/deep' })
  const gone = await call('read_file', { path: '/deep/er/b.txt' })

  expect(body.result.tools.map(({ name }: { name: string }) => name)).toEqual([
    'run_command',
    'list_directory',
    'read_file',
    'write_file',
    'create_directory',
    'delete_path',
    'start_process',
    'list_processes',
    'read_process',
    'stop_process',
  ])
  expect(read).toEqual({ text: 'B', isError: false })
  expect(gone.isError).toBe(true)
})

test.each([
  '/acme/sandboxes/my-box/filesystem/..%2f..%2f',
  '/acme/sandboxes/my-box/filesystem/%2e%2e/%2e%2e/',
  '/acme/sandboxes/my-box/filesystem/tree/notes/..%2f..%2f..%2fetc',
  '/acme/sandboxes/my-box/filesystem/..%5c..%5cetc',
  '/acme/sandboxes/my-box/filesystem/a%00b',
  '/acme/sandboxes/my-box/filesystem/%c0%ae%c0%ae/',
  '/acme/sandboxes/my-box/filesystem/%252e%252e/',
  '/acme/sandboxes/my-box/filesystem/linked',
  '/acme/sandboxes/my-box/filesystem/tree/linked/',
])('%s shows nothing from outside', async (path) => {
  const answer = await get(path)

  expect([400, 404]).toContain(answer.status)
  expect(answer.body.error.code).toMatch(/BAD_REQUEST|ROUTE_NOT_FOUND/)
})

test.each([
  ['read_file', { path: '/../outside.txt' }],
  ['read_file', { path: '/link.txt' }],
  ['read_file', { path: '/linked/outside.txt' }],
  ['list_directory', { path: 'linked' }],
  ['write_file', { path: '/linked/new.txt', content: 'x' }],
  ['write_file', { path: '/link.txt', content: 'x' }],
  ['write_file', { path: 'notes/../../x', content: 'x' }],
  ['create_directory', { path: '/linked/new' }],
  ['delete_path', { path: '/linked/outside.txt' }],
  ['delete_path', { path: '/' }],
  ['read_file', { path: 'a\u0000b' }],
])('the tool %s with %j is rejected and changes nothing outside', async (name, args) => {
  const result = await call(name, args)

  expect(result.isError).toBe(true)
  expect(result.text).not.toContain('CANARY')
  expect(readFileSync(join(data, 'outside.txt'), 'utf8')).toBe('CANARY outside')
})

test('links are not listed, and removing one keeps its target', async () => {
  mkdirSync(join(own, 'links'))
  symlinkSync(join(data, 'outside.txt'), join(own, 'links', 'l'))

  const listing = await get('/acme/sandboxes/my-box/filesystem/links')
  const removed = await call('delete_path', { path: '/links' })

  expect(listing.body.files).toEqual([])
  expect(removed.isError).toBe(false)
  expect(readFileSync(join(data, 'outside.txt'), 'utf8')).toBe('CANARY outside')
})

test('a read-only drive can be read but not written', async () => {
  const written = await call('write_file', { path: '/share/x.txt', content: 'x' })
  const listed = await call('list_directory', { path: '/share' })

  expect(written).toEqual({ text: 'This folder is mounted read-only.', isError: true })
  expect(listed.isError).toBe(false)
})

test('a drive is mounted and unmounted while the sandbox runs, by path and by host', async () => {
  for (const name of ['late', 'other']) {
    await createResource(api, 'drives', name)
  }
  await create('open-late', {})
  const at = '/acme/sandboxes/open-late/drives'
  const late = { name: 'late', mountPath: '/late', readOnly: false }
  const send = (method: 'post' | 'delete', path: string, body = {}, headers = {}) =>
    request(world.app)
      [method](path)
      .set({ 'X-Service-Authorization': `Bearer ${world.admin.key}`, ...headers })
      .send(body)

  const mounted = await send('post', at, { name: 'late', mountPath: '/late' })
  const again = await send('post', at, { name: 'late', mountPath: 'late/' })
  await call('write_file', { path: '/late/a.txt', content: 'A' }, 'open-late')
  const inUse = await api.delete('/v0/drives/late')
  const refused = [
    await send('post', at, { name: 'other', mountPath: '/late' }),
    await send('post', at, { name: 'late', mountPath: '/late', readOnly: true }),
    await send('post', at, { name: 'never-was', mountPath: '/x' }),
    await send('post', at, { name: 'other', mountPath: `/${'a'.repeat(300)}` }),
    await send('post', at, { name: 'other', mountPath: '/a/../b' }),
    await send('delete', `${at}/nowhere`),
    await send('post', '/acme/sandboxes/none/drives', { name: 'other', mountPath: '/x' }),
  ]
  const host = { Host: 'sbx-open-late-acme.local.sandboxes.example' }
  const listed = await get('/drives', host)
  const { body: sandbox } = await api.get('/v0/sandboxes/open-late')
  const taken = await send('delete', '/drives/late', {}, host)
  const after = await call('read_file', { path: '/late/a.txt' }, 'open-late')
  const [entry] = (await api.get('/v0/audit?limit=1')).body.data

  expect([mounted.status, mounted.body]).toEqual([200, { drives: [late] }])
  expect(again.body).toEqual(mounted.body)
  expect(inUse.status).toBe(409)
  expect(refused.map(({ status }) => status)).toEqual([409, 409, 400, 400, 400, 404, 404])
  expect([listed.body.drives, sandbox.spec.drives]).toEqual([again.body.drives, again.body.drives])
  expect([taken.status, taken.body, after.isError]).toEqual([200, { drives: [] }, true])
  expect(entry).toMatchObject({
    action: 'sandbox.updated',
    resource: { name: 'open-late' },
    requestId: taken.headers['x-request-id'],
  })
  await api.delete('/v0/drives/late').expect(200)
})

test('nothing can be read or written below the mount of a deleted drive', async () => {
  await createResource(api, 'drives', 'vanishing')
  await create('left-alone', { drives: [{ name: 'vanishing', mountPath: '/far/share', readOnly: true }] })
  await waitFor('it is there', async () => (await api.get('/v0/sandboxes/left-alone')).body.status === 'DEPLOYED')
  // Callers cannot do this, because the drive is in use.
  await world.pool.query(`update resources set name = 'elsewhere' where kind = 'drive' and name = 'vanishing'`)

  const refused = await Promise.all([
    call('write_file', { path: '/far/share/x.txt', content: 'x' }, 'left-alone'),
    call('create_directory', { path: '/far/share/deep/er' }, 'left-alone'),
    call('read_file', { path: '/far/share/x.txt' }, 'left-alone'),
    call('list_directory', { path: '/far/share' }, 'left-alone'),
  ])
  const listed = await get('/acme/sandboxes/left-alone/filesystem/far%2Fshare')
  const beside = await call('write_file', { path: '/far/beside.txt', content: 'x' }, 'left-alone')
  const tree = await get('/acme/sandboxes/left-alone/filesystem/tree')

  const gone = { text: 'The storage mounted at /far/share no longer exists.', isError: true }
  expect(refused).toEqual([gone, gone, gone, gone])
  expect([listed.status, listed.body.error.code]).toEqual([404, 'WORKLOAD_UNAVAILABLE'])
  expect(beside.isError).toBe(false)
  const share = { path: '/far/share', name: 'share', files: [], subdirectories: [], truncated: true }
  expect(tree.body.subdirectories).toMatchObject([{ files: [{ name: 'beside.txt' }], subdirectories: [share] }])
})

test('a volume keeps its files when its sandbox is deleted, and the next sandbox has them', async () => {
  await create('first', {})
  await createResource(api, 'volumes', 'moving', { size: 10 })
  await replaceResource(api, 'sandboxes', 'first', { volumes: [{ name: 'moving', mountPath: '/data' }] })
  await call('write_file', { path: '/data/kept.txt', content: 'kept' }, 'first')
  const attached = await api.get('/v0/volumes/moving')
  await api.delete('/v0/sandboxes/first').expect(200)
  const free = await api.get('/v0/volumes/moving')
  await create('second', { volumes: [{ name: 'moving', mountPath: '/elsewhere' }] })

  const read = await call('read_file', { path: '/elsewhere/kept.txt' }, 'second')

  expect(read.text).toBe('kept')
  expect([attached.body.state.attachedTo, free.body.state.attachedTo]).toEqual(['sandbox:first', ''])
})

test('an unknown sandbox and an unknown folder return nested not-found errors', async () => {
  const sandbox = await get('/acme/sandboxes/none/filesystem/tree/')
  const folder = await get('/acme/sandboxes/my-box/filesystem/nowhere')

  expect([sandbox.status, folder.status]).toEqual([404, 404])
  expect(sandbox.body.error.code).toBe('WORKLOAD_NOT_FOUND')
})

test('a drive is shared by its sandboxes, and a detached volume is free again', async () => {
  await createResource(api, 'drives', 'common', { size: 1 })
  await createResource(api, 'volumes', 'lent', { size: 10 })
  const drives = [{ name: 'common', mountPath: '/common' }]
  await create('left-one', { drives, volumes: [{ name: 'lent', mountPath: '/lent' }] })
  await create('right-one', { drives })

  await call('write_file', { path: '/common/note.txt', content: 'for both' }, 'left-one')
  const read = await call('read_file', { path: '/common/note.txt' }, 'right-one')
  const lent = await api.get('/v0/volumes/lent')
  await replaceResource(api, 'sandboxes', 'left-one', { drives, volumes: [] })
  const free = await api.get('/v0/volumes/lent')

  expect(read).toEqual({ text: 'for both', isError: false })
  expect([lent.body.state.attachedTo, free.body.state.attachedTo]).toEqual(['sandbox:left-one', ''])
})

const folderOf = async (kind: 'sandbox' | 'volume', name: string) => {
  const { rows } = await world.pool.query('select id from resources where kind = $1 and name = $2', [kind, name])
  return diskSandboxFiles(data).folderOf(kind, 'acme', rows[0].id)
}

test('the files of a deleted sandbox are removed, those of its volume with the volume', async () => {
  await createResource(api, 'volumes', 'brief', { size: 10 })
  await create('gone', { volumes: [{ name: 'brief', mountPath: '/v' }] })
  await call('write_file', { path: '/a.txt', content: 'A' }, 'gone')
  await call('write_file', { path: '/v/b.txt', content: 'B' }, 'gone')
  const [sandbox, volume] = [await folderOf('sandbox', 'gone'), await folderOf('volume', 'brief')]

  await api.delete('/v0/sandboxes/gone').expect(200)
  await waitFor('the folder of the sandbox is gone', () => !existsSync(sandbox))
  const kept = readFileSync(join(volume, 'b.txt'), 'utf8')
  await api.delete('/v0/volumes/brief').expect(200)

  expect(kept).toBe('B')
  await waitFor('the folder of the volume is gone', () => !existsSync(volume))
})

test('the next process removes the files of a sandbox whose deletion was interrupted by a kill', async () => {
  await create('left', {})
  await call('write_file', { path: '/a.txt', content: 'A' }, 'left')
  const folder = await folderOf('sandbox', 'left')
  const doomed = await startPlatformProcess(world, { DATA_FOLDER: temporaryFolder() })
  const headers = { Authorization: `Bearer ${world.admin.key}`, 'X-Service-Workspace': 'acme' }

  const deleted = await fetch(`${doomed.url}/v0/sandboxes/left`, { method: 'DELETE', headers })
  await doomed.kill()
  const stayed = existsSync(folder)
  const next = await startPlatformProcess(world, { DATA_FOLDER: data })

  expect([deleted.status, stayed]).toEqual([200, true])
  await waitFor('the folder is gone', () => !existsSync(folder))
  await next.stop()
})

test('a call whose result is read again is billed once, and a silent stream is not billed', async () => {
  await create('paid', {})
  const path = '/acme/sandboxes/paid/mcp'
  const clientInfo = { name: 'test', version: '1.0.0' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const opened = await mcp({ method: 'initialize', params }, path)
  const session = {
    'Mcp-Session-Id': String(opened.headers['mcp-session-id']),
    'MCP-Protocol-Version': params.protocolVersion,
  }
  const list = { method: 'tools/call', params: { name: 'list_directory', arguments: { path: '/' } } }
  const called = await mcp(list, path, session)
  const [, first = ''] = /id: (\S+)/.exec(called.text) ?? []
  const billed = async () =>
    (await world.pool.query(`select 1 from usage_events where resource_name = 'paid'`)).rows.length
  await waitFor('the opening and the call are metered', async () => (await billed()) === 2)
  const env = { DATABASE_URL: world.config.databaseUrl, ENCRYPTION_KEYS: keysOf(world), DATA_FOLDER: data }
  const other = await platformWorld({ env })
  const there = `${await other.listen()}${path}`
  const credential = { 'X-Service-Authorization': `Bearer ${world.admin.key}` }
  const headers = { ...session, ...credential, Accept: 'text/event-stream' }

  const again = await fetch(there, { headers: { ...headers, 'Last-Event-ID': first } }).then((answer) => answer.text())
  const idle = await fetch(there, { headers })
  // A process writes its usage before it closes.
  await Promise.all([idle.text().catch(() => {}), other.close()])

  expect(again).toContain('"result"')
  expect(idle.status).toBe(200)
  expect(await billed()).toBe(2)
})
