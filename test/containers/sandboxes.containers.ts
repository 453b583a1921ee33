// Sandboxes with an image: what tenants can do, what commands cannot, and what remains when the platform dies.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import request from 'supertest'
import { WebSocket } from 'undici'
import { afterAll, describe, expect, test } from 'vitest'
import { filePromises } from '../platform/sandboxes/files.contract.ts'
import { processPromises } from '../platform/sandboxes/processes.contract.ts'
import { webSocketEcho } from '../support/doubles/web-socket-echo.ts'
import { processesWith } from '../support/oracles/processes-with.ts'
import { waitFor as waitBriefly } from '../support/oracles/wait-for.ts'
import { startPlatformProcess } from '../support/processes/platform-process.ts'
import { createResource, keysOf, platformWorld } from '../support/worlds/platform-world.ts'

const { DOCKER_HOST: url = '', WORKLOAD_IMAGE: image = '', VOLUME_IMAGE: imageWithVolume = '' } = process.env

const engine = { ENGINE_URL: url, ENGINE_IMAGES: '*', PUBLIC_URL: `http://${randomUUID()}.localhost` }
const world = await platformWorld({ env: engine })
const { databaseUrl: DATABASE_URL, dataFolder: DATA_FOLDER } = world.config
/** Also with a host for each preview. */
const SANDBOX_DOMAIN = 'sandboxes.example'
const other = await platformWorld({
  env: { ...engine, SANDBOX_DOMAIN, DATABASE_URL, DATA_FOLDER, ENCRYPTION_KEYS: keysOf(world) },
})
const api = world.as(world.admin)
const { containers } = world.adapters.engine
if (!containers) throw new Error('no containers')

const waitFor: typeof waitBriefly = (what, ask) => waitBriefly(what, ask, { withinMs: 60_000 })

async function create(name: string, spec: { runtime: object }, deployed = 'DEPLOYED') {
  await createResource(api, 'sandboxes', name, { ...spec, runtime: { image, memory: 512, ...spec.runtime } })
  const body = await waitFor(`${name} is settled`, async () => {
    const { body: found } = await api.get(`/v0/sandboxes/${name}`)
    return found.status !== 'DEPLOYING' && found
  })
  expect(body.status).toBe(deployed)
}
const exec = async (command: string, sandbox = 'box') =>
  (await api.post(`/acme/sandboxes/${sandbox}/process`).send({ command, waitForCompletion: true }).expect(200)).body

await create('box', { runtime: {} })

afterAll(async () => {
  await Promise.all([world.close(), other.close()])
  for (const found of await containers.list()) await containers.remove(found)
})

processPromises({ world, other, sandbox: 'box' })
filePromises({ world, sandbox: 'box' })

const server = (answer: string) => `node -e '
  require("node:http").createServer((req, res) => {
    let body = ""
    req.on("data", (part) => body += part)
    req.on("end", () => res.setHeader("x-own", "yes").setHeader("content-type", "application/json").end(JSON.stringify({ ${answer} })))
  }).listen(8080, "127.0.0.1")'`

test('an idle sandbox is stopped, and the next request starts it with its files', async () => {
  await create('rests', { runtime: {} })
  await exec('echo kept > /home/user/note', 'rests')
  const { id } = (await world.pool.query(`select id from resources where name = 'rests'`)).rows[0]
  const isRunning = async () => (await containers.list()).find((each) => each.id === id)?.isRunning

  await world.pool.query(`update sandbox_uses set used_at = now() - interval '1 day' where id = $1`, [id])
  await world.pool.query(`update resources set updated_at = now() - interval '1 day' where id = $1`, [id])
  await waitFor('it is stopped', async () => (await isRunning()) === false)
  const path = '/acme/sandboxes/rests/filesystem/%2Fhome%2Fuser%2Fnote'
  const { body } = await other.as(world.admin).get(path).expect(200)

  expect(body.content).toBe('kept\n')
  expect(await isRunning()).toBe(true)
})

describe('ports of a sandbox', () => {
  test('a server in it answers through the gateway, with paths, bodies and its own headers', async () => {
    const command = server('method: req.method, url: req.url, body, key: req.headers["x-service-authorization"]')
    await api
      .post('/acme/sandboxes/box/process')
      .send({ command, name: 'server', waitForPorts: [8080] })
      .expect(200)

    const { body, headers } = await api.post('/acme/sandboxes/box/port/8080/a/b?c=d').send({ hello: 1 }).expect(200)
    const many = await Promise.all(
      Array.from({ length: 20 }, () => api.get('/acme/sandboxes/box/port/8080/').expect(200)),
    )

    expect(body).toEqual({ method: 'POST', url: '/a/b?c=d', body: '{"hello":1}' })
    expect([headers['x-own'], headers['x-service-source']]).toEqual(['yes', 'workload'])
    expect(many.map((each) => each.body.url)).toEqual(Array(20).fill('/'))
  })

  test('a large answer and a large body pass unchanged', async () => {
    const command = `node -e '
      require("node:http").createServer(async (req, res) => {
        let size = 0
        for await (const part of req) size += part.length
        res.setHeader("x-size", size).setHeader("content-type", "text/plain")
        res.end(Buffer.alloc(3_000_000, "y"))
      }).listen(8081)'`
    await api
      .post('/acme/sandboxes/box/process')
      .send({ command, name: 'large', waitForPorts: [8081] })
      .expect(200)

    const { headers, text } = await api
      .post('/acme/sandboxes/box/port/8081/')
      .set('Content-Type', 'application/octet-stream')
      .send(Buffer.alloc(2_000_000, 'x'))
      .expect(200)

    expect([headers['x-size'], text.length]).toEqual(['2000000', 3_000_000])
  })

  test('WebSockets reach a server in it, and it ends with the connection', async () => {
    await api
      .post('/acme/sandboxes/box/process')
      .send({ command: `node -e '${webSocketEcho(8082)}'`, name: 'echo', waitForPorts: [8082] })
      .expect(200)
    const { host } = new URL(await world.listen())
    const headers = { 'X-Service-Authorization': `Bearer ${world.admin.key}` }
    const socket = new WebSocket(`ws://${host}/acme/sandboxes/box/port/8082/hmr`, { headers })
    const messages: string[] = []
    socket.addEventListener('message', ({ data }) => messages.push(data))

    await waitFor('the server has greeted', () => messages.length > 0)
    socket.send('hello')
    await waitFor('it is repeated', () => messages.length > 1)
    socket.send('close')
    await waitFor('it is closed', () => socket.readyState === WebSocket.CLOSED)

    expect(messages).toEqual(['/hmr no key no cookie', 'hello'])
    await waitFor('no forwarder is left', async () => {
      const { stdout } = await exec(`cat /proc/[0-9]*/cmdline | tr '\\0' ' '`)
      return !stdout.includes('bash 8082')
    })
  })

  test('a port at which nothing listens is unavailable', async () => {
    const { status, body } = await api.get('/acme/sandboxes/box/port/9999/')

    expect([status, body.error.code]).toEqual([404, 'WORKLOAD_UNAVAILABLE'])
  })

  test('a preview leads to its port, with the headers that it adds', async () => {
    const path = '/v0/sandboxes/box/previews'
    const { body: preview } = await api
      .post(path)
      .send({ metadata: { name: 'site' }, spec: { port: 8080, public: false } })
      .expect(200)
    const { body: token } = await api
      .post(`${path}/site/tokens`)
      .send({ metadata: { name: 't' }, spec: {} })
      .expect(200)
    const { pathname } = new URL(preview.spec.url)

    const open = await request(world.app).get(`${pathname}/x?preview_token=${token.spec.token}&y=1`)
    const closed = await request(world.app).get(`${pathname}/x`)

    const { body: hosted } = await other.as(other.admin).get(`${path}/site`).expect(200)
    const { host } = new URL(hosted.spec.url)
    const own = await request(other.app).get(`/x?preview_token=${token.spec.token}`).set('Host', host)
    const again = await request(other.app)
      .get('/y')
      .set({ Host: host, Cookie: String(own.headers['set-cookie']) })

    expect([open.status, open.body.url, closed.status]).toEqual([200, '/x?y=1', 404])
    expect([own.body.url, again.body.url]).toEqual(['/x', '/y'])
    expect(open.headers['content-security-policy']).toContain('sandbox')
    expect(own.headers['content-security-policy']).toBeUndefined()
  })
})

test('folders that the image declares with VOLUME are in memory, with a size', async () => {
  await create('with-volume', { runtime: { image: imageWithVolume } })

  const { stdout } = await exec(
    'df -k /data | tail -1; dd if=/dev/zero of=/data/x bs=1M count=200 2>&1 | tail -1',
    'with-volume',
  )
  const [, size] = /^tmpfs\s+(\d+)/.exec(stdout) ?? []

  expect(Number(size)).toBeLessThanOrEqual(64 * 1024)
  expect(stdout).not.toMatch(/200\+0 records out|209715200 bytes/)
})

test('volumes and drives are mounted, outlive the container, and are removed with their resource', async () => {
  await createResource(api, 'volumes', 'vol', { size: 10 })
  await createResource(api, 'drives', 'share', { size: 1 })
  const volumes = [{ name: 'vol', mountPath: '/srv/vol/' }]
  await create('mounting', { runtime: {}, ...{ volumes } })
  await exec('echo kept > /srv/vol/file', 'mounting')

  const mount = { driveName: 'share', mountPath: '/mnt/share' }
  const { body: mounted } = await api.post('/acme/sandboxes/mounting/drives/mount').send(mount).expect(200)
  const done = await exec(
    'cat /srv/vol/file; echo shared > /mnt/share/file && ls -ld /mnt/share | cut -c1-10',
    'mounting',
  )
  const { body: list } = await api.get('/acme/sandboxes/mounting/drives/mount').expect(200)
  const read = await api.get('/acme/sandboxes/mounting/filesystem/%2Fmnt%2Fshare%2Ffile').expect(200)
  await api.delete('/acme/sandboxes/mounting/drives/mount/mnt/share').expect(200)
  const after = await exec('ls /mnt/share 2>/dev/null; cat /srv/vol/file', 'mounting')

  expect(mounted).toMatchObject({ success: true, ...mount })
  expect(list.mounts).toEqual([{ ...mount, drivePath: '/', readOnly: false }])
  expect([done.stdout, read.body.content, after.stdout]).toEqual(['kept\ndrwx------\n', 'shared\n', 'kept\n'])
  for (const path of ['sandboxes/mounting', 'volumes/vol', 'drives/share']) await api.delete(`/v0/${path}`).expect(200)
  await waitFor('the volumes are gone', async () => !(await containers.list()).some(({ kind }) => kind === 'volume'))
})

test('nothing is mounted in place of the home folder', async () => {
  await createResource(api, 'volumes', 'home', { size: 10 })

  await create('hiding', { runtime: {}, ...{ volumes: [{ name: 'home', mountPath: '/home' }] } }, 'FAILED')
})

test('an image that ENGINE_IMAGES does not name is FAILED, with the reason', async () => {
  const strict = await platformWorld({
    env: { ...engine, PUBLIC_URL: `${engine.PUBLIC_URL}:1`, ENGINE_IMAGES: 'docker.io/acme/' },
  })
  const own = strict.as(strict.admin)
  await createResource(own, 'sandboxes', 'box', { runtime: { image } })

  const body = await waitFor('it is settled', async () => {
    const { body: found } = await own.get('/v0/sandboxes/box')
    return found.status !== 'DEPLOYING' && found
  })

  expect([body.status, body.events.at(-1).message]).toEqual(['FAILED', expect.stringContaining('ENGINE_IMAGES')])
  await strict.close()
})

/** What a command must not reach: a server of this machine, on all its addresses. */
const secret = `secret-${randomUUID()}`
const outside = createServer((_req, res) => void res.end(secret)).listen(0, '0.0.0.0')
await once(outside, 'listening')
const { port } = outside.address() as AddressInfo
afterAll(() => void outside.close())

describe('a command in a container cannot', () => {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))
  const connect = (host: string, to: number) =>
    `timeout 3 bash -c 'exec 3<>/dev/tcp/${host}/${to} && printf "GET / HTTP/1.0\\r\\n\\r\\n" >&3 && cat <&3' 2>/dev/null && echo escaped`

  test.each([
    [
      'reach the socket of the engine',
      'for at in /run/podman/podman.sock /var/run/docker.sock /run/*.sock; do [ -e $at ] && echo escaped; done',
    ],
    ['reach the metadata address of a cloud', connect('169.254.169.254', 80)],
    ['reach an address of the internet', connect('1.1.1.1', 53)],
    ['reach the usual gateway of an engine', connect('10.88.0.1', port)],
    [
      'reach this machine by its names',
      `${connect('host.containers.internal', port)}; ${connect('host.docker.internal', port)}`,
    ],
    ['mount a file system', 'mount -t tmpfs none /mnt && echo escaped; mount -t proc none /mnt && echo escaped'],
    ['gain the rights of root in a user namespace', 'unshare -Ur mount -t tmpfs none /mnt 2>/dev/null && echo escaped'],
    ['enter the namespaces of the first process', 'nsenter -t 1 -m true 2>/dev/null && echo escaped'],
    ['become root', 'su -c id 2>/dev/null | grep uid=0 && echo escaped; [ "$(id -u)" = 0 ] && echo escaped'],
    [
      'use a capability',
      'grep -E "^Cap(Eff|Prm|Bnd|Amb)" /proc/self/status | grep -v 0000000000000000 && echo escaped',
    ],
    [
      'write to settings of the kernel',
      'echo x > /proc/sys/kernel/core_pattern && echo escaped; echo h > /proc/sysrq-trigger && echo escaped',
    ],
    [
      'write to the control groups',
      'echo $$ > /sys/fs/cgroup/cgroup.procs && echo escaped; touch /sys/fs/cgroup/x && echo escaped',
    ],
    [
      'read the memory of the kernel or a disk',
      'head -q -c 1 /proc/kcore /dev/mem /dev/sda /dev/vda 2>/dev/null | grep -q . && echo escaped',
    ],
    ['make a device', 'mknod /tmp/disk b 254 0 2>/dev/null && echo escaped'],
    ['see processes of this machine', 'grep -l "[v]itest" /proc/[0-9]*/cmdline 2>/dev/null && echo escaped'],
    ['see the files of this machine', `ls -d ${process.cwd()} 2>/dev/null && echo escaped`],
  ])('%s', async (_what, script) => {
    const { logs } = await exec(`{ ${script}; } 2>/dev/null; true`)

    expect(logs).not.toContain('escaped')
    expect(logs).not.toContain(secret)
  })

  test('(the same attempt finds a server inside, so it would find one outside)', async () => {
    const { logs } = await exec(connect('127.0.0.1', 8080))

    expect(logs).toContain('escaped')
  })

  test('reach any address of this machine', async () => {
    const { logs } = await exec(
      `{ ${addresses
        .filter((at) => !at.includes(':'))
        .map((at) => connect(at, port))
        .join('; ')}; } 2>/dev/null; true`,
    )

    expect(logs).not.toContain('escaped')
  })

  test('see a sandbox of another workspace, or a port of it', async () => {
    const second = world.as(await world.enter('rival', 'user@rival.example', 'rival'))
    await createResource(second, 'sandboxes', 'box', { runtime: { image, memory: 256 } })
    await waitFor('it is settled', async () => (await second.get('/v0/sandboxes/box')).body.status === 'DEPLOYED')
    await second
      .post('/rival/sandboxes/box/process')
      .send({ command: server('secret: "of a rival"'), waitForPorts: [8080] })
    await second
      .post('/rival/sandboxes/box/process')
      .send({ command: 'echo rival > ~/secret', waitForCompletion: true })

    const { logs } = await exec('cat /proc/net/tcp /proc/net/dev; grep -rl rival ~ /tmp 2>/dev/null; ls /proc | wc -l')

    expect(logs).not.toContain('secret')
    expect(logs).not.toMatch(/eth|veth|tap/)
    await api.get('/rival/sandboxes/box/port/8080/').expect(400)
  })

  test('write through a link to a file outside its folders by the file API', async () => {
    await exec('ln -sfn /etc ~/etc; ln -sfn / ~/root')

    const { status } = await api.put('/acme/sandboxes/box/filesystem/%2Fhome%2Fuser%2Fetc%2Fx').send({ content: 'x' })

    expect(status).toBe(400)
    expect((await exec('ls /etc/x')).exitCode).not.toBe(0)
  })
})

test('kill -9 of the platform ends its processes, and the next one goes on with the sandbox', async () => {
  const victim = await startPlatformProcess(world, engine)
  const mark = `66.${process.pid}`
  const { body } = await request(victim.url)
    .post('/acme/sandboxes/box/process')
    .set({ 'X-Service-Authorization': `Bearer ${world.admin.key}` })
    .send({ command: `sleep ${mark} & sleep ${mark}`, name: 'orphan' })
    .expect(200)
  await waitFor('it runs', () => processesWith(mark).length > 0)

  await victim.kill()

  await waitFor('nothing of it runs', () => processesWith(mark).length === 0)
  await waitFor('it is failed', async () => {
    const { body: found } = await api.get(`/acme/sandboxes/box/process/${body.pid}`)
    return found.status === 'failed'
  })
  expect(await exec('echo alive')).toMatchObject({ status: 'completed', stdout: 'alive\n' })
  expect((await containers.list()).filter(({ kind }) => kind === 'run')).toEqual([])
})
